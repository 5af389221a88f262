# SPDX-License-Identifier: Apache-2.0
"""Equivalent mutants of plugins, of devices and volumes, and of objects."""

from __future__ import annotations

from collections.abc import Mapping

_OF_DEFECTS: Mapping[str, Mapping[str, int]] = {
    "defects_that_matter": {
        "all-any": 5,
        "once": 4,
        "and-or": 5,
        "part": 10,
        "not": 1,
        "set": 1,
        "omission": 5,
        "negated": 1,
        "off-by-one": 2,
        "comparison": 1,
        "flag": 2,
    },
    "_asking_for_all": {"once": 3},
}
_OF_DEFECTS_MET: Mapping[str, int] = {
    "omission": 1,
    "comparison": 3,
    "off-by-one": 1,
    "once": 3,
    "filter": 1,
    "all-any": 1,
    "and-or": 1,
    "part": 2,
    "sign": 1,
    "set": 2,
}
"""How many mutants of each operator there are at these places."""

PLUGINS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            f"plugins.inter_pod_affinity:{place}:{kind}"
            for place in ("InterPodAffinity.defects_met", "_speaks_of_all_for_want_of_labels")
            for kind in ("and-or:0", "part:0", "part:1", "comparison:0")
        ),
        "It decides what ``refsched explain`` tells of the known defect: Filter itself never looks at what would "
        "be found without it.",
    ),
    **dict.fromkeys(
        (
            f"devices.requests:{place}:{kind}:{number}"
            for place, kinds in _OF_DEFECTS.items()
            for kind, count in kinds.items()
            for number in range(count)
        ),
        "A scheduler that runs free has every known defect: whichever might matter, none is left open.",
    ),
    **dict.fromkeys(
        (
            f"plugins.dynamic_resources:_subsets:{kind}"
            for kind in ("once:0", "once:1", "sign:0", "omission:0", "set:0", "set:1", "set:2")
        ),
        "A scheduler that runs free has every known defect: the loop over those that are open is never entered.",
    ),
    **dict.fromkeys(
        (
            f"plugins.dynamic_resources:DynamicResources.defects_met:{kind}:{number}"
            for kind, count in _OF_DEFECTS_MET.items()
            for number in range(count)
        ),
        "Only ``refsched explain`` asks where a known defect was met.",
    ),
    "devices.allocator:_Search._take_next_of_all:flag:0": (
        "This is how a scheduler without the known defect all-against-a-constraint searches, which is as good as "
        "one with it."
    ),
    **dict.fromkeys(
        (
            "devices.allocator:_Search._take_next_of_all:negated:0",
            "devices.allocator:_Search._take_next_of_all:comparison:0",
            "devices.allocator:_Search._take:comparison:0",
            "devices.requests:Sizer._size_request:negated:0",
            "devices.requests:Sizer._size_request:comparison:0",
            "devices.requests:Sizer._size_all:negated:0",
            "devices.requests:Sizer._size_all:comparison:0",
            *(
                f"plugins.inter_pod_affinity:{place}"
                for place in (
                    *("InterPodAffinity._known_to_hints:omission:0", "InterPodAffinity._is_hit:omission:0"),
                    *(
                        "InterPodAffinity._known_to_hints:comparison:0",
                        "InterPodAffinity._is_hit:comparison:0",
                    ),
                    *("InterPodAffinity._is_freed:comparison:0", "InterPodAffinity._is_freed:comparison:1"),
                    *("_with_selected_namespaces:negated:0", "_with_selected_namespaces:comparison:1"),
                )
            ),
        ),
        "A scheduler without this one known defect behaves so, which is as good as one with it.",
    ),
    **dict.fromkeys(
        (
            "devices.allocator:Allocator.allocate:filter:0",
            "devices.allocator:_Search._take:part:1",
            "devices.pools:Pool.is_incomplete:part:1",
            "devices.pools:Pool.is_incomplete:part:3",
            "devices.pools:Pool.is_passed_over:returned:1",
            "devices.pools:Pool.is_passed_over:part:1",
            "devices.pools:Pool.is_passed_over:part:2",
            *(
                f"plugins.inter_pod_affinity:InterPodAffinity.after_pod_change:{kind}"
                for kind in (
                    *("part:8", "part:9", "part:10", "comparison:1", "comparison:2"),
                    *("kin:7", "kin:8", "kin:9"),
                )
            ),
            *(
                f"plugins.inter_pod_affinity:InterPodAffinity._is_freed:{kind}"
                for kind in ("returned:1", "and-or:0", "part:0", "part:1", "part:3", "part:5", "part:6")
            ),
            *(
                f"plugins.inter_pod_affinity:InterPodAffinity._is_hit:{kind}"
                for kind in (
                    *("returned:0", "returned:1", "and-or:0", "part:0", "part:1"),
                    *("comparison:1", "all-any:0", "once:0"),
                )
            ),
            "plugins.inter_pod_affinity:InterPodAffinity._known_to_hints:kin:0",
            "plugins.inter_pod_affinity:InterPodAffinity._known_to_hints:once:0",
        ),
        "Only a scheduler without the known defect comes here, or finds anything here; one that runs free has it.",
    ),
    **dict.fromkeys(
        (
            "plugins.inter_pod_affinity:InterPodAffinity.pre_filter:negated:0",
            "plugins.inter_pod_affinity:InterPodAffinity.pre_filter:all-any:0",
        ),
        "What would be found without the known defect is looked at by ``refsched explain`` alone.",
    ),
    **dict.fromkeys(
        (
            f"devices.cel_operators:_of_integers:{kind}"
            for kind in ("boundary:0", "boundary:1", "off-by-one:1", "off-by-one:2")
        ),
        "Of 0 the quotient is 0 whatever its sign, and by 0 nothing is divided.",
    ),
    "plugins.volume_restrictions:_conflicts:part:0": "Without disks of its own, none of them can conflict.",
    **dict.fromkeys(
        ("volumes.orders:volume_orders:order:0", "volumes.orders:volume_orders:order:1"),
        "Volumes that are alike may be looked at in any order: which order comes first is left open.",
    ),
    **dict.fromkeys(
        ("devices.pools:Pool:off-by-one:0", "devices.pools:Pool:flag:0"),
        "The one caller always says how many slices are out of reach, and whether the pool is superseded.",
    ),
    **dict.fromkeys(
        (
            "plugins.node_volume_limits:_existing_volume:part:0",
            "plugins.node_volume_limits:_existing_volume:part:1",
        ),
        "The API server refuses a CSI volume that lacks its driver or its handle.",
    ),
    "plugins.volume_zone:topologies_of_claim:omission:0": (
        "The API server refuses a pod's volume that names no claim."
    ),
    "plugins.default_selector:with_labels:order:1": "All of a selector's requirements have to be met, in whatever "
    "order they are asked.",
    **dict.fromkeys(
        (
            "objects.resources:_pod_level:filter:0",
            "objects.resources:is_pod_level_resource:returned:0",
        ),
        "The API server refuses resources of a pod as a whole other than cpu, memory and huge pages.",
    ),
    "objects.resources:is_extended_resource:part:2": (
        "The API server refuses a pod that asks for a resource of such a name, and one that only a node gives is "
        "never looked up."
    ),
    "objects.resources:Resource:off-by-one:3": (
        "Whoever says how many pods it has room for says it outright; of all other amounts this one is not read."
    ),
}
