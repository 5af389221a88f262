# SPDX-License-Identifier: Apache-2.0
"""Served resources: extended resources that nodes have, or that devices serve because a DeviceClass says so.

A pod that requests one that devices may serve gets a claim of its own for it; its binding may fail, and classes
come, go and change their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.vocabulary.allocations import node_condition, node_selector
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import DRIVER, EVERYWHERE, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import (
    ZONE,
    default_profile,
    limited,
    node,
    owned_by_pod,
    pod,
    profile_config,
    with_metadata,
)
from conformance.vocabulary.scripted import SCRIPTED, release_all, script
from refsched.suite.histories.history import History, Update, deleting

Json = dict[str, Any]

# --- Extended resources ---------------------------------------------------------------------------

_GPU = "example.com/gpu"
_OF_ITS_OWN = "deviceclass.resource.kubernetes.io/plain"
_IS_BIG = [{"cel": {"expression": f"device.attributes['{DRIVER}'].big"}}]
_IS_SMALL_AND_SHARED = [
    {"cel": {"expression": f"!device.attributes['{DRIVER}'].big"}},
    {"cel": {"expression": "device.allowMultipleAllocations"}},
]
_NOT_SPREAD = profile_config(
    default_profile(("PodTopologySpread", {"defaultingType": "List", "defaultConstraints": []}))
)
_SCORED = profile_config(
    default_profile(
        (
            "NodeResourcesFit",
            {
                "scoringStrategy": {
                    "type": "LeastAllocated",
                    "resources": [{"name": _GPU, "weight": 3}, {"name": "cpu", "weight": 1}],
                }
            },
        )
    )
)
_BALANCED = profile_config(
    default_profile(
        (
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": _GPU, "weight": 1}, {"name": "cpu", "weight": 1}]},
        )
    )
)


def _serving(name: str, resource: str = _GPU, created: str = "", **spec: Any) -> Json:
    made = device_class(name, **({"extendedResourceName": resource} if resource else {}), **spec)
    return with_metadata(made, creationTimestamp=created) if created else made


_CLASSES: SearchStrategy[list[Json]] = st.sampled_from(
    [
        [_serving("plain")],
        [_serving("plain")],
        [
            _serving("b", created="2025-01-01T00:00:00Z"),
            _serving("a", created="2025-02-01T00:00:00Z", selectors=_IS_BIG),
        ],
        [
            _serving("a", created="2025-02-01T00:00:00Z"),
            _serving("b", created="2025-01-01T00:00:00Z", selectors=_IS_BIG),
        ],
        [
            _serving("b", created="2025-01-01T00:00:00Z", selectors=_IS_BIG),
            _serving("a", created="2025-01-01T00:00:00Z"),
        ],
        [
            _serving("a", created="2025-01-01T00:00:00Z"),
            _serving("b", created="2025-01-01T00:00:00Z", selectors=_IS_BIG),
        ],
        [_serving("plain", selectors=_IS_SMALL_AND_SHARED)],
        [_serving("plain", "")],
        [],
    ]
)


def _wanting(name: str, amount: int | None, resources: Sequence[str], **more: Any) -> Json:
    asked = {"cpu": "100m", **({each: str(amount) for each in resources} if amount is not None else {})}
    return limited(name, asked, **more)


_OWN, _EARLIER = "uid-of-p1", "of-an-earlier-p1"
_OWNERS: SearchStrategy[list[Json]] = st.sampled_from(
    [
        [owned_by_pod("p1", _OWN)],
        [owned_by_pod("p1", _OWN)],
        [owned_by_pod("p1", _EARLIER)],
        [owned_by_pod("p1", _EARLIER, controls=False), owned_by_pod("p1", _OWN)],
        [owned_by_pod("p1", _EARLIER), owned_by_pod("p1", _OWN, controls=False)],
        [owned_by_pod("p1", _OWN, controls=False)],
    ]
)


def _made_before(has_requests: bool, owners: list[Json]) -> Json:
    """Returns a claim that an earlier attempt made for the first pod and left behind, or one for an earlier pod of
    its name, or one that belongs to both."""
    request = {"name": "container-0-request-1", "exactly": {"deviceClassName": "plain"}}
    made = resource_claim("p1-extended-resources-left", {"requests": [request]} if has_requests else {})
    marked = {"resource.kubernetes.io/extended-resource-claim": "true"}
    return with_metadata(made, annotations=marked, ownerReferences=owners)


_AMOUNTS = st.sampled_from([1, 1, 1, 2, 2, 0, None, 3])


@st.composite
def _consumers(draw: DrawFn) -> Json:
    wanted = draw(st.sampled_from([[_GPU], [_GPU], [_GPU], [_OF_ITS_OWN], [_GPU, _OF_ITS_OWN]]))
    resources = st.sampled_from([wanted, wanted, wanted[:1], wanted[-1:]])
    containers = [
        _wanting(f"c{place}", draw(_AMOUNTS), draw(resources)) for place in range(draw(st.integers(1, 2)))
    ]
    starting, most = [], draw(_AMOUNTS)
    for place in range(draw(st.sampled_from([0, 0, 1, 2]))):
        kind = draw(st.sampled_from([{}, {}, {"restartPolicy": "Always"}]))
        amount = draw(st.sampled_from([most, most, (most or 0) + 1, 0, None]))
        starting.append(_wanting(f"i{place}", amount, draw(resources), **kind))
    answers = draw(
        st.sampled_from(
            [
                {},
                {},
                {},
                script(("ScriptedA", "permit", "Unschedulable")),
                script(("ScriptedB", "preBind", "Error")),
                script(("ScriptedB", "preBind", "Hold:Error")),
            ]
        )
    )
    return pod("", containers=containers, initContainers=starting, script=answers)


def _reach(draw: DrawFn, node_name: str) -> Json:
    """Returns which nodes reach a slice or a device. While a history lasts, no node changes its zone: by the known
    defect matches-kept-for-scores its score would not notice."""
    return draw(
        st.sampled_from(
            [
                {"nodeName": node_name},
                {"nodeName": node_name},
                {"nodeSelector": node_selector([node_condition("a")])},
                {"nodeSelector": node_selector([node_condition("b", operator="NotIn")])},
                EVERYWHERE,
            ]
        )
    )


def _add_node(draw: DrawFn, cluster: HistoryBuilder, scores: bool) -> None:
    own = draw(st.sampled_from([{}, {}, *([] if scores else [{_GPU: "2"}, {_GPU: "1"}]), {_GPU: "0"}]))
    cores = draw(st.sampled_from(["4", "4", "200m"]))
    cluster.add_node(node("", {"cpu": cores, "pods": "9", **own}, {ZONE: draw(st.sampled_from("ab"))}))
    number = len(cluster.nodes)
    name = f"n{number}"
    each_by_itself = draw(st.sampled_from([False, False, True]))
    devices = [
        {
            "name": f"d{place}",
            "attributes": {"big": {"bool": place % 2 == 0}},
            **draw(st.sampled_from([{}, {}, {"allowMultipleAllocations": True}])),
            **(_reach(draw, name) if each_by_itself else {}),
        }
        for place in range(draw(st.integers(2 if scores else 0, 4)))
    ]
    reach = {"perDeviceNodeSelection": True} if each_by_itself else _reach(draw, name)
    if devices:
        cluster.add(resource_slice(f"s{number}", devices, reach))


def _happen(
    draw: DrawFn, cluster: HistoryBuilder, happening: str, classes: Sequence[Json], scores: bool
) -> None:
    match happening:
        case "renamed" if classes:
            cluster.steps.append(Update(_serving(classes[0]["metadata"]["name"], "example.com/other")))
            cluster.wait()
            cluster.schedule()
            cluster.steps.append(Update(_serving(classes[0]["metadata"]["name"])))
        case "deleted" if classes:
            cluster.steps.append(deleting(classes[-1]))
        case "new":
            cluster.add(_serving(f"z{len(cluster.steps)}"))
        case "node":
            _add_node(draw, cluster, scores)
        case "pod":
            cluster.add_pod(draw(_consumers()))
        case "freed":
            cluster.remove_pod(draw(st.integers(0, 3)))
        case _:
            pass


@st.composite
def _served(draw: DrawFn) -> History:
    """Nodes have some of the resource, or devices that serve it, or neither; pods request it, and their binding
    may fail; classes come, go and change their name. At least two nodes have devices that count for the score."""
    cluster = HistoryBuilder()
    config = draw(st.sampled_from([SCRIPTED, SCRIPTED, _SCORED, _SCORED, _BALANCED, _NOT_SPREAD]))
    scores = config in (_SCORED, _BALANCED)
    classes = draw(_CLASSES)
    later = draw(st.sampled_from([False, False, True]))
    if not later:
        cluster.add(*classes)
    for _ in range(draw(st.integers(2 if scores else 1, 3))):
        _add_node(draw, cluster, scores)
    if draw(st.sampled_from([True, False, False])):
        cluster.add(_made_before(draw(st.booleans()), draw(_OWNERS)))
    for number, value in enumerate(draw(st.lists(_consumers(), min_size=2, max_size=4))):
        cluster.add_pod(with_metadata(value, uid=_OWN) if number == 0 else value)
        cluster.schedule(1)
        release_all(cluster)
    if later:
        cluster.add(*classes)
        cluster.wait()
        cluster.schedule()
    for happening in draw(
        st.lists(
            st.sampled_from(["renamed", "deleted", "new", "node", "pod", "freed", "again"]),
            min_size=1,
            max_size=3,
        )
    ):
        _happen(draw, cluster, happening, classes, scores)
        cluster.wait()
        cluster.schedule()
        release_all(cluster)
    return cluster.history(config)


def histories() -> SearchStrategy[History]:
    return _served()
