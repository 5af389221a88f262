# SPDX-License-Identifier: Apache-2.0
"""Pods with more than one ResourceClaim, of which only one cannot be allocated, and the events that change
that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.drawn import sometimes
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.devices import (
    DRIVER,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.vocabulary.objects import (
    WITHOUT_POP_FROM_BACKOFF,
    default_profile,
    node,
    profile_config,
    with_metadata,
)
from conformance.vocabulary.scripted import SCRIPTED, Script, key, release_all, script
from conformance.vocabulary.storage import put
from refsched.suite.histories.history import History, Permit, deleting

Json = dict[str, Any]

# --- One of many claims ---------------------------------------------------------------------------

_ONE, _TOO_MANY = ({"requests": [request("r0", [exactly(count)])]} for count in (1, 9))
_TWO = {"requests": [request(name, [exactly(1)]) for name in ("r0", "r1")]}
_OF_ABSENT = {"requests": [request("r0", [exactly(1, "absent")])]}
_OR_ABSENT = {"requests": [request("r0", [exactly(1), exactly(1, "absent")])]}
_HELD: Json = {
    "allocation": {
        "devices": {"results": [{"request": "r0", "driver": DRIVER, "pool": "s1", "device": "d0"}]}
    }
}
_ELSEWHERE: Json = {
    "allocation": {
        **_HELD["allocation"],
        "nodeSelector": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n9"]}]}
            ]
        },
    }
}
_IN_THE_WAY = (
    resource_claim("c2", _OF_ABSENT),
    resource_claim("c2", _OR_ABSENT),
    resource_claim("c2", _TOO_MANY),
    resource_claim("c2", _ONE, _ELSEWHERE),
)
_NOT_QUEUED_FIRST = profile_config(
    default_profile(plugins={"preEnqueue": {"disabled": [{"name": "DynamicResources"}]}})
)
"""There a pod is tried whose claims are not there."""


def _put(value: Json) -> Change:
    return lambda cluster: put(cluster, value)


def _removes(value: Json) -> Change:
    return lambda cluster: cluster.steps.append(deleting(value))


_USERS = st.sampled_from([("c1", "c2"), ("c2", "c1"), ("c1", "c2", "c3"), ("c3", "c1", "c2")])
_DEVICES = [{"name": f"d{number}"} for number in range(3)]
_HAPPENINGS: SearchStrategy[Change] = st.sampled_from(
    [
        _put(device_class("absent")),
        _put(device_class("other")),
        *[_put(resource_claim("c2", _ONE))] * 2,
        _put(with_metadata(resource_claim("c3", _ONE, _HELD), labels={"touched": "yes"})),
        _put(resource_claim("c3", _ONE)),
        _put(resource_claim("c4", _ONE)),
        _removes(resource_claim("c1", _ONE)),
        _removes(resource_claim("c3", _ONE)),
        _put(resource_claim("c1", _ONE)),
        _put(resource_slice("s1", _DEVICES[:2])),
        _removes(resource_slice("s1", _DEVICES)),
    ]
)


@st.composite
def _one_in_the_way(draw: DrawFn) -> History:
    """``c3`` is allocated a device, which some of the pods request too, or which no pod requests."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", _DEVICES))
    cluster.add(resource_claim("c1", _ONE), draw(st.sampled_from(_IN_THE_WAY)))
    cluster.add(resource_claim("c3", _ONE, _HELD))
    cluster.add_node(node(""))
    for names in draw(st.lists(_USERS, min_size=1, max_size=2)):
        cluster.add_pod(claim_user(*names))
    cluster.schedule()
    for happening in draw(st.lists(_HAPPENINGS, min_size=1, max_size=5)):
        happening(cluster)
        cluster.wait()
        cluster.schedule()
    return cluster.history(draw(sometimes(st.just(_NOT_QUEUED_FIRST))))


_WAITS, _FAILS_LATE = (("ScriptedA", "permit", "Wait"),), (("ScriptedA", "preBind", "Error"),)
_USED_BY: SearchStrategy[list[Json]] = st.sampled_from([("other",), ("p1",), ("p1", "other")]).map(
    lambda names: [{"resource": "pods", "name": name, "uid": f"of-an-earlier-{name}"} for name in names]
)


def _while_one_is_allocated(
    way: Script, asked: Json, first: Sequence[str], names: Sequence[str], ending: str, users: Sequence[Json]
) -> History:
    """The first pod waits with devices that are not written yet, or fails after they were written; ``c1`` has
    ``asked`` for them. ``users`` of an allocated claim may be earlier pods of its name."""
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", _DEVICES))
    cluster.add(
        resource_claim("c1", asked),
        resource_claim("c2", _ONE),
        resource_claim("c3", _ONE, {**_HELD, "reservedFor": list(users)}),
    )
    cluster.add_node(node(""))
    cluster.add_pod(claim_user(*first, script=way))
    cluster.schedule()
    cluster.add_pod(claim_user(*names))
    cluster.schedule()
    if ending == "delete the claim":
        cluster.steps.append(deleting(resource_claim(first[0], _ONE)))
    cluster.steps.append(Permit(key(cluster.pods["p1"]), "reject" if ending == "reject" else "allow"))
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


_IN_FLIGHT = st.builds(
    _while_one_is_allocated,
    st.sampled_from([script(*_WAITS), script(*_WAITS), script(*_FAILS_LATE)]),
    st.sampled_from([_ONE, _ONE, _TWO]),
    st.sampled_from([("c1",), ("c1", "c3"), ("c3", "c1"), ("c1", "c2"), ("c3",)]),
    st.sampled_from([("c2",), ("c1", "c2"), ("c2", "c1"), ("c3", "c1", "c2"), ("c2", "c3")]),
    st.sampled_from(["reject", "allow", "delete the claim", "delete the claim", "reject"]),
    _USED_BY,
)


# --- A gate that closes meanwhile -----------------------------------------------------------------


def _a_gate_closes(ending: str, seconds: float, gates: dict[str, bool]) -> History:
    """A pod is held, its claim goes, and what it waited for has come: it skips its backoff, and is stopped at the
    gate. New devices look like a key; the backoff goes on, and the gate is asked before it or behind it."""
    cluster = HistoryBuilder()
    claim = resource_claim("c1", _ONE)
    cluster.add(device_class("any"), resource_slice("s1", _DEVICES), claim)
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", script=script(("ScriptedA", "reserve", "Hold:Pending"))))
    cluster.schedule(1)
    cluster.steps.append(deleting(claim))
    release_all(cluster)
    cluster.add(resource_slice("s2", _DEVICES))
    match ending:
        case "delete":
            cluster.remove_pod(0)
        case "update":
            cluster.change_pod(0, lambda value: with_metadata(value, labels={"touched": "yes"}))
        case "create":
            cluster.add(claim)
    cluster.wait(seconds)
    cluster.schedule(1)
    return cluster.history(SCRIPTED, gates)


_GATE_CLOSES = st.builds(
    _a_gate_closes,
    st.sampled_from(["delete", "update", "create", ""]),
    st.sampled_from([0.5, 2]),
    st.sampled_from([WITHOUT_POP_FROM_BACKOFF, WITHOUT_POP_FROM_BACKOFF, {}]),
)


def histories() -> SearchStrategy[History]:
    one, flight, gate = _one_in_the_way(), _IN_FLIGHT, _GATE_CLOSES
    return st.one_of(flight, one, gate)
