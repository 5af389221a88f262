# SPDX-License-Identifier: Apache-2.0
"""What pods request and nodes have: whether it fits, to the last unit, and how full a node scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.history import DEFAULT_CONFIG, History
from conformance.strategies import totals
from conformance.strategies.objects import (
    CPU_AMOUNTS,
    combinations,
    container,
    default_profile,
    node,
    one_in,
    pod,
    profile_config,
    switched,
    with_spec,
    with_status,
)
from conformance.strategies.scenes import pod_changes, scenes

Json = dict[str, Any]

_MEMORY = ("", "", "512Mi", "1Gi", "536870913", "1073741825", "1", "100m", "1G", "256e6")
_GPU = "example.com/gpu"
_FPGA = "example.com/fpga"
_HUGE = "hugepages-2Mi"
_STORAGE = "ephemeral-storage"

# --- Nodes ----------------------------------------------------------------------------------------


def _amounts(**amounts: str) -> Json:
    """By what Python lets a resource be called; "" is none."""
    names = {"gpu": _GPU, "fpga": _FPGA, "huge": _HUGE, "storage": _STORAGE}
    return {names.get(name, name): amount for name, amount in amounts.items() if amount}


_NODES = combinations(
    lambda cpu, memory, pods, gpu, huge, storage: node(
        "", _amounts(cpu=cpu, memory=memory, pods=pods, gpu=gpu, huge=huge, storage=storage)
    ),
    ("2", "2", "4", "1", "1001m", "1500m", "3"),
    ("4Gi", "4Gi", "2Gi", "1Gi", "1073741825", "1500M", ""),
    ("9", "9", "9", "1", "2"),
    ("", "1", "3"),
    ("", "4Mi"),
    ("", "1Gi"),
)

# --- Pods -----------------------------------------------------------------------------------------

_PLAIN = combinations(lambda cpu, memory: _amounts(cpu=cpu, memory=memory), CPU_AMOUNTS, _MEMORY)
_RARE = combinations(
    lambda gpu, fpga, huge, storage: _amounts(gpu=gpu, fpga=fpga, huge=huge, storage=storage),
    ("", "1", "2"),
    ("", "1"),
    ("", "2Mi", "4Mi"),
    ("", "512Mi", "1073741825"),
)
_NEVER_OVERCOMMITTED = (_GPU, _FPGA, _HUGE)
"""A container is limited to as much of these as it requests (validation.go, ValidateResourceRequirements)."""


def _container(name: str, requests: Json, rare: Json, **more: Any) -> Json:
    """Huge pages ask for cpu or memory beside them."""
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
    one_in(3, _RARE, {}),
)
_LIMITED = st.builds(
    lambda limits: pod(
        "", containers=[{**container("c"), "resources": {"limits": limits}}] if limits else None
    ),
    _PLAIN,
)


def _with_overhead(value: Json, cpu: str) -> Json:
    """Overhead comes from a RuntimeClass."""
    return with_spec(value, overhead={"cpu": cpu}, runtimeClassName="r") if cpu else value


def _several(first: Json, second: Json, starting: list[tuple[str, Json]], overhead: str) -> Json:
    """Two containers, and init containers of which some go on as sidecars."""
    made = pod(
        "",
        containers=[_container("c", first, {}), _container("d", second, {})],
        initContainers=[
            container(f"i{number}", requests, **({"restartPolicy": policy} if policy else {}))
            for number, (policy, requests) in enumerate(starting)
        ],
    )
    return _with_overhead(made, overhead)


_SEVERAL = st.builds(
    _several,
    _PLAIN,
    _PLAIN,
    st.lists(st.tuples(st.sampled_from(["", "Always"]), _PLAIN), max_size=3),
    st.sampled_from(["", "250m", "1m"]),
)


def _whole(own_cpu: str, own_memory: str, cpu: str, limited: bool, overhead: str) -> Json:
    """A pod with resources of its own, which are at least those of its container."""
    resources = {"limits" if limited else "requests": _amounts(cpu=own_cpu, memory=own_memory)}
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
    ("", "500m", "1m"),
    (False, True),
    ("", "250m"),
)

# --- Resizes --------------------------------------------------------------------------------------


def _resized(requests: Json, granted: Json, used: Json, problem: str) -> Callable[[Json], Json]:
    """What the first container asks for now, and what the kubelet says of it."""

    def resize(value: Json) -> Json:
        first, *others = value["spec"]["containers"]
        resources = {"requests": {**first.get("resources", {}).get("requests", {}), **requests}}
        if "limits" in first.get("resources", {}):
            resources["limits"] = first["resources"]["limits"]
        resized = with_spec(value, containers=[{**first, "resources": resources}, *others])
        told = {"name": first["name"], "allocatedResources": granted, "resources": {"requests": used}}
        conditions = [{"type": "PodResizePending", "status": "True", "reason": problem}] if problem else []
        return with_status(resized, containerStatuses=[told], conditions=conditions)

    return resize


_CPU_OR_NONE = combinations(lambda amount: _amounts(cpu=amount), CPU_AMOUNTS)
_RESIZES = pod_changes(
    lambda drawn: _resized(*drawn),
    st.tuples(_CPU_OR_NONE, _CPU_OR_NONE, _CPU_OR_NONE, st.sampled_from(["", "Infeasible", "Deferred"])),
)

# --- Configurations -------------------------------------------------------------------------------

_RESOURCES = st.sampled_from(
    [
        [{"name": "cpu", "weight": 1}],
        [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}],
        [{"name": "memory", "weight": 1}, {"name": _GPU, "weight": 5}],
        [{"name": "cpu"}, {"name": _GPU, "weight": 2}, {"name": _STORAGE, "weight": 100}],
        [{"name": "cpu"}, {"name": "memory"}, {"name": _GPU}],
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
    st.sampled_from([{}, {"ignoredResources": [_FPGA]}, {"ignoredResourceGroups": ["example.com"]}]),
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


def histories() -> SearchStrategy[History]:
    anything = scenes(
        _NODES,
        st.one_of(_SIMPLE, _SIMPLE, _LIMITED, _SEVERAL, _WHOLE),
        _RESIZES,
        config=_CONFIGS,
        gates=switched("PodLevelResources", "InPlacePodVerticalScaling"),
    )
    return st.one_of(anything, anything, totals.histories())
