# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about volumes and claims."""

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
        "a ReadWriteOncePod claim is given to two pods",
        _RESTRICTIONS,
        "if READ_WRITE_ONCE_POD in claim.spec.access_modes:",
        "if False:",
        cites="volcano #5767",
    ),
    Wrong(
        "exclusive-claims-have-no-hint",
        "that the user of a claim is gone cures nobody who wants the claim",
        _RESTRICTIONS,
        "if not shared and not _conflicts(pod, [before]):",
        "if not _conflicts(pod, [before]):",
    ),
    Wrong(
        "readers-exclude-each-other",
        "two pods that only read a GCE disk are in conflict",
        _RESTRICTIONS,
        "return not (disk.read_only and other_disk.read_only)",
        "return True",
    ),
    Wrong(
        "ignores-volume-zones",
        "a volume's zone does not restrict nodes",
        _ZONE,
        "if value not in topology.values:",
        "if False:",
        cites="kubernetes #54370",
    ),
    Wrong(
        "one-zone-per-volume",
        "a zone label that lists two zones is taken for one",
        _ZONE,
        ".split(MULTI_ZONE_DELIMITER)",
        '.split("\\n")',
    ),
    Wrong(
        "nodes-without-a-zone-are-refused",
        "a node in no zone is refused where a volume has one",
        _ZONE,
        "        if not any(key in labels for key in TOPOLOGY_LABELS):\n"
        '            applies("R-VOLZONE-04")\n'
        "            return SUCCESS\n",
        "",
        cites="kubernetes #97080, turned round",
    ),
    Wrong(
        "volumes-reach-everywhere",
        "a bound volume's node affinity is not looked at",
        _FINDING,
        "if not translated(volume, csi_node).reaches(node.metadata.labels):",
        "if False:",
    ),
    Wrong(
        "takes-the-largest-volume",
        "a claim gets the largest volume that serves",
        _FINDING,
        "claims.candidates[claim.key], node.metadata.labels, taken)",
        "claims.candidates[claim.key][::-1], node.metadata.labels, taken)",
    ),
    Wrong(
        "one-access-mode-is-enough",
        "a volume serves that has one of the access modes asked for",
        _MATCHING,
        "and set(claim.spec.access_modes) <= set(volume.spec.access_modes)",
        "and not set(claim.spec.access_modes).isdisjoint(volume.spec.access_modes)",
    ),
    Wrong(
        "any-size-will-do",
        "a volume serves that is smaller than asked for",
        _MATCHING,
        "and volume.capacity >= claim.requested",
        "and volume.capacity is not None",
    ),
    Wrong(
        "takes-volumes-of-other-claims",
        "a volume that is bound to another claim is taken to be free",
        _MATCHING,
        "(volume.spec.claim_ref is None or volume.is_bound_to(claim))",
        "volume.metadata is not None",
        cites="kubernetes #70180",
    ),
    Wrong(
        "ignores-allowed-topologies",
        "a volume is made where its class does not allow it",
        _PROVISIONING,
        "if not storage_class.allows(node.metadata.labels):",
        "if False:",
        cites="kubernetes #69928",
    ),
    Wrong(
        "ignores-storage-capacity",
        "a volume is made where the driver has no room for it",
        _PROVISIONING,
        "and limit.value >= claim.requested.value",
        "and limit.value >= 0",
    ),
    Wrong(
        "ignores-the-selected-node",
        "a claim that is being provisioned for one node is taken to another",
        _FINDING,
        "if any(claim.metadata.annotations[SELECTED_NODE] != node.name for claim in selected):",
        "if False:",
    ),
    Wrong(
        "does-not-wait-for-immediate-claims",
        "a pod is placed though a claim that others must bind is not bound",
        _PLUGIN,
        "if claims.immediate:",
        "if False:",
    ),
    Wrong(
        "takes-claims-that-are-going",
        "a claim that is being deleted is used",
        _PLUGIN,
        "if claim.metadata.deletion_timestamp is not None:",
        "if False:",
    ),
    Wrong(
        "keeps-assumed-volumes",
        "volumes that were assumed for a pod which then failed stay taken",
        _BINDING,
        "        objects.restore(PersistentVolume, match.volume.name)\n",
        "        pass\n",
        cites="kubernetes #82934, volcano #1983",
    ),
    Wrong(
        "promises-a-volume-twice",
        "a volume that one pod is about to bind is free for the next",
        _FINDING,
        "volumes = objects.list_latest(PersistentVolume) if delayed else ()",
        "volumes = objects.list(PersistentVolume) if delayed else ()",
    ),
    Wrong(
        "one-volume-less",
        "a node attaches one volume less than its driver can",
        _LIMITS,
        "total[driver] + count > limits[driver]",
        "total[driver] + count >= limits[driver]",
    ),
    Wrong(
        "counts-a-shared-volume-twice",
        "a volume that another pod on the node uses counts again",
        _LIMITS,
        "for volume, driver in wanted.items() if volume not in used)",
        "for volume, driver in wanted.items())",
    ),
    Wrong(
        "ignores-attachments",
        "a volume that is still attached, and used by no pod, does not count",
        _LIMITS,
        "total = Counter((attached | used).values())",
        "total = Counter(used.values())",
    ),
    Wrong(
        "binds-without-waiting",
        "a pod is bound before its volumes are",
        _BINDING,
        "return all(_is_bound(change, node, objects, translate) for change in changes.volumes) and all(",
        "return True or all(",
        cites="kubernetes #73263",
    ),
    Wrong(
        "ignores-the-volume-mode",
        "a claim for a block device gets a file system, and the other way round",
        _MATCHING,
        "        and volume.spec.volume_mode == claim.spec.volume_mode\n",
        "",
    ),
    Wrong(
        "takes-volumes-that-are-going",
        "a volume that is being deleted is taken",
        _MATCHING,
        "        and volume.metadata.deletion_timestamp is None\n",
        "",
    ),
    Wrong(
        "claims-of-one-name-are-one",
        "a claim of the same name that a pod of another namespace uses counts as the pod's own",
        _RESTRICTIONS,
        "other.pod.namespace == namespace and name in _claim_names(other.pod)",
        "name in _claim_names(other.pod)",
    ),
    Wrong(
        "deletions-elsewhere-free-claims",
        "a pod of another namespace that goes is thought to free a claim of the same name",
        _RESTRICTIONS,
        "        if before.namespace != pod.namespace:\n            return False\n",
        "",
    ),
    Wrong(
        "no-count-is-none-at-all",
        "a driver that says no count attaches nothing",
        _LIMITS,
        "return {driver.name: driver.limit for driver in drivers if driver.limit is not None}",
        "return {driver.name: driver.limit or 0 for driver in drivers}",
    ),
    Wrong(
        "no-region-is-any-region",
        "a node that lacks one of a volume's topology labels is thought to be in the right place",
        _ZONE,
        "if value not in topology.values:",
        "if value is not None and value not in topology.values:",
    ),
    Wrong(
        "takes-what-an-earlier-claim-had",
        "a volume that an earlier claim of the name was bound to is taken to be the claim's own",
        _CLAIM,
        '            and ref.uid in ("", claim.metadata.uid)\n        )\n\n\n# --- Claims',
        "        )\n\n\n# --- Claims",
    ),
    Wrong(
        "adds-up-all-drivers",
        "the volumes of all drivers together are held against the limit of each",
        _LIMITS,
        "total[driver] + count > limits[driver]",
        "sum(total.values()) + count > limits[driver]",
    ),
    Wrong(
        "counts-what-is-attached-elsewhere",
        "a volume that is attached to another node counts here",
        _LIMITS,
        "if spec.node_name != node_name or not spec.attacher or",
        "if not spec.attacher or",
    ),
    Wrong(
        "claims-elsewhere-bring-volumes-to-the-zone",
        "a claim of that name in another namespace is thought to cure who waits for a zone",
        _ZONE,
        "if after.namespace != pod.namespace or after.name not in _claim_names(pod):",
        "if after.name not in _claim_names(pod):",
    ),
    Wrong(
        "any-change-moves-a-volume",
        "any change of any volume is thought to bring it to another zone",
        _ZONE,
        "if before is not None and topologies_of(before) == topologies_of(after):",
        "if False:",
    ),
    Wrong(
        "old-zone-labels-have-no-successor",
        "a node with the new zone label alone is in no zone of an old label",
        _ZONE,
        "labels.get(topology.key, labels.get(SUCCESSORS.get(topology.key, topology.key)))",
        "labels.get(topology.key)",
    ),
)
