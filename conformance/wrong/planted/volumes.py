# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about volumes and claims."""

from conformance.wrong.planted.table import Wrong

_RESTRICTIONS = "refsched.plugins.volume_restrictions"
_ZONE = "refsched.plugins.volume_zone"
_LIMITS = "refsched.plugins.node_volume_limits"
_PLUGIN = "refsched.plugins.volume_binding"
_FINDING = "refsched.volumes.finding"
_MATCHING = "refsched.volumes.matching"
_PROVISIONING = "refsched.volumes.provisioning"
_BINDING = "refsched.volumes.binding"
_CLAIM = "refsched.objects.storage"

WRONG = (
    Wrong(
        "shares-exclusive-claims",
        "A ReadWriteOncePod claim is used by two pods.",
        _RESTRICTIONS,
        "if READ_WRITE_ONCE_POD in claim.spec.access_modes:",
        "if False:",
        cites="volcano #5767",
    ),
    Wrong(
        "exclusive-claims-have-no-hint",
        "The deletion of a pod that uses a ReadWriteOncePod claim requeues no pod.",
        _RESTRICTIONS,
        "if not shared and not _conflicts(pod, [before]):",
        "if not _conflicts(pod, [before]):",
    ),
    Wrong(
        "readers-exclude-each-other",
        "Two pods that mount a GCE disk read-only are in conflict.",
        _RESTRICTIONS,
        "return not (disk.read_only and other_disk.read_only)",
        "return True",
    ),
    Wrong(
        "ignores-volume-zones",
        "The zone of a volume does not restrict nodes.",
        _ZONE,
        "if value not in topology.values:",
        "if False:",
        cites="kubernetes #54370",
    ),
    Wrong(
        "one-zone-per-volume",
        "A zone label that lists two zones is read as one zone.",
        _ZONE,
        ".split(MULTI_ZONE_DELIMITER)",
        '.split("\\n")',
    ),
    Wrong(
        "nodes-without-a-zone-are-refused",
        "A node without zone labels is rejected if a volume has a zone.",
        _ZONE,
        "        if not any(key in labels for key in TOPOLOGY_LABELS):\n"
        '            applies("R-VOLZONE-04")\n'
        "            return SUCCESS\n",
        "",
        cites="kubernetes #97080, turned round",
    ),
    Wrong(
        "volumes-reach-everywhere",
        "The node affinity of a bound volume is ignored.",
        _FINDING,
        "if not translated(volume, csi_node).reaches(node.metadata.labels):",
        "if False:",
    ),
    Wrong(
        "takes-the-largest-volume",
        "A claim is bound to the largest matching volume, not the smallest.",
        _FINDING,
        "claims.candidates[claim.key], node.metadata.labels, taken)",
        "claims.candidates[claim.key][::-1], node.metadata.labels, taken)",
    ),
    Wrong(
        "one-access-mode-is-enough",
        "A volume matches if it has any one of the requested access modes.",
        _MATCHING,
        "and set(claim.spec.access_modes) <= set(volume.spec.access_modes)",
        "and not set(claim.spec.access_modes).isdisjoint(volume.spec.access_modes)",
    ),
    Wrong(
        "any-size-will-do",
        "A volume matches if it is smaller than requested.",
        _MATCHING,
        "and volume.capacity >= claim.requested",
        "and volume.capacity is not None",
    ),
    Wrong(
        "takes-volumes-of-other-claims",
        "A volume bound to another claim matches.",
        _MATCHING,
        "(volume.spec.claim_ref is None or volume.is_bound_to(claim))",
        "volume.metadata is not None",
        cites="kubernetes #70180",
    ),
    Wrong(
        "ignores-allowed-topologies",
        "A volume is provisioned outside the allowedTopologies of its class.",
        _PROVISIONING,
        "if not storage_class.allows(node.metadata.labels):",
        "if False:",
        cites="kubernetes #69928",
    ),
    Wrong(
        "ignores-storage-capacity",
        "A volume is provisioned where the driver has not enough capacity.",
        _PROVISIONING,
        "and limit.value >= claim.requested.value",
        "and limit.value >= 0",
    ),
    Wrong(
        "ignores-the-selected-node",
        "A claim being provisioned for one node is used on another.",
        _FINDING,
        "if any(claim.metadata.annotations[SELECTED_NODE] != node.name for claim in selected):",
        "if False:",
    ),
    Wrong(
        "does-not-wait-for-immediate-claims",
        "A pod is scheduled before its claims with immediate binding are bound.",
        _PLUGIN,
        "if claims.immediate:",
        "if False:",
    ),
    Wrong(
        "takes-claims-that-are-going",
        "A PersistentVolumeClaim that is being deleted is used.",
        _PLUGIN,
        "if claim.metadata.deletion_timestamp is not None:",
        "if False:",
    ),
    Wrong(
        "keeps-assumed-volumes",
        "Volumes assumed for a pod that then failed stay assumed.",
        _BINDING,
        "        objects.restore(PersistentVolume, match.volume.name)\n",
        "        pass\n",
        cites="kubernetes #82934, volcano #1983",
    ),
    Wrong(
        "promises-a-volume-twice",
        "A volume assumed for one pod is available for the next.",
        _FINDING,
        "volumes = objects.list_latest(PersistentVolume) if delayed else ()",
        "volumes = objects.list(PersistentVolume) if delayed else ()",
    ),
    Wrong(
        "one-volume-less",
        "A node attaches one volume fewer than the driver's limit.",
        _LIMITS,
        "total[driver] + count > limits[driver]",
        "total[driver] + count >= limits[driver]",
    ),
    Wrong(
        "counts-a-shared-volume-twice",
        "A volume that another pod on the node uses counts again.",
        _LIMITS,
        "for volume, driver in wanted.items() if volume not in used)",
        "for volume, driver in wanted.items())",
    ),
    Wrong(
        "ignores-attachments",
        "A volume that is still attached, but used by no pod, does not count.",
        _LIMITS,
        "total = Counter((attached | used).values())",
        "total = Counter(used.values())",
    ),
    Wrong(
        "binds-without-waiting",
        "A pod is bound before its volumes are.",
        _BINDING,
        "return all(_is_bound(change, node, objects, translate) for change in changes.volumes) and all(",
        "return True or all(",
        cites="kubernetes #73263",
    ),
    Wrong(
        "ignores-the-volume-mode",
        "A claim with volumeMode Block is bound to a Filesystem volume, and the reverse.",
        _MATCHING,
        "        and volume.spec.volume_mode == claim.spec.volume_mode\n",
        "",
    ),
    Wrong(
        "takes-volumes-that-are-going",
        "A volume that is being deleted matches.",
        _MATCHING,
        "        and volume.metadata.deletion_timestamp is None\n",
        "",
    ),
    Wrong(
        "claims-of-one-name-are-one",
        "A claim of the same name in another namespace counts as the pod's own.",
        _RESTRICTIONS,
        "other.pod.namespace == namespace and name in _claim_names(other.pod)",
        "name in _claim_names(other.pod)",
    ),
    Wrong(
        "deletions-elsewhere-free-claims",
        "A deleted pod of another namespace that used a claim of the same name requeues the pod.",
        _RESTRICTIONS,
        "        if before.namespace != pod.namespace:\n            return False\n",
        "",
    ),
    Wrong(
        "no-count-is-none-at-all",
        "A driver without an allocatable count attaches no volume.",
        _LIMITS,
        "return {driver.name: driver.limit for driver in drivers if driver.limit is not None}",
        "return {driver.name: driver.limit or 0 for driver in drivers}",
    ),
    Wrong(
        "no-region-is-any-region",
        "A node that lacks one of a volume's topology labels is treated as a match.",
        _ZONE,
        "if value not in topology.values:",
        "if value is not None and value not in topology.values:",
    ),
    Wrong(
        "takes-what-an-earlier-claim-had",
        "A volume bound to an earlier claim of the same name is treated as the claim's own.",
        _CLAIM,
        '            and ref.uid in ("", claim.metadata.uid)\n        )\n\n\n# --- Claims',
        "        )\n\n\n# --- Claims",
    ),
    Wrong(
        "adds-up-all-drivers",
        "The volumes of all drivers together are compared with the limit of each driver.",
        _LIMITS,
        "total[driver] + count > limits[driver]",
        "sum(total.values()) + count > limits[driver]",
    ),
    Wrong(
        "counts-what-is-attached-elsewhere",
        "Volumes attached to another node count on this node.",
        _LIMITS,
        "if spec.node_name != node_name or not spec.attacher or",
        "if not spec.attacher or",
    ),
    Wrong(
        "claims-elsewhere-bring-volumes-to-the-zone",
        "A claim of the same name in another namespace requeues a pod that VolumeZone rejected.",
        _ZONE,
        "if after.namespace != pod.namespace or after.name not in _claim_names(pod):",
        "if after.name not in _claim_names(pod):",
    ),
    Wrong(
        "any-change-moves-a-volume",
        "Any update of any volume requeues a pod that VolumeZone rejected.",
        _ZONE,
        "if before is not None and topologies_of(before) == topologies_of(after):",
        "if False:",
    ),
    Wrong(
        "old-zone-labels-have-no-successor",
        "A node with only the new zone label does not match a volume's deprecated zone label.",
        _ZONE,
        "labels.get(topology.key, labels.get(SUCCESSORS.get(topology.key, topology.key)))",
        "labels.get(topology.key)",
    ),
)
