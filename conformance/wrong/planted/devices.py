# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in how devices are given to claims."""

from conformance.wrong.planted.table import Wrong

_PLUGIN = "refsched.plugins.dynamic_resources"
_ALLOCATOR = "refsched.devices.allocator"
_CLAIMS = "refsched.devices.claims"
_REQUESTS = "refsched.devices.requests"
_CONSTRAINTS = "refsched.devices.constraints"
_POOLS = "refsched.devices.pools"
_RESULTS = "refsched.devices.results"

WRONG = (
    Wrong(
        "gives-a-device-twice",
        "a device that a claim holds is given to another claim",
        _ALLOCATOR,
        "return offered.id not in self.in_use and not holders",
        "return not holders",
        cites="kubernetes #136269",
    ),
    Wrong(
        "gives-a-pod-one-device-twice",
        "two claims of one pod get the same device",
        _ALLOCATOR,
        "return offered.id not in self.in_use and not holders",
        "return offered.id not in self.in_use",
    ),
    Wrong(
        "admin-access-takes-devices",
        "a device that is held for administration is in use",
        _CLAIMS,
        "if result.admin_access:",
        "if False:",
        cites="kubernetes #139040",
    ),
    Wrong(
        "ignores-selectors-of-requests",
        "a device need only match its class",
        _REQUESTS,
        ' and _all_hold(sized.asked.selectors, offered, f"claim {of_request.key}")',
        " and of_request is not None",
    ),
    Wrong(
        "one-device-is-enough",
        "a request for several devices gets one",
        _REQUESTS,
        "return Sized(name, asked, device_class, asked.count)",
        "return Sized(name, asked, device_class, 1)",
    ),
    Wrong(
        "ignores-match-attribute",
        "devices that should be alike need not be",
        _CONSTRAINTS,
        "elif self._value != value or value == DeviceAttribute():",
        "elif value == DeviceAttribute():",
    ),
    Wrong(
        "keeps-old-slices",
        "slices of an older generation of a pool go on counting",
        _POOLS,
        "        if kept and _generation(piece) < _generation(kept[0]):\n"
        '            applies("R-DRA-20")\n'
        "            continue\n",
        "",
    ),
    Wrong(
        "devices-reach-everywhere",
        "a claim's devices are used on nodes that do not reach them",
        _PLUGIN,
        "return unresolvable(NOT_AVAILABLE) if state.unavailable(node) else SUCCESS",
        "return SUCCESS",
    ),
    Wrong(
        "takes-claims-from-others",
        "a claim that others have reserved is deallocated for a pod that fits nowhere",
        _PLUGIN,
        "and all(user.uid == uid for user in claim.status.reserved_for)",
        "and uid",
        cites="kubernetes #122415",
    ),
    Wrong(
        "keeps-devices-of-who-failed",
        "devices that were held for a pod which then failed stay in use",
        _PLUGIN,
        "                end_allocation(claim, objects)\n                objects.restore(",
        "                objects.restore(",
        cites="kubernetes #140831",
    ),
    Wrong(
        "queues-before-claims-are-there",
        "a pod is tried before its claims exist",
        _PLUGIN,
        '            return unresolvable(Reason(str(problem), "R-DRA-01"))\n        return SUCCESS\n',
        "            return SUCCESS if problem else SUCCESS\n        return SUCCESS\n",
    ),
    Wrong(
        "forgets-the-configuration-of-claims",
        "devices are configured as their classes say, and not as the claim says",
        _RESULTS,
        "configs = (*_class_configs(claim, index, sized), *_claim_configs(claim, index, sized))",
        "configs = tuple(_class_configs(claim, index, sized))",
    ),
    Wrong(
        "lets-classes-overrule-claims",
        "the configuration of a claim stands before that of the classes",
        _RESULTS,
        "(*_class_configs(claim, index, sized), *_claim_configs(claim, index, sized))",
        "(*_claim_configs(claim, index, sized), *_class_configs(claim, index, sized))",
    ),
    Wrong(
        "configures-no-alternative",
        "configuration that names an alternative of a request is dropped",
        _RESULTS,
        "if name.base in config.requests or str(name) in config.requests:",
        "if name.base in config.requests:",
    ),
    Wrong(
        "repeats-the-configuration-of-a-class",
        "two requests of one class have its configuration twice",
        _RESULTS,
        "configs = by_class.get(one.device_class.metadata.name)",
        "configs = None",
    ),
    Wrong(
        "ties-no-claim-to-nodes",
        "where the devices of a claim can be used is not written",
        _RESULTS,
        "selector = _node_selector(chosen, node)",
        "selector = None and _node_selector(chosen, node)",
    ),
    Wrong(
        "asks-twice-for-a-label",
        "what two slices require of a node is required twice",
        _RESULTS,
        "known.setdefault((requirement.key, requirement.operator, frozenset(requirement.values)), requirement)",
        "known.setdefault((requirement.key, requirement.operator, frozenset(), len(known)), requirement)",
    ),
    Wrong(
        "leaves-claims-unprotected",
        "devices are written into a claim that anybody may delete",
        _PLUGIN,
        "if _protected(current) != current:",
        "if current is None:",
    ),
    Wrong(
        "takes-a-claims-last-user-away",
        "who reserves a claim replaces those who did before",
        _PLUGIN,
        "reserved_for=(*current.status.reserved_for, consumer)",
        "reserved_for=(consumer,)",
    ),
    Wrong(
        "keeps-claims-to-itself",
        "which devices a claim was given is never written",
        _PLUGIN,
        'api.write("update", claim)',
        "pass",
    ),
    Wrong(
        "reserves-for-the-first-only",
        "a claim that has its devices is not written again for the next pod",
        _PLUGIN,
        "_write(evolve(current, status=reserved), api)",
        "_write(evolve(current, status=reserved), api) if allocation is not None else None",
    ),
    Wrong(
        "any-owner-will-do",
        "a claim that was made for another pod is used if it bears an owner",
        _CLAIMS,
        "return controller is not None and controller.uid == pod.uid",
        "return controller is not None",
    ),
    Wrong(
        "whoever-comes-first-owns",
        "the first owner of a claim counts, whether it controls the claim or not",
        _CLAIMS,
        "for owner in claim.metadata.owner_references if owner.controller",
        "for owner in claim.metadata.owner_references",
    ),
    Wrong(
        "uses-claims-that-go-away",
        "a claim for devices is used although it is being deleted",
        _CLAIMS,
        "if claim.metadata.deletion_timestamp is not None:",
        "if claim is None:",
    ),
    Wrong(
        "keeps-one-slice-of-a-pool",
        "of slices of one generation only the first one counts",
        _POOLS,
        "_generation(piece) < _generation(kept[0])",
        "_generation(piece) <= _generation(kept[0])",
    ),
    Wrong(
        "is-not-told-of-its-claims",
        "that a pod is told which claim was made for it cures nobody",
        _PLUGIN,
        'applies("R-DRA-14")\n        return True',
        "return False",
    ),
)
