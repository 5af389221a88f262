# SPDX-License-Identifier: Apache-2.0
"""CSI drivers: the capacity that they report, by which nodes score, and drivers that must be on a node.

Pods have claims of one class or two that would be provisioned, or bound to volumes that exist. Nodes differ in how
much storage is left there, and in the drivers that are installed.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.storage import with_uids
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    HOSTNAME,
    default_profile,
    node,
    pod,
    profile_config,
)
from conformance.vocabulary.storage import (
    DRIVER,
    STORAGE,
    TRACKING,
    a_claim,
    a_volume,
    reaching,
    storage_class,
    storage_object,
    using,
)
from refsched.suite.histories.history import History

Json = dict[str, Any]

_CLASSES = {"one": DRIVER, "two": TRACKING}
_SHAPE = [{"utilization": 0, "score": 1}, {"utilization": 50, "score": 10}, {"utilization": 100, "score": 0}]
_CONFIGS = st.sampled_from(
    [None, None, profile_config(default_profile(("VolumeBinding", {"shape": _SHAPE})))]
)


def _driver(name: str, *, is_tracked: bool, must_be_there: bool) -> Json:
    spec = {"storageCapacity": is_tracked, "preventPodSchedulingIfMissing": must_be_there}
    return storage_object(
        STORAGE, "CSIDriver", name, spec={key: True for key, is_set in spec.items() if is_set}
    )


def _capacity(of_class: str, on: str, amount: str, largest: str = "90Gi") -> Json:
    return storage_object(
        STORAGE,
        "CSIStorageCapacity",
        f"{of_class}-{on}-{largest.lower()}",
        "default",
        storageClassName=of_class,
        nodeTopology={"matchLabels": {HOSTNAME: on}},
        capacity=amount,
        maximumVolumeSize=largest,
    )


_SIZES = ["1Gi", "2Gi", "3Gi", "1536Mi"]
"""What a claim may ask for."""


@st.composite
def _drivers(draw: DrawFn) -> History:
    """In some histories another capacity of class ``one`` is for small claims: the order of a map decides by which
    of the two such a claim is scored."""
    cluster = HistoryBuilder(hosts=True)
    of_small_claims = draw(st.sampled_from([False, True, False]))
    missing = draw(st.sampled_from([False, False, True]))
    for of_class, driver in _CLASSES.items():
        must_be_there = missing and draw(st.booleans())
        is_tracked = draw(st.sampled_from([True, True, True, False]))
        cluster.add(storage_class(of_class, driver))
        cluster.add(_driver(driver, is_tracked=is_tracked, must_be_there=must_be_there))
    for number in range(1, draw(st.integers(2, 3)) + 1):
        name = f"n{number}"
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
        for of_class in _CLASSES:
            amount = draw(st.sampled_from(["10Gi", "3Gi", "7Gi", "100Gi", "4Gi", "0"]))
            small = [_capacity(of_class, name, draw(st.sampled_from(["2Gi", "50Gi"])), "1Gi")]
            usual = _capacity(of_class, name, amount)
            cluster.add(*(small if of_small_claims and of_class == "one" else []), usual)
        listed = draw(st.sampled_from([[DRIVER, TRACKING], [DRIVER, TRACKING], [DRIVER], []]))
        if not missing or draw(st.booleans()):
            drivers = [{"name": each, "nodeID": name} for each in (listed if missing else _CLASSES.values())]
            cluster.add(storage_object(STORAGE, "CSINode", name, spec={"drivers": drivers}))
    count = 0
    for _ in range(draw(st.integers(1, 3))):
        claims: list[str] = []
        for _ in range(draw(st.integers(1, 3))):
            count += 1
            name = f"c{count}"
            of_class = draw(st.sampled_from(["one", "two", "one"]))
            amount = draw(st.sampled_from(_SIZES))
            asked = {"resources": {"requests": {"storage": amount}}, "storageClassName": of_class}
            cluster.add(a_claim(name, spec=asked))
            if draw(st.sampled_from([True, False, False])):
                size = draw(st.sampled_from(["3Gi", "5Gi", "8Gi"]))
                on = draw(st.sampled_from(["n1", "n2"]))
                here = {"key": HOSTNAME, "operator": "In", "values": [on]}
                found = {"capacity": {"storage": size}, "storageClassName": of_class, **reaching(here)}
                csi = {"driver": _CLASSES[of_class], "volumeHandle": f"v{count}"}
                cluster.add(a_volume(f"v{count}", spec={**found, "csi": csi}))
            claims.append(name)
        cluster.add_pod(pod("", {"cpu": "1"}, volumes=using(*claims)))
        cluster.schedule(1)
    return with_uids(cluster.history(draw(_CONFIGS)))


def histories() -> SearchStrategy[History]:
    return _drivers()
