# SPDX-License-Identifier: Apache-2.0
"""Objects as an API server stores them: what it would refuse of a drawn object is put right.

Ways of drawing combine values freely: they exchange, repeat and vary them. What comes of that is now and then no
object that an API server stores, such as a claim that is ReadWriteOncePod and something else, or a pod with two
equal host ports. What a scheduler does with it says nothing of whether it is right, so the object is changed as
far as is needed. ``python -m conformance.campaigns.stored`` asks an API server whether it still refuses anything.

Source: pkg/apis/core/validation/validation.go, pkg/apis/storage/validation/validation.go,
pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from hypothesis.strategies import SearchStrategy

from conformance.vocabulary.devices import names_of_requests
from conformance.vocabulary.objects import PREFERRED, REQUIRED
from conformance.vocabulary.places import with_each_object
from refsched.objects.pod import Pod
from refsched.objects.quantity import parse_quantity
from refsched.objects.reading import read_as
from refsched.objects.resources import ATTACHABLE_VOLUMES_PREFIX, HUGE_PAGES_PREFIX, pod_requests
from refsched.plugins.pod_topology_spread_constraints import DO_NOT_SCHEDULE
from refsched.suite.histories.history import History

Json = dict[str, Any]

REACHES = ("nodeName", "nodeSelector", "allNodes")
"""One of these members says which nodes a device reaches."""


def as_stored(histories: SearchStrategy[History]) -> SearchStrategy[History]:
    """Draws these histories, with objects that an API server stores."""
    return histories.map(lambda history: with_each_object(history, stored))


def stored(value: Json) -> Json:
    """Returns the object as an API server would store it, which is the same one unless it would be refused."""
    put_right = _BY_KIND.get(value["kind"])
    if put_right is None:
        return value
    found = deepcopy(value)
    put_right(found.get("spec", found))
    return found


# --- Pods -----------------------------------------------------------------------------------------


def _of_a_pod(spec: Json) -> None:
    if spec.get("nodeName"):
        spec.pop("schedulingGates", None)
    for toleration in spec.get("tolerations") or ():
        if toleration.get("effect") != "NoExecute":
            toleration.pop("tolerationSeconds", None)
    for selecting in (*(spec.get("topologySpreadConstraints") or ()), *_terms(spec.get("affinity") or {})):
        if selecting.get("labelSelector") is None:
            selecting.pop("matchLabelKeys", None)
            selecting.pop("mismatchLabelKeys", None)
    for constraint in spec.get("topologySpreadConstraints") or ():
        if constraint.get("whenUnsatisfiable") != DO_NOT_SCHEDULE:
            constraint.pop("minDomains", None)
    _keep_first(spec, "volumes", lambda volume: volume["name"])
    _keep_first(spec, "resourceClaims", lambda claim: claim["name"])
    for volume in spec.get("volumes") or ():
        _of_a_source(volume)
    volumes = {volume["name"] for volume in spec.get("volumes") or ()}
    names = {container["name"] for container in spec.get("containers") or ()}
    _keep_first(spec, "containers", lambda container: container["name"])
    _keep_first(spec, "initContainers", lambda container: container["name"])
    _keep(spec, "initContainers", lambda container: container["name"] not in names)
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        _of_a_container(container.get("resources") or {})
        if "restartPolicy" not in container:
            container.pop("restartPolicyRules", None)
        _keep(container, "volumeMounts", lambda mount: mount["name"] in volumes)
        _keep_first(container, "volumeMounts", lambda mount: mount["mountPath"])
    _of_host_ports(spec)
    if spec.get("resources"):
        _of_pod_level(spec)
        _of_limits(spec["resources"])


def _terms(affinity: Json) -> Iterator[Json]:
    """Yields the terms of affinity and anti-affinity to pods."""
    for kind in ("podAffinity", "podAntiAffinity"):
        of_kind = affinity.get(kind) or {}
        yield from of_kind.get(REQUIRED) or ()
        for preferred in of_kind.get(PREFERRED) or ():
            yield preferred["podAffinityTerm"]


def _of_a_container(resources: Json) -> None:
    """No container requests huge pages alone, volumes that a node attaches, or storage as a claim does."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for amounts in (requests, limits):
        for name in [each for each in amounts if each.startswith((ATTACHABLE_VOLUMES_PREFIX, "storage"))]:
            del amounts[name]
    asked = {*requests, *limits}
    if any(name.startswith(HUGE_PAGES_PREFIX) for name in asked) and asked.isdisjoint(("cpu", "memory")):
        resources["requests"] = requests = {**requests, "cpu": "0"}
    _of_limits(resources)


