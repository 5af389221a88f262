# SPDX-License-Identifier: Apache-2.0
"""Odd values of fields: what a field may hold and hardly ever does, by its pattern, as an API server accepts it.

Each function takes what a field holds now and yields odd values for it, each with what is odd of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.vocabulary.objects import REGION, ZONE
from conformance.vocabulary.odd_shapes import (
    Named,
    of_a_flag,
    of_a_group,
    of_a_list,
    of_a_list_that_may_repeat,
    of_a_mapping,
    of_a_port,
    of_a_text,
    of_a_uid,
    of_an_expression,
    of_metadata,
    of_modes,
    of_owners,
    of_said_by_default,
    of_the_uid_of_a_claim,
    of_users,
    of_what_may_be_absent,
    of_what_may_be_empty,
    of_what_may_leave,
)
from refsched.objects.node import LEGACY_REGION_LABEL, LEGACY_ZONE_LABEL
from refsched.objects.storage import BETA_STORAGE_CLASS

Json = dict[str, Any]

LEGACY: Mapping[str, str] = {ZONE: LEGACY_ZONE_LABEL, REGION: LEGACY_REGION_LABEL}
BEYOND_FRACTIONS = 2**53 + 1
"""No float64 has this value."""
_SCORE_0, _SCORE_100 = 23 * 2**20, 1000 * 2**20
"""Between these sizes the score of an image rises, where each node has it."""


def _of_labels(labels: Any) -> Named:
    for key, value in labels.items():
        others = {name: each for name, each in labels.items() if name != key}
        yield "absent", others
        yield "empty", {**others, key: ""}
        if value:
            yield "one character more", {**others, key: f"{value}1"}
        yield "one character more in its key", {**others, f"{key}1": value}


def _of_own_labels(labels: Any) -> Named:
    yield from _of_labels(labels)
    for key, legacy in LEGACY.items():
        others = {name: each for name, each in labels.items() if name != key}
        if key in labels:
            yield "legacy spelling", {**others, legacy: labels[key]}
            yield "both spellings", {**labels, legacy: f"{labels[key]}1"}
            yield "both spellings", {**labels, legacy: ""}
        elif legacy in labels:
            yield "both spellings", {**labels, key: f"{labels[legacy]}1"}
            yield "both spellings", {**labels, legacy: "", key: labels[legacy]}


def _of_amounts(amounts: Any) -> Named:
    """Yields amounts of cpu in thousandths, and of everything else in whole units."""
    for name, amount in amounts.items():
        number = _number(name, str(amount))
        if number is None or name.startswith("hugepages-"):
            continue
        if name != "storage":
            yield "zero", {**amounts, name: "0"}
        yield "one more", {**amounts, name: _spelled(name, number + 1)}
        if number:
            yield "one less", {**amounts, name: _spelled(name, number - 1)}
        if name == "memory":
            yield "larger than fractions", {**amounts, name: str(BEYOND_FRACTIONS)}
        if name == "cpu":
            yield "in another spelling", {**amounts, name: f"{number}e-3"}


def _of_requests(resources: Any) -> Named:
    """Yields requests, and limits that follow them: for an extended resource the two must be equal."""
    limits = resources.get("limits") or {}
    for name, requests in _of_amounts(resources.get("requests") or {}):
        both = {each: requests[each] for each in limits if each in requests}
        yield name, {**resources, "requests": requests, **({"limits": {**limits, **both}} if limits else {})}


def _of_allocatable(amounts: Any) -> Named:
    yield from _of_amounts(amounts)
    for name in amounts:
        yield "absent", {each: amount for each, amount in amounts.items() if each != name}


def _of_a_selector(selector: Any) -> Named:
    """Yields selectors with an expression beside the labels that says the same or contradicts them."""
    yield "empty", {}
    labels, expressions = selector.get("matchLabels") or {}, selector.get("matchExpressions") or []
    for key, value in labels.items():
        contradicting = {"key": key, "operator": "NotIn", "values": [value]}
        yield "contradicted", {**selector, "matchExpressions": [*expressions, contradicting]}
        yield (
            "said twice",
            {**selector, "matchExpressions": [*expressions, {"key": key, "operator": "Exists"}]},
        )
    for each in expressions:
        if each["operator"] == "In" and each["key"] not in labels:
            yield (
                "contradicted",
                {**selector, "matchLabels": {**labels, each["key"]: f"{each['values'][0]}1"}},
            )


def _of_a_selector_of_many(selector: Any) -> Named:
    yield "absent", None
    yield from _of_a_selector(selector)


def _of_a_reach(selector: Any) -> Named:
    """Yields no empty selector: a capacity would reach the nodes of another one, and the order of a map would
    decide."""
    return (each for each in _of_a_selector_of_many(selector) if each[0] != "empty")


def _of_selectors(selectors: Any) -> Named:
    """Yields no empty list: a search among all devices takes kube-scheduler until v1.35 longer than the ten
    seconds after which it gives up."""
    return (each for each in of_a_list_that_may_repeat(selectors) if each[1])


def _of_a_term(term: Any) -> Named:
    """Yields terms that both name namespaces and select them."""
    if "namespaces" in term and "namespaceSelector" not in term:
        yield "selected and named", {**term, "namespaceSelector": {"matchLabels": {"team": "x"}}}
    elif "namespaceSelector" in term and "namespaces" not in term:
        yield "selected and named", {**term, "namespaces": ["other"]}
    else:
        yield "selected and named", {**term, "namespaces": ["other"], "namespaceSelector": {}}


def _of_a_toleration(toleration: Any) -> Named:
    for name in ("key", "value", "effect", "operator"):
        if name == "key" and toleration.get("operator") != "Exists":
            continue
        if toleration.get(name) and not (name == "operator" and toleration.get(name) == "Exists"):
            yield f"{name} absent", {each: value for each, value in toleration.items() if each != name}
    for name in ("key", "value"):
        if toleration.get(name):
            yield f"{name} one character more", {**toleration, name: f"{toleration[name]}1"}
            if len(toleration[name]) > 1:
                yield f"{name} one character less", {**toleration, name: toleration[name][:-1]}


def _of_taints(taints: Any) -> Named:
    for each in taints:
        others = [other for other in taints if other is not each]
        yield "one character more", [*others, {**each, "key": f"{each['key']}1"}]
        yield "empty", [*others, {**each, "value": ""}]
        for effect in ("PreferNoSchedule", "NoSchedule", "NoExecute"):
            if all((other["key"], other["effect"]) != (each["key"], effect) for other in taints):
                yield "given twice", [*taints, {**each, "effect": effect}]


def _of_device_taints(taints: Any) -> Named:
    for each in taints:
        others = [other for other in taints if other is not each]
        yield "one character more", [*others, {**each, "key": f"{each['key']}1"}]
        yield "value one character more", [*others, {**each, "value": f"{each.get('value', '')}1"}]
        yield "empty", [*others, {**each, "value": ""}]


def _of_a_device_selector(selector: Any) -> Named:
    yield "empty", {}
    for name, value in selector.items():
        yield "absent", {each: other for each, other in selector.items() if each != name}
        yield "one character more", {**selector, name: f"{value}1"}


def _of_terms(terms: Any) -> Named:
    yield "given twice", [*terms, *terms]
    yield "with an empty one", [{}, *terms]


def _of_a_requirement(requirement: Any) -> Named:
    """Yields other values: Gt and Lt compare whole numbers, and other operators a list of texts."""
    values = requirement.get("values") or []
    if requirement.get("operator") in ("Gt", "Lt") and values and re.fullmatch(r"\d+", values[0]):
        number = int(values[0])
        for name, new in (("one more", number + 1), ("one less", max(number - 1, 0)), ("zero", 0)):
            yield name, {**requirement, "values": [str(new)]}
        yield "in another spelling", {**requirement, "values": [f"0{number}"]}
        yield "too large", {**requirement, "values": [str(2**63)]}
    elif requirement.get("operator") in ("In", "NotIn") and requirement["key"] != "metadata.name":
        yield "empty", {**requirement, "values": [""]}
        yield "one character more", {**requirement, "values": [f"{value}1" for value in values]}
        yield "given twice", {**requirement, "values": [*values, *values]}


def _of_ports(ports: Any) -> Named:
    for number, port in enumerate(ports):
        for name, new in (("one more", port.get("hostPort", 0) + 1), ("zero", 0)):
            if port.get("hostPort"):
                yield name, [*ports[:number], {**port, "hostPort": new}, *ports[number + 1 :]]
        if port.get("hostPort"):
            for ip in ("", "0.0.0.0", "127.0.0.1"):
                yield "another address", [*ports[:number], {**port, "hostIP": ip}, *ports[number + 1 :]]


def _of_images(images: Any) -> Named:
    """Yields the sizes at which the score of a pod of one container rises, and those just below."""
    for number, image in enumerate(images):
        around = (images[:number], images[number + 1 :])
        for score in (1, 50, 99):
            least = _SCORE_0 - (_SCORE_0 - _SCORE_100) * score // 100
            yield "just enough", [*around[0], {**image, "sizeBytes": least}, *around[1]]
            yield "just too little", [*around[0], {**image, "sizeBytes": least - 1}, *around[1]]
        yield "zero", [*around[0], {**image, "sizeBytes": 0}, *around[1]]
        yield "given twice", [*images, {**image, "sizeBytes": image.get("sizeBytes", 0) + 1}]
        more = [f"{image['names'][0]}1", *image["names"]]
        yield "one more name", [*around[0], {**image, "names": more}, *around[1]]
        yield "its name given twice", [*around[0], {**image, "names": image["names"] * 2}, *around[1]]


def _of_priority(priority: Any) -> Named:
    yield "zero", 0
    if -(2**31) < priority < 1_000_000_000:
        yield "one more", priority + 1
        yield "one less", priority - 1
    yield "largest", 1_000_000_000
    yield "smallest", -(2**31)


def _of_a_weight(weight: Any) -> Named:
    yield from (("smallest", 1), ("largest", 100))


def _of_a_constraint(constraint: Any) -> Named:
    if constraint["maxSkew"] < 2**31 - 1:
        yield "one more", {**constraint, "maxSkew": constraint["maxSkew"] + 1}
    yield "largest", {**constraint, "maxSkew": 2**31 - 1}
    if constraint.get("whenUnsatisfiable") == "DoNotSchedule":
        yield "fewest domains", {**constraint, "minDomains": 1}
        yield "more domains than there are", {**constraint, "minDomains": 9}


def of_a_claim_or_volume(value: Any) -> Named:
    """Yields the class in the spec, or in an annotation of older releases, which goes before it."""
    spec, metadata = value.get("spec", {}), value["metadata"]
    name = spec.get("storageClassName")
    if not name or BETA_STORAGE_CLASS in metadata.get("annotations", {}):
        return

    def annotated(by: str) -> Json:
        return {**metadata, "annotations": {**metadata.get("annotations", {}), BETA_STORAGE_CLASS: by}}

    without = {each: member for each, member in spec.items() if each != "storageClassName"}
    yield "empty", {**value, "spec": {**spec, "storageClassName": ""}}
    yield "legacy spelling", {**value, "metadata": annotated(name), "spec": without}
    yield "both spellings", {**value, "metadata": annotated(f"{name}1")}


def _of_a_number(number: Any) -> Named:
    """Yields the neighbours of a number, or of a quantity without a fraction, and zero."""
    whole = number if isinstance(number, int) else _number("", str(number))
    if whole is not None:
        spelled: Callable[[int], Any] = int if isinstance(number, int) else str
        yield "one more", spelled(whole + 1)
        if whole:
            yield "one less", spelled(whole - 1)
            yield "zero", spelled(0)


def _of_a_count(count: Any) -> Named:
    """Yields the neighbours of a count that is never zero."""
    yield "one more", count + 1
    if count > 1:
        yield "one less", count - 1


def _of_a_name(name: Any) -> Named:
    yield "one character more", f"{name}1"


def _of_an_image(image: Any) -> Named:
    yield "one character more", f"{image}1"
    if ":" not in image:
        yield "in another spelling", f"{image}:latest"
        yield "with a port", f"example.com:5000/{image}"


_AFFINITY = r"Pod\.spec\.affinity\.pod(Anti)?Affinity\.\w+\[\](\.podAffinityTerm)?"
_REQUEST = r"ResourceClaim\.spec\.devices\.requests\[\]\.(exactly|firstAvailable\[\])"
_ARGS = r"KubeSchedulerConfiguration\.profiles\[\]\.pluginConfig\[\]\.args"
_NODE_TERM = r"(Pod\.spec\.affinity\.nodeAffinity|PersistentVolume\.spec\.nodeAffinity)\..+"
TABLE: Sequence[tuple[str, Callable[[Any], Named]]] = (
    (r"(Pod|Node|Namespace|PersistentVolume)\.metadata\.labels", _of_own_labels),
    (r"Pod\.spec\.nodeSelector", _of_labels),
    (r"Pod\.spec\.((c|initC)ontainers\[\]\.)?resources", _of_requests),
    (r"Pod\.spec\.overhead", _of_amounts),
    (r"Node\.status\.allocatable", _of_allocatable),
    (rf"(Pod\.spec\.topologySpreadConstraints\[\]|{_AFFINITY})\.labelSelector", _of_a_selector_of_many),
    (rf"PodDisruptionBudget\.spec\.selector|{_AFFINITY}\.namespaceSelector", _of_a_selector_of_many),
    (r"PersistentVolumeClaim\.spec\.selector", _of_a_selector_of_many),
    (r"CSIStorageCapacity\.nodeTopology", _of_a_reach),
    (r"Service\.spec\.selector", lambda labels: iter([("empty", {}), *_of_labels(labels)])),
    (_AFFINITY, _of_a_term),
    (r"Pod\.spec\.affinity\.(node|podA|podAntiA)ffinity\.preferred\w+\[\]\.weight", _of_a_weight),
    (rf"{_NODE_TERM}nodeSelectorTerms", _of_terms),
    (rf"{_NODE_TERM}matchExpressions\[\]", _of_a_requirement),
    (r"Pod\.spec\.tolerations\[\]", _of_a_toleration),
    (r"Pod\.spec\.tolerations", lambda given: iter([("given twice", [*given, *given]), ("empty", [])])),
    (r"Pod\.spec\.topologySpreadConstraints\[\]", _of_a_constraint),
    (r"Pod\.spec\.(c|initC)ontainers\[\]\.ports", _of_ports),
    (r"Pod\.spec\.priority", _of_priority),
    (r"Pod\.spec\.(c|initC)ontainers\[\]\.image", _of_an_image),
    (r"Pod\.status\.nominatedNodeName", _of_a_name),
    (r"PodDisruptionBudget\.status\.disruptionsAllowed", _of_a_number),
    (r"CSINode\.spec\.drivers\[\]\.allocatable\.count|CSIStorageCapacity\.capacity", _of_a_number),
    (r"ResourceSlice\.spec\.devices\[\]\.capacity\.\w+\.value", _of_a_number),
    (r"ResourceSlice\.spec\.(sharedC|devices\[\]\.consumesC)ounters\[\]\.counters\.\w+\.value", _of_a_number),
    (r"ResourceSlice\.spec\.devices\[\]\.attributes\.\w+\.int", _of_a_number),
    (r"ResourceSlice\.spec\.devices\[\]\.taints", _of_device_taints),
    (r"DeviceTaintRule\.spec\.deviceSelector", _of_a_device_selector),
    (rf"{_REQUEST}\.count", _of_a_count),
    (rf"{_REQUEST}\.tolerations\[\]", _of_a_toleration),
    (rf"{_REQUEST}\.capacity\.requests\.\w+", _of_a_number),
    (r"Node\.spec\.taints", _of_taints),
    (r"Node\.status\.images", _of_images),
    (r"PersistentVolume(Claim)?", of_a_claim_or_volume),
    (rf"{_ARGS}\.ignoredResourceGroups\[\]", of_a_group),
    (rf"{_ARGS}\.(ignoredResources|ignoredResourceGroups|defaultConstraints)", of_a_list),
    (rf"{_ARGS}\.scoringStrategy\.resources\[\]\.weight", _of_a_weight),
    (r"KubeSchedulerConfiguration\.profiles\[\]\.plugins\.\w+\.enabled\[\]\.weight", _of_a_count),
    (r"KubeSchedulerConfiguration\.extenders\[\]\.managedResources", of_a_list),
    (r"ResourceClaim\.metadata", of_metadata),
    (r"(?!Pod\.|Namespace\.)\w+\.metadata", of_what_may_leave),
    (r"(?!CSIStorageCapacity\.).+\.matchExpressions\[\]", of_an_expression),
    (r"ResourceClaim\.status\.reservedFor", of_users),
    (r"ResourceClaim\.status\.reservedFor\[\]\.uid", of_a_uid),
    (r"(ResourceClaim|PersistentVolumeClaim|Pod)\.metadata\.ownerReferences", of_owners),
    (r"(ResourceClaim|PersistentVolumeClaim|Pod)\.metadata\.ownerReferences\[\]\.uid", of_a_uid),
    (r"PersistentVolume\.spec\.claimRef\.uid", of_the_uid_of_a_claim),
    (r"PersistentVolume\.spec\.claimRef\.(name|namespace)", of_a_text),
    (r"PodDisruptionBudget\.status\.disruptedPods", of_a_mapping),
    (r"Node\.spec\.unschedulable|CSIDriver\.spec\.storageCapacity", of_a_flag),
    (r"Pod\.spec\.(preemptionPolicy|hostUsers)", of_what_may_be_absent),
    (r"PersistentVolume(Claim)?\.spec\.accessModes", of_modes),
    (r"PersistentVolume(Claim)?\.spec", of_said_by_default("volumeMode", "Filesystem")),
    (rf"{_REQUEST}", of_said_by_default("allocationMode", "ExactCount")),
    (r"Pod\.spec\.(c|initC)ontainers\[\]\.ports\[\]", of_a_port),
    (r"Pod\.spec\.topologySpreadConstraints", of_a_list),
    (r"CSIStorageCapacity\.maximumVolumeSize", _of_a_number),
    (r"VolumeAttachment\.spec\.attacher", of_a_text),
    (r"StorageClass\.allowedTopologies\[\]\.matchLabelExpressions\[\]\.values", of_a_list),
    (r"ResourceSlice\.spec\.pool\.(generation|resourceSliceCount)", _of_a_count),
    (r"ResourceSlice\.spec\.devices\[\]\.attributes\.\w+\.string", of_a_text),
    (r"ResourceSlice\.spec\.devices\[\]\.attributes\.\w+\.bool", of_a_flag),
    (r"ResourceSlice\.spec\.devices\[\]\.(attributes|capacity)", of_a_mapping),
    (r"ResourceSlice\.spec\.devices", of_a_list),
    (rf"{_REQUEST}\.selectors", of_a_list_that_may_repeat),
    (r"DeviceClass\.spec\.selectors", _of_selectors),
    (rf"{_REQUEST}\.capacity\.requests", of_what_may_be_empty),
    (r"Pod\.spec\.affinity\.nodeAffinity\.preferred\w+\[\]\.preference", lambda _: iter([("empty", {})])),
    (r"StorageClass\.allowedTopologies", of_what_may_be_absent),
    (r"CSINode\.spec\.drivers\[\]\.allocatable", of_what_may_be_empty),
    (r"ResourceClaim\.spec\.devices\.constraints(\[\]\.requests)?", of_a_list),
    (r"PersistentVolume\.spec\.capacity|PersistentVolumeClaim\.spec\.resources\.requests", _of_amounts),
)
"""These functions yield the odd values of the fields that match a pattern."""


_UNITS = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9}


def _number(name: str, amount: str) -> int | None:
    """Returns thousandths of cpu, or whole units; None where it is neither."""
    found = re.fullmatch(r"(\d+)([A-Za-z]*)", amount)
    if found is None:
        return None
    number, unit = int(found[1]), found[2]
    if name == "cpu":
        return number if unit == "m" else number * 1000 if not unit else None
    return number * _UNITS[unit] if unit in _UNITS else None


def _spelled(name: str, number: int) -> str:
    return f"{number}m" if name == "cpu" else str(number)


def has_row(field: str) -> bool:
    """Returns whether the field, or one that holds it, has odd values; of no kind has every object some."""
    parts = field.split(".")
    within = (".".join(parts[: number + 1]) for number in range(1, len(parts)))
    return any(re.fullmatch(pattern, each) for each in within for pattern, _ in TABLE)
