# SPDX-License-Identifier: Apache-2.0
"""Offers: which nodes reach a slice, which of its devices go together, and how many of them a claim may hold.

There are so few of these histories that all of them are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import Factory, frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies.device_objects import (
    DRIVER,
    EVERYWHERE,
    Asked,
    all_there_are,
    claim_user,
    device_class,
    exactly,
    request,
    resource_claim,
    resource_slice,
)
from conformance.strategies.objects import ZONE, node
from conformance.strategies.scenes import Scene
from refsched.suite.histories.history import History

Json = dict[str, Any]


@frozen
class Case:
    """One slice, nodes with these labels, and a pod with these claims."""

    devices: Sequence[Json]
    claims: Sequence[Json]
    where: Json = Factory(lambda: EVERYWHERE)
    nodes: Sequence[Json] = ({},)

    def history(self) -> History:
        scene = Scene()
        scene.add(device_class("any"), resource_slice("s1", self.devices, self.where))
        for labels in self.nodes:
            scene.add_node(node("", labels=labels))
        names = [f"c{number}" for number in range(len(self.claims))]
        scene.add(*map(resource_claim, names, self.claims))
        scene.add_pod(claim_user(*names))
        scene.schedule()
        return scene.history()


def _claim(*requests: Asked, **more: Any) -> Json:
    return {"requests": [request(f"r{place}", asked) for place, asked in enumerate(requests)], **more}


# --- Who reaches it -------------------------------------------------------------------------------


def _condition(operator: str, *values: str, key: str = ZONE) -> Json:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _selecting(*expressions: Json, **more: Json) -> Json:
    term = {
        **({"matchExpressions": list(expressions)} if expressions else {}),
        **{name: [each] for name, each in more.items()},
    }
    return {"nodeSelector": {"nodeSelectorTerms": [term]}}


_SECOND = _condition("In", "n2", key="metadata.name")
_WHERE: tuple[Json, ...] = (
    EVERYWHERE,
    {"nodeName": "n2"},
    {"nodeName": "n9"},
    *(_selecting(_condition("In", *values)) for values in (("a",), ("b", "a"), ("c",))),
    _selecting(_condition("NotIn", "a")),
    _selecting(_condition("Exists")),
    _selecting(_condition("DoesNotExist")),
    _selecting(_condition("In", "a"), _condition("Exists", key="rack")),
    _selecting(matchFields=_SECOND),
    _selecting(_condition("In", "a"), matchFields=_SECOND),
)
_NODES: tuple[Json, ...] = ({ZONE: "a"}, {ZONE: "b"}, {}, {ZONE: "a", "rack": "1"})


def _reached() -> Iterator[Case]:
    for where in _WHERE:
        yield Case([{"name": "d0"}], [_claim([exactly(1)])], where, _NODES)


# --- What goes together ---------------------------------------------------------------------------

_NAMED = f"{DRIVER}/numa"
_ONE: Json = {"numa": {"int": 1}}
_SAME = [{"matchAttribute": _NAMED}]


def _devices(*attributes: Json) -> list[Json]:
    return [{"name": f"d{place}", "attributes": each} for place, each in enumerate(attributes)]


def _tied() -> Iterator[Case]:
    """Two devices are wanted, or one by each of two requests, and perhaps two by a second claim."""
    two, each = _claim([exactly(2)], constraints=_SAME), _claim([exactly(1)], [exactly(1)], constraints=_SAME)
    offers: tuple[tuple[Json, ...], ...] = (
        ({}, _ONE, _ONE),
        (_ONE, {}, _ONE),
        (_ONE, {}, {"numa": {"int": 2}}),
        (_ONE, {"numa": {"int": 2}}, _ONE),
        (_ONE, {"numa": {"string": "1"}}),
        ({"numa": {"bool": True}}, _ONE),
        ({"numa": {"version": "1.0.0"}}, {"numa": {"version": "1.0.0"}}),
        ({"numa": {"version": "1.0.0"}}, {"numa": {"string": "1.0.0"}}),
        ({_NAMED: {"int": 1}}, _ONE),
        ({"other.com/numa": {"int": 1}}, _ONE),
        ({"model": {"int": 1}}, {"model": {"int": 1}}),
        ({"numa": {"bool": False}}, {"numa": {"bool": False}}),
    )
    for offered in offers:
        yield Case(_devices(*offered), [two])
    yield Case(_devices(_ONE, {"numa": {"int": 2}}, _ONE), [each])
    apart = [{"matchAttribute": _NAMED, "requests": ["r0"]}]
    yield Case(_devices(_ONE, {"numa": {"int": 2}}), [_claim([exactly(1)], [exactly(1)], constraints=apart)])
    yield Case(_devices(_ONE, {}, _ONE), [_claim([exactly(1)]), two])
    qualified = [{"matchAttribute": "other.com/numa"}]
    for offered in (({"other.com/numa": {"int": 1}},) * 2, (_ONE, _ONE), ({_NAMED: {"int": 1}},) * 2):
        yield Case(_devices(*offered), [_claim([exactly(2)], constraints=qualified)])
    both = [*_SAME, {"matchAttribute": f"{DRIVER}/model"}]
    for models in ((1, 1, 1), (1, 2, 1), (1, 2, 2)):
        yield Case(
            _devices(*({**_ONE, "model": {"int": model}} for model in models)),
            [_claim([exactly(2)], constraints=both)],
        )


# --- How many -------------------------------------------------------------------------------------

_ALL = all_there_are()
_ALL_OF_FEW = all_there_are(f"device.attributes['{DRIVER}'].is_one_of_few")
"""There are two of them."""

_SIZES: tuple[tuple[int, tuple[Json, ...]], ...] = (
    (33, (_claim([exactly(32)]),)),
    (33, (_claim([exactly(33)]),)),
    (32, (_claim([exactly(33)]),)),
    (32, (_claim([_ALL]),)),
    (33, (_claim([_ALL]),)),
    (33, (_claim([exactly(16)], [exactly(16)]),)),
    (33, (_claim([exactly(16)], [exactly(17)]),)),
    (33, (_claim([exactly(30)], [_ALL_OF_FEW]),)),
    (33, (_claim([exactly(31)], [_ALL_OF_FEW]),)),
    (33, (_claim([exactly(31)], [_ALL_OF_FEW, exactly(1)]),)),
    (33, (_claim([exactly(30)], [_ALL_OF_FEW, exactly(1)]),)),
    (32, (_claim([_ALL, exactly(1)]),)),
    (33, (_claim([_ALL, exactly(1)]),)),
    (33, (_claim([exactly(33), exactly(2)]),)),
    (33, (_claim([exactly(17), exactly(16)], [exactly(16)]),)),
    (33, (_claim([exactly(16)], [exactly(17), exactly(16)]),)),
    (33, (_claim([exactly(17), exactly(16)], [exactly(17), exactly(16)]),)),
    (33, (_claim([exactly(33), _ALL]),)),
    (33, (_claim([_ALL, exactly(33), _ALL_OF_FEW]),)),
    (33, (_claim([exactly(1)]), _claim([_ALL, exactly(33), _ALL_OF_FEW]))),
    (33, (_claim([exactly(31)]), _claim([exactly(2)]))),
    (33, (_claim([exactly(1)]), _claim([exactly(33)]))),
    (65, (_claim([exactly(32)]), _claim([exactly(32)]))),
)
"""How many devices there are, and the claims of a pod. None of them leads to a search through all orders of many
devices."""


def _sized() -> Iterator[Case]:
    for size, claims in _SIZES:
        few = ({"is_one_of_few": {"bool": number >= size - 2}} for number in range(size))
        yield Case(_devices(*few), claims)


_HISTORIES = [case.history() for cases in (_reached(), _tied(), _sized()) for case in cases]


def histories() -> SearchStrategy[History]:
    return st.sampled_from(_HISTORIES)
