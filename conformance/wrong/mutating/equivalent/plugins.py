# SPDX-License-Identifier: Apache-2.0
"""Equivalent mutants of plugins, of devices and volumes, and of objects."""

from __future__ import annotations

from collections.abc import Mapping

_OF_DEFECTS: Mapping[str, Mapping[str, int]] = {}
_OF_DEFECTS_MET: Mapping[str, int] = {}
"""How many mutants of each operator there are at these places."""

PLUGINS: Mapping[str, str] = {
    "devices.allocator:_Search._take_next_of_all:flag:0": (
        "This is how a scheduler without the known defect all-against-a-constraint searches, which is as good as "
        "one with it."
    ),
    **dict.fromkeys(
        (
            "devices.allocator:Allocator.allocate:filter:0",
            "devices.pools:Pool.is_passed_over:returned:1",
            "devices.pools:Pool.is_passed_over:part:1",
        ),
        "Only a scheduler without the known defect comes here, or finds anything here; one that runs free has it.",
    ),
    **dict.fromkeys(
        (
            f"cel.operators:_of_integers:{kind}"
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
        "The API server rejects a CSI volume that lacks its driver or its handle.",
    ),
    "plugins.volume_zone:topologies_of_claim:omission:0": (
        "The API server rejects a pod's volume that names no claim."
    ),
    "plugins.default_selector:with_labels:order:1": "All of a selector's requirements have to be met, in whatever "
    "order they are asked.",
    **dict.fromkeys(
        (
            "objects.resources:_pod_level:filter:0",
            "objects.resources:is_pod_level_resource:returned:0",
        ),
        "The API server rejects resources of a pod as a whole other than cpu, memory and huge pages.",
    ),
    "objects.resources:is_extended_resource:part:2": (
        "The API server rejects a pod that asks for a resource of such a name, and one that only a node gives is "
        "never looked up."
    ),
    "objects.resources:Resource:off-by-one:3": (
        "A node states its allocatable pods explicitly, and of other amounts this field is not read."
    ),
}