def _of_limits(resources: Json) -> None:
    """No request is more than its limit, or less if the resource cannot be overcommitted."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for name in requests:
        is_fixed = "/" in name or name.startswith(HUGE_PAGES_PREFIX)
        if name in limits and (is_fixed or parse_quantity(requests[name]) > parse_quantity(limits[name])):
            limits[name] = requests[name]


def _of_pod_level(spec: Json) -> None:
    """A pod as a whole requests no less than its containers together, and has no limit below that."""
    containers = {
        name: [{**container, "resources": {"requests": _requested(container)}} for container in spec[name]]
        for name in ("containers", "initContainers")
        if name in spec
    }
    together = pod_requests(read_as(Pod, {"metadata": {"name": "p"}, "spec": containers}), use_status=False)
    for member in ("requests", "limits"):
        amounts = spec["resources"].get(member) or {}
        for name, least in together.items():
            if name in amounts and parse_quantity(amounts[name]) < least:
                amounts[name] = f"{least.milli_value}m"


def _requested(container: Json) -> Json:
    """Returns what a container requests: its limit of what it says no more about."""
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _of_host_ports(spec: Json) -> None:
    """In the host's network a port of a container is the host's, and no two ports are the same one of the host."""
    taken = set[Hashable]()

    def is_free(port: Json) -> bool:
        asked = port.get("protocol", "TCP"), port.get("hostIP", ""), port.get("hostPort", 0)
        is_new = not port.get("hostPort") or asked not in taken
        taken.add(asked)
        return is_new

    for container in spec.get("containers") or ():
        for port in container.get("ports") or () if spec.get("hostNetwork") else ():
            port["hostPort"] = port["containerPort"] = port.get("hostPort") or port.get("containerPort", 1)
        _keep(container, "ports", is_free)


# --- Volumes --------------------------------------------------------------------------------------


def _of_modes(spec: Json) -> None:
    if "ReadWriteOncePod" in (spec.get("accessModes") or ()):
        spec["accessModes"] = ["ReadWriteOncePod"]


def _of_a_persistent_volume(spec: Json) -> None:
    _of_modes(spec)
    _of_a_source(spec)


def _of_a_source(volume: Json) -> None:
    """Names of disks and drivers are spelled as those of their kind."""
    if disk := volume.get("azureDisk"):
        start = "/subscriptions/" if disk.get("kind") == "Managed" else "https://"
        disk["diskURI"] = start + disk["diskURI"].removeprefix("/subscriptions/").removeprefix("https://")
    if target := volume.get("iscsi"):
        target["iqn"] = f"iqn.2026-01.test:{target['iqn'].rpartition(':')[2]}"
    if source := volume.get("csi"):
        source["driver"] = source["driver"].replace("/", ".")


def _of_an_attachment(spec: Json) -> None:
    spec["attacher"] = spec["attacher"].replace("/", ".")


def _of_a_storage_class(value: Json) -> None:
    """Each term of the allowed topologies has conditions, each of another key, and no two terms are equal."""
    for term in value.get("allowedTopologies") or ():
        _keep(term, "matchLabelExpressions", lambda condition: condition.get("values"))
        _keep_first(term, "matchLabelExpressions", lambda condition: condition["key"])
    _keep(value, "allowedTopologies", lambda term: term.get("matchLabelExpressions"))
    _keep_first(value, "allowedTopologies", lambda term: json.dumps(term, sort_keys=True))


# --- Devices --------------------------------------------------------------------------------------


def _of_a_claim(spec: Json) -> None:
    """A request for all devices has no count, a constraint is of one attribute, and what names requests, and
    alternatives, names those that the claim has."""
    devices = spec.get("devices") or {}
    names = names_of_requests(devices.get("requests") or ())
    _keep(devices, "constraints", {"matchAttribute", "distinctAttribute"}.intersection)
    for constraint in devices.get("constraints") or ():
        if "matchAttribute" in constraint:
            constraint.pop("distinctAttribute", None)
    for request in devices.get("requests") or ():
        for asked in (request.get("exactly") or {}, *(request.get("firstAvailable") or ())):
            if asked.get("allocationMode") == "All":
                asked.pop("count", None)
    for member in ("constraints", "config"):
        _keep(devices, member, lambda each: not each.get("requests") or names.intersection(each["requests"]))
        for each in devices.get(member) or ():
            _keep(each, "requests", names.__contains__)


def _of_a_slice(spec: Json) -> None:
    _keep(spec, "sharedCounters", lambda counters: counters.get("counters"))
    _keep_first(spec, "sharedCounters", lambda counters: counters["name"])
    if selector := spec.get("nodeSelector"):
        selector["nodeSelectorTerms"] = selector["nodeSelectorTerms"][:1]
    _keep_first(spec, "devices", lambda device: device["name"])
    for device in spec.get("devices") or ():
        _keep(device, "consumesCounters", lambda consumed: consumed.get("counters"))
        _keep_first(device, "consumesCounters", lambda consumed: consumed["counterSet"])
        _of_a_reach(device, is_its_own=bool(spec.get("perDeviceNodeSelection")))
        attributes = device.get("attributes") or {}
        for name in [name for name, attribute in attributes.items() if not attribute]:
            del attributes[name]
        for capacity in (device.get("capacity") or {}).values():
            _of_a_policy(capacity, is_shared=bool(device.get("allowMultipleAllocations")))


def _of_a_reach(device: Json, *, is_its_own: bool) -> None:
    """A device says which nodes it reaches if, and only if, the slice leaves that to each device."""
    if not is_its_own:
        for reach in REACHES:
            device.pop(reach, None)
    elif not any(map(device.get, REACHES)):
        device["allNodes"] = True


def _of_a_policy(capacity: Json, *, is_shared: bool) -> None:
    """A policy is for devices that are shared, none of what it lets be requested is more than there is, and its
    default is one of these amounts."""
    policy = capacity.get("requestPolicy")
    if policy is None or not is_shared:
        capacity.pop("requestPolicy", None)
        return
    if values := policy.get("validValues"):
        policy["validValues"] = sorted(set(values), key=parse_quantity)
        policy.pop("validRange", None)
        if policy["default"] not in values:
            policy["default"] = policy["validValues"][0]
    allowed = policy.get("validRange") or {}
    least, most = allowed.get("min"), allowed.get("max")
    if least and parse_quantity(policy["default"]) < parse_quantity(least):
        policy["default"] = least
    if most and parse_quantity(policy["default"]) > parse_quantity(most):
        policy["default"] = most
    step = allowed.get("step")
    if step and least and not _is_reached(policy["default"], least, step, most, capacity["value"]):
        del allowed["step"]
    allowed_amounts = (policy["default"], most or policy["default"], *policy.get("validValues", ()))
    capacity["value"] = max((capacity["value"], *allowed_amounts), key=parse_quantity)


def _is_reached(default: str, least: str, step: str, most: str | None, value: str) -> bool:
    """Returns whether steps from the least amount lead to the default and to the most, and one of them to no more
    than there is."""
    first, one = parse_quantity(least), parse_quantity(step)
    ends = [parse_quantity(end) for end in (default, most) if end]
    return first + one <= parse_quantity(value) and not any(
        (end.nano - first.nano) % one.nano for end in ends
    )


# --- What selects pods, and nodes ---------------------------------------------------------------------


def _of_a_controller(spec: Json) -> None:
    """A controller selects pods by something."""
    if not spec.get("selector"):
        spec["selector"] = {"none": "none"}


def _of_a_set(spec: Json) -> None:
    """A set selects by something that a pod can have."""
    selector = spec.get("selector") or {}
    _keep(selector, "matchExpressions", lambda each: each["key"] not in selector.get("matchLabels", ()))
    _keep_first(selector, "matchExpressions", lambda each: each["key"])
    if not any(selector.values()):
        spec["selector"] = {"matchLabels": {"none": "none"}}


def _of_a_node(spec: Json) -> None:
    _keep_first(spec, "taints", lambda taint: (taint["key"], taint["effect"]))


# --- Any object -----------------------------------------------------------------------------------


def _keep(value: Json, member: str, is_kept: Callable[[Any], object]) -> None:
    """Leaves these items in a list. A list that loses all of them is no member any more."""
    items = value.get(member) or []
    kept = [item for item in items if is_kept(item)]
    if kept:
        value[member] = kept
    elif items:
        del value[member]


def _keep_first(value: Json, member: str, known_by: Callable[[Any], Hashable]) -> None:
    """Leaves the first of the items in a list that are known by the same."""
    found = set[Hashable]()

    def is_first(item: Any) -> bool:
        key = known_by(item)
        is_new = key not in found
        found.add(key)
        return is_new

    _keep(value, member, is_first)


_BY_KIND: Mapping[str, Callable[[Json], None]] = {
    "Node": _of_a_node,
    "PersistentVolume": _of_a_persistent_volume,
    "PersistentVolumeClaim": _of_modes,
    "Pod": _of_a_pod,
    "ResourceClaim": _of_a_claim,
    "ResourceClaimTemplate": lambda spec: _of_a_claim(spec["spec"]),
    "ReplicaSet": _of_a_set,
    "ReplicationController": _of_a_controller,
    "ResourceSlice": _of_a_slice,
    "StatefulSet": _of_a_set,
    "StorageClass": _of_a_storage_class,
    "VolumeAttachment": _of_an_attachment,
}
"""What puts the spec of an object right, or the whole object if it has none."""
