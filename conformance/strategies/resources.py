# SPDX-License-Identifier: Apache-2.0
"""What pods request and nodes have: whether it fits, to the last unit, and how full a node scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.strategies import exact_fit, resizes, totals
from conformance.strategies.changes import nodes_created, pods_removed, with_few_changes
from conformance.strategies.drawn import CPU_AMOUNTS, any_of, combinations, sometimes, switched
from conformance.strategies.requeueing import node_changes, pod_updates, requeueing
from conformance.vocabulary.objects import (
    container,
    default_profile,
    node,
    pod,
    profile_config,
    resized,
    with_spec,
    with_status,
)
from refsched.suite.histories.history import DEFAULT_CONFIG, History

Json = dict[str, Any]

_CPU = (*CPU_AMOUNTS, "0", "999100u")
_MEMORY = ("", "", "512Mi", "1Gi", "536870913", "1073741825", "1", "100m", "1G", "256e6", "0")
_GPU = "example.com/gpu"
_FPGA = "example.com/fpga"
_HUGE = "hugepages-2Mi"
_STORAGE = "ephemeral-storage"

# --- Nodes ----------------------------------------------------------------------------------------


def _amounts(**amounts: str) -> Json:
    """Returns amounts by the names of their resources, which Python does not allow as arguments; "" is none."""
    names = {"gpu": _GPU, "fpga": _FPGA, "huge": _HUGE, "storage": _STORAGE}
    return {names.get(name, name): amount for name, amount in amounts.items() if amount}


def _node(capacity: Json, **allocatable: str) -> Json:
    """Returns a node whose capacity is more than its allocatable resources, and does not count."""
    value = node("", _amounts(**allocatable))
    return with_status(value, capacity=capacity) if capacity else value


_NODES = combinations(
    lambda cpu, memory, pods, gpu, huge, storage, capacity: _node(
        capacity, cpu=cpu, memory=memory, pods=pods, gpu=gpu, huge=huge, storage=storage
    ),
    ("2", "2", "4", "1", "1001m", "1500m", "3"),
    ("4Gi", "4Gi", "2Gi", "1Gi", "1073741825", "1500M", ""),
    ("9", "9", "9", "1", "2", ""),
    ("", "1", "3"),
    ("", "4Mi"),
    ("", "1Gi"),
    ({}, {}, {"cpu": "8", "memory": "16Gi", "pods": "20", _GPU: "4"}),
)

# --- Pods -----------------------------------------------------------------------------------------

_PLAIN = combinations(lambda cpu, memory: _amounts(cpu=cpu, memory=memory), _CPU, _MEMORY)
_RARE = combinations(
    lambda gpu, fpga, huge, storage: _amounts(gpu=gpu, fpga=fpga, huge=huge, storage=storage),
    ("", "1", "2", "0"),
    ("", "1"),
    ("", "2Mi", "4Mi"),
    ("", "512Mi", "1073741825"),
)
_NEVER_OVERCOMMITTED = (_GPU, _FPGA, _HUGE)
"""A container is limited to as much of these as it requests (validation.go, ValidateResourceRequirements)."""


def _container(name: str, requests: Json, rare: Json, **more: Any) -> Json:
    """Returns a container; one that requests huge pages requests cpu or memory too."""
    wanted = {**requests, **rare}
    if _HUGE in wanted and not requests:
        wanted["memory"] = "1"
    limits = {resource: wanted[resource] for resource in _NEVER_OVERCOMMITTED if resource in wanted}
    made = container(name, wanted, **more)
    if limits:
        made["resources"]["limits"] = limits
    return made


_SIMPLE = st.builds(
    lambda requests, rare: pod("", containers=[_container("c", requests, rare)]),
    _PLAIN,
    sometimes(_RARE, {}),
)


def _limited(limits: Json, requested: str) -> Json:
    """Returns a pod whose container is limited, and requests little of one of the resources, if any."""
    resources: Json = {"limits": limits}
    if limits.get(requested, "0") != "0":
        resources["requests"] = {requested: "1m" if requested == "cpu" else "1"}
    return pod("", containers=[{**container("c"), "resources": resources}] if limits else None)


_LIMITED = st.builds(_limited, _PLAIN, st.sampled_from(["", "cpu", "memory"]))


_OVERHEADS: tuple[Json, ...] = ({}, {}, {"cpu": "250m"}, {"memory": "1Gi"}, {"cpu": "1m", _GPU: "1"})
"""Some are of resources that the pod does not request, or no node has."""


def _with_overhead(value: Json, overhead: Json) -> Json:
    """Returns the pod with an overhead, which comes from a RuntimeClass."""
    return with_spec(value, overhead=overhead, runtimeClassName="r") if overhead else value


def _containers(first: Json, second: Json, starting: list[tuple[str, Json, Json]], overhead: Json) -> Json:
    """Draws two containers, and init containers of which some go on as sidecars."""
    made = pod(
        "",
        containers=[_container("c", first, {}), _container("d", second, {})],
        initContainers=[
            _container(f"i{number}", requests, rare, **({"restartPolicy": policy} if policy else {}))
            for number, (policy, requests, rare) in enumerate(starting)
        ],
    )
    return _with_overhead(made, overhead)


_CONTAINERS = st.builds(
    _containers,
    _PLAIN,
    _PLAIN,
    st.lists(st.tuples(st.sampled_from(["", "Always"]), _PLAIN, sometimes(_RARE, {})), max_size=3),
    st.sampled_from(_OVERHEADS),
)


def _whole(own_cpu: str, own_memory: str, own_huge: str, cpu: str, limited: bool, overhead: Json) -> Json:
    """Draws a pod with resources of its own, which are at least those of its container. Huge pages it is limited
    to."""
    resources = {"limits" if limited else "requests": _amounts(cpu=own_cpu, memory=own_memory)}
    if own_huge:
        for kind in ("requests", "limits"):
            resources.setdefault(kind, {})[_HUGE] = own_huge
    made = pod(
        "",
        _amounts(cpu=cpu),
        resources=resources,
    )
    return _with_overhead(made, overhead)


_WHOLE = combinations(
    _whole,
    ("1", "501m", "1001m", "500m"),
    ("", "1Gi", "1073741825"),
    ("", "", "2Mi", "6Mi"),
    ("", "500m", "1m"),
    (False, True),
    _OVERHEADS[1:],
)

# --- Configurations -------------------------------------------------------------------------------

_RESOURCES = st.sampled_from(
    [
        [{"name": "cpu", "weight": 1}],
        [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}],
        [{"name": "memory", "weight": 1}, {"name": _GPU, "weight": 5}],
        [{"name": "cpu"}, {"name": _GPU, "weight": 2}, {"name": _STORAGE, "weight": 100}],
        [{"name": "cpu"}, {"name": "memory"}, {"name": _GPU}],
        [{"name": "cpu"}, {"name": "memory"}, {"name": _STORAGE}],
    ]
)
_SHAPES = st.lists(st.integers(0, 10), min_size=1, max_size=3).map(
    lambda scores: [
        {"utilization": utilization, "score": score}
        for utilization, score in zip((0, 40, 100), scores, strict=False)
    ]
)


def _strategy(kind: str, resources: list[Json], shape: list[Json]) -> Json:
    strategy: Json = {"type": kind, "resources": resources}
    if kind == "RequestedToCapacityRatio":
        strategy["requestedToCapacityRatio"] = {"shape": shape}
    return strategy


_FIT_ARGS = st.builds(
    lambda ignored, strategy: {**ignored, "scoringStrategy": strategy},
    st.sampled_from(
        [
            {},
            {"ignoredResources": [_FPGA, _GPU]},
            {"ignoredResources": [_GPU]},
            {"ignoredResourceGroups": ["another.org", "example.com"]},
            {"ignoredResourceGroups": ["example"], "ignoredResources": ["cpu", _HUGE]},
        ]
    ),
    st.builds(
        _strategy,
        st.sampled_from(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]),
        _RESOURCES,
        _SHAPES,
    ),
)
_CONFIGS = st.one_of(
    st.just(DEFAULT_CONFIG),
    _FIT_ARGS.map(lambda args: profile_config(default_profile(("NodeResourcesFit", args)))),
    st.builds(
        lambda args, resources: profile_config(
            default_profile(
                ("NodeResourcesFit", args),
                (
                    "NodeResourcesBalancedAllocation",
                    {"resources": [{"name": each["name"], "weight": 1} for each in resources]},
                ),
            )
        ),
        _FIT_ARGS,
        _RESOURCES,
    ),
)


# --- What requeues a rejected pod ---------------------------------------------------------------------

_TIGHT = combinations(
    lambda pods, gpu, storage: node("", _amounts(cpu="2", memory="2Gi", pods=pods, gpu=gpu, storage=storage)),
    ("9", "2", "2"),
    ("1", ""),
    ("", "1Gi"),
)
_ASKING = st.sampled_from(
    [
        pod("", containers=[_container("c", requests, rare)])
        for requests, rare in (
            ({"cpu": "3"}, {}),
            ({"cpu": "1500m"}, {}),
            ({"cpu": "500m", "memory": "1800Mi"}, {}),
            ({"cpu": "1"}, {_GPU: "1"}),
            ({}, {_GPU: "2"}),
            ({"cpu": "100m"}, {_STORAGE: "2Gi"}),
            ({}, {}),
            ({"cpu": "100m"}, {}),
        )
    ]
)
_INHABITANTS = combinations(
    lambda cpu, memory, gpu: pod(
        "", containers=[_container("c", _amounts(cpu=cpu, memory=memory), _amounts(gpu=gpu))]
    ),
    ("1", "1500m"),
    ("", "512Mi"),
    ("", "", "1"),
)


def _one_changed(change: tuple[str, str]) -> Callable[[Json], Json]:
    """Returns what changes how much of one resource the node gives."""

    def changed(value: Json) -> Json:
        resource, amount = change
        return with_status(value, allocatable={**value["status"]["allocatable"], resource: amount})

    return changed


_ALLOCATABLE = st.sampled_from(
    [
        *(("pods", pods) for pods in ("9", "4", "1")),
        *(("cpu", "4"), ("memory", "4Gi"), (_GPU, "2"), (_STORAGE, "3Gi"), ("cpu", "1"), (_FPGA, "1")),
    ]
)
_CROWDED = node("", _amounts(cpu="2", memory="2Gi", pods="1"))
_SMALL = (pod("", {"cpu": "100m"}), pod(""), pod("", {"cpu": "1500m"}))
_ROOM_FOR = st.sampled_from(["2", "3", "1", "9"]).map(lambda pods: ("pods", pods))
_ONE_RESOURCE = st.sampled_from([("cpu", "4"), ("memory", "4Gi"), ("pods", "1"), ("cpu", "1")])
_SCALED = pod_updates(
    lambda cpu: resized(_amounts(cpu=cpu), {}, {}, ""), st.sampled_from(["1m", "250m", "1", "2"])
)


def requeued() -> SearchStrategy[History]:
    grown = node_changes(_one_changed, _ALLOCATABLE)
    of_anything = requeueing(
        st.lists(_TIGHT, min_size=1, max_size=2),
        *(_ASKING, _INHABITANTS, grown, grown, grown, grown, _SCALED, _SCALED),
        *(pods_removed(), nodes_created(_TIGHT)),
        gates=switched("InPlacePodVerticalScaling"),
    )
    of_pods = requeueing(
        st.just([_CROWDED]),
        *(st.sampled_from(_SMALL), st.sampled_from(_SMALL)),
        *(node_changes(_one_changed, _ONE_RESOURCE), node_changes(_one_changed, _ROOM_FOR)),
    )
    return any_of(of_anything, of_anything, of_pods)


def histories() -> SearchStrategy[History]:
    anything = with_few_changes(
        _NODES,
        st.one_of(_SIMPLE, _LIMITED, _CONTAINERS, _WHOLE),
        resizes.RESIZES,
        config=_CONFIGS,
        gates=switched("PodLevelResources", "InPlacePodVerticalScaling"),
    )
    scored = totals.histories()
    return st.one_of(anything, scored, exact_fit.histories(), resizes.histories())
