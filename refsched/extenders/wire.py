# SPDX-License-Identifier: Apache-2.0
"""Wire: the requests to an extender and its answers, as JSON.

Objects are sent as far as scheduling reads them. Answers are read as Go reads them: the case of a member's
name does not matter, an unknown member is ignored, and null is the same as no member.
Source: staging kube-scheduler/extender/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from refsched.errors import InputError
from refsched.objects.meta import ApiObject
from refsched.objects.node import Node
from refsched.objects.pod import Pod
from refsched.objects.reading import read_as
from refsched.objects.writing import as_json
from refsched.preemption.candidate import Candidate

Json = dict[str, Any]


# --- Requests -------------------------------------------------------------------------------------


def extender_args(pod: Pod, nodes: Sequence[Node], *, by_name: bool) -> Json:
    """Returns ExtenderArgs, with the nodes' names alone or the whole nodes."""
    if by_name:
        return {"Pod": _object(pod), "Nodes": None, "NodeNames": [node.name for node in nodes]}
    items = [_object(node) for node in nodes]
    return {"Pod": _object(pod), "Nodes": {"metadata": {}, "items": items}, "NodeNames": None}


def preemption_args(pod: Pod, candidates: Mapping[str, Candidate], *, by_uid: bool) -> Json:
    """Returns ExtenderPreemptionArgs, with the victims' uids alone or the whole victims."""
    victims = {
        node: {
            "Pods": [{"UID": v.pod.uid} if by_uid else _object(v.pod) for v in candidate.victims],
            "NumPDBViolations": candidate.num_pdb_violations,
        }
        for node, candidate in candidates.items()
    }
    whole, meta = (None, victims) if by_uid else (victims, None)
    return {"Pod": _object(pod), "NodeNameToVictims": whole, "NodeNameToMetaVictims": meta}


def binding_args(pod: Pod, node: str) -> Json:
    """Returns ExtenderBindingArgs."""
    return {"PodName": pod.name, "PodNamespace": pod.namespace, "PodUID": pod.uid, "Node": node}


def _object(shown: ApiObject) -> Json:
    """Returns the object as Go encodes one that it decoded into its own type: without the type, and with
    every part."""
    written = as_json(shown)
    return {
        "metadata": written["metadata"],
        "spec": written.get("spec", {}),
        "status": written.get("status", {}),
    }


# --- Answers --------------------------------------------------------------------------------------


@frozen
class FilterResult:
    """``nodes`` and ``node_names`` are None if the answer has none."""

    nodes: tuple[Node, ...] | None
    node_names: tuple[str, ...] | None
    failed_nodes: Mapping[str, str]
    failed_and_unresolvable_nodes: Mapping[str, str]
    error: str


@frozen
class MetaVictims:
    """MetaVictims name victims by uid."""

    pods: tuple[str, ...]
    num_pdb_violations: int


def read_filter_result(answer: object) -> FilterResult:
    """Reads an ExtenderFilterResult. Raises InputError if the answer is none."""
    members = _members(answer)
    nodes, names = members.get("nodes"), members.get("nodenames")
    return FilterResult(
        None if nodes is None else read_as(tuple[Node, ...], _members(nodes).get("items", ())),
        None if names is None else read_as(tuple[str, ...], names),
        read_as(dict[str, str], members.get("failednodes", {})),
        read_as(dict[str, str], members.get("failedandunresolvablenodes", {})),
        _error(members),
    )


def read_host_priorities(answer: object) -> list[tuple[str, int]]:
    """Reads a HostPriorityList: hosts and their scores, each as often as it is named."""
    hosts = [_members(host) for host in _list(answer)]
    return [(read_as(str, host.get("host", "")), read_as(int, host.get("score", 0))) for host in hosts]


def read_preemption_result(answer: object) -> dict[str, MetaVictims]:
    """Reads an ExtenderPreemptionResult, by node."""
    by_node = read_as(dict[str, Any], _members(answer).get("nodenametometavictims", {}))
    return {node: _meta_victims(_members(victims)) for node, victims in by_node.items()}


def read_binding_result(answer: object) -> str:
    """Reads an ExtenderBindingResult, and returns why the pod was not bound, or ``""``."""
    return _error(_members(answer))


def _meta_victims(members: Json) -> MetaVictims:
    pods = [_members(pod) for pod in _list(members.get("pods"))]
    violations = read_as(int, members.get("numpdbviolations", 0))
    return MetaVictims(tuple(read_as(str, pod.get("uid", "")) for pod in pods), violations)


def _error(members: Json) -> str:
    return read_as(str, members.get("error", ""))


def _members(value: object) -> Json:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"expected an object, found {value!r:.60}")
    return {str(name).lower(): member for name, member in value.items() if member is not None}


def _list(value: object) -> Sequence[Any]:
    return () if value is None else read_as(tuple[Any, ...], value)
