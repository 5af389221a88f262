# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the allocation of devices to claims."""

from conformance.wrong.planted.table import Wrong

_PLUGIN = "refsched.plugins.dynamic_resources"
_WRITES = "refsched.plugins.dynamic_resources_writes"
_ALLOCATOR = "refsched.devices.allocator"
_CLAIMS = "refsched.devices.claims"
_REQUESTS = "refsched.devices.requests"
_CONSTRAINTS = "refsched.devices.constraints"
_POOLS = "refsched.devices.pools"
_RESULTS = "refsched.devices.results"

WRONG = (
    Wrong(
        "gives-a-device-twice",
        "A device that is allocated to one claim is allocated to another.",
        _ALLOCATOR,
        "return offered.id not in self.in_use and not holders",
        "return not holders",
        cites="kubernetes #136269",
    ),
    Wrong(
        "gives-a-pod-one-device-twice",
        "Two claims of one pod are allocated the same device.",
        _ALLOCATOR,
        "return offered.id not in self.in_use and not holders",
        "return offered.id not in self.in_use",
    ),
    Wrong(
        "admin-access-takes-devices",
        "A device allocated with adminAccess counts as in use.",
        _CLAIMS,
        "if result.admin_access:",
        "if False:",
        cites="kubernetes #139040",
    ),
    Wrong(
        "ignores-selectors-of-requests",
        "A device need match only its class, not the selectors of the request.",
        _REQUESTS,
        ' and _all_hold(sized.asked.selectors, offered, f"claim {of_request.key}")',
        " and of_request is not None",
    ),
    Wrong(
        "one-device-is-enough",
        "A request for more than one device is allocated one.",
        _REQUESTS,
        "return Sized(name, asked, device_class, asked.count)",
        "return Sized(name, asked, device_class, 1)",
    ),
    Wrong(
        "ignores-match-attribute",
        "The matchAttribute constraint is ignored.",
        _CONSTRAINTS,
        "elif self._value != value or value == DeviceAttribute():",
        "elif value == DeviceAttribute():",
    ),
    Wrong(
        "keeps-old-slices",
        "ResourceSlices of an older generation of a pool still count.",
        _POOLS,
        "        if kept and _generation(piece) < _generation(kept[0]):\n"
        '            applies("R-DRA-20")\n'
        "            continue\n",
        "",
    ),
    Wrong(
        "devices-reach-everywhere",
        "The node selector of an allocated claim is ignored.",
        _PLUGIN,
        "return unresolvable(NOT_AVAILABLE) if state.unavailable(node) else SUCCESS",
        "return SUCCESS",
    ),
    Wrong(
        "takes-claims-from-others",
        "A claim that other pods have reserved is deallocated for a pod that fits on no node.",
        _PLUGIN,
        "and all(user.uid == uid for user in claim.status.reserved_for)",
        "and uid",
        cites="kubernetes #122415",
    ),
    Wrong(
        "keeps-devices-of-who-failed",
        "Devices reserved for a pod that then failed stay in use.",
        _PLUGIN,
        "                end_allocation(claim, objects)\n                objects.restore(",
        "                objects.restore(",
        cites="kubernetes #140831",
    ),
    Wrong(
        "queues-before-claims-are-there",
        "A pod is scheduled before its claims exist.",
        _PLUGIN,
        '            return unresolvable(Reason(str(problem), "R-DRA-01"))\n        return SUCCESS\n',
        "            return SUCCESS if problem else SUCCESS\n        return SUCCESS\n",
    ),
    Wrong(
        "forgets-the-configuration-of-claims",
        "The allocation has the configuration of the class, but not that of the claim.",
        _RESULTS,
        "configs = (*_class_configs(claim, index, sized), *_claim_configs(claim, index, sized))",
        "configs = tuple(_class_configs(claim, index, sized))",
    ),
    Wrong(
        "lets-classes-overrule-claims",
        "The allocation lists the configuration of the claim before that of the class.",
        _RESULTS,
        "(*_class_configs(claim, index, sized), *_claim_configs(claim, index, sized))",
        "(*_claim_configs(claim, index, sized), *_class_configs(claim, index, sized))",
    ),
    Wrong(
        "configures-no-alternative",
        "Configuration for a subrequest is dropped.",
        _RESULTS,
        "if name.base in config.requests or str(name) in config.requests:",
        "if name.base in config.requests:",
    ),
    Wrong(
        "repeats-the-configuration-of-a-class",
        "The configuration of a class is listed twice if two requests use the class.",
        _RESULTS,
        "configs = by_class.get(one.device_class.metadata.name)",
        "configs = None",
    ),
    Wrong(
        "ties-no-claim-to-nodes",
        "The node selector is missing from the allocation of a claim.",
        _RESULTS,
        "selector = _node_selector(chosen, node)",
        "selector = None and _node_selector(chosen, node)",
    ),
    Wrong(
        "asks-twice-for-a-label",
        "A requirement that two slices share is listed twice in the node selector of the claim.",
        _RESULTS,
        "known.setdefault((requirement.key, requirement.operator, frozenset(requirement.values)), requirement)",
        "known.setdefault((requirement.key, requirement.operator, frozenset(), len(known)), requirement)",
    ),
    Wrong(
        "leaves-claims-unprotected",
        "A claim is allocated without the finalizer that protects it.",
        _WRITES,
        "if protected(current) != current:",
        "if current is None:",
    ),
    Wrong(
        "takes-a-claims-last-user-away",
        "A new entry in reservedFor replaces the earlier ones.",
        _WRITES,
        "reserved_for=(*current.status.reserved_for, consumer)",
        "reserved_for=(consumer,)",
    ),
    Wrong(
        "keeps-claims-to-itself",
        "The allocation of a claim is never written.",
        _WRITES,
        'api.write("update", claim)',
        "pass",
    ),
    Wrong(
        "reserves-for-the-first-only",
        "An allocated claim is not written again to reserve it for the next pod.",
        _WRITES,
        "write(evolve(current, status=reserved), api)",
        "write(evolve(current, status=reserved), api) if allocation is not None else None",
    ),
    Wrong(
        "any-owner-will-do",
        "A claim made for another pod is used if it has any owner.",
        _CLAIMS,
        "return controller is not None and controller.uid == pod.uid",
        "return controller is not None",
    ),
    Wrong(
        "whoever-comes-first-owns",
        "The first owner of a claim counts, even if it is not the controller.",
        _CLAIMS,
        "for owner in claim.metadata.owner_references if owner.controller",
        "for owner in claim.metadata.owner_references",
    ),
    Wrong(
        "uses-claims-that-go-away",
        "A ResourceClaim that is being deleted is used.",
        _CLAIMS,
        "if claim.metadata.deletion_timestamp is not None:",
        "if claim is None:",
    ),
    Wrong(
        "keeps-one-slice-of-a-pool",
        "Only the first slice of a pool's current generation counts.",
        _POOLS,
        "_generation(piece) < _generation(kept[0])",
        "_generation(piece) <= _generation(kept[0])",
    ),
    Wrong(
        "does-not-see-its-claims",
        "An update of the pod's resourceClaimStatuses does not requeue the pod.",
        _PLUGIN,
        'applies("R-DRA-14")\n        return True',
        "return False",
    ),
)
