# SPDX-License-Identifier: Apache-2.0
"""CSI migration: the CSI driver to which an in-tree volume plugin has been migrated.

A volume of such a plugin counts as a volume of the driver, and its zone is the driver's own label.
Promised: the migration of in-tree plugins is documented with the volumes of the API, KEP-625.
Shows in: volumes.
Used by: NodeVolumeLimits.
Source: csi-translation-lib/translate.go, plugins/*.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote, urlsplit

from attrs import evolve, frozen

from refsched.objects.node import LEGACY_REGION_LABEL, LEGACY_ZONE_LABEL, REGION_LABEL, ZONE_LABEL
from refsched.objects.selectors import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from refsched.objects.storage import CSINode, PersistentVolume, VolumeNodeAffinity
from refsched.objects.volumes import (
    AWSElasticBlockStore,
    AzureDisk,
    Cinder,
    GCEPersistentDisk,
    InTreeSources,
    PortworxVolume,
)
from refsched.rules import ErrorReason, applies
from refsched.volumes.errors import VolumeError

UNKNOWN_KIND = ErrorReason("kind({}) is not supported in csi migration", "R-VOLLIMIT-07")
NO_ZONE = ErrorReason(
    "failed to get region from zones: zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}},"
    " got: {}",
    "R-VOLLIMIT-07",
)
NOT_ONE_REGION = ErrorReason(
    "failed to get region from zones: multiple or no regions gotten from zones, got: map[{}]", "R-VOLLIMIT-07"
)
NO_EBS_VOLUME = ErrorReason(
    "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({})", "R-VOLLIMIT-07"
)
NOT_TRANSLATED = ErrorReason("could not translate pv: {}", "R-VOLBIND-07")

MULTI_ZONE_DELIMITER = "__"
_UNSPECIFIED = "UNSPECIFIED"
_AWS_VOLUME = re.compile(r"vol-[^/]*\Z")


class UntranslatableError(Exception):
    """An UntranslatableError says that the volume's source is malformed, or of a kind that the driver does
    not know."""


PORTWORX = "kubernetes.io/portworx-volume"


@frozen
class InTreeVolumePlugin:
    """An InTreeVolumePlugin is an in-tree volume plugin, the driver that it has been migrated to, and the field of
    a volume that is the plugin's.

    ``zone_key`` is the driver's label for a node's zone; it is empty if the plugin's volumes keep their node
    affinity. If ``is_off``, the scheduler never regards the plugin as migrated.
    """

    name: str
    driver: str
    source: str
    zone_key: str = ""
    is_off: bool = False

    def is_migrated_on(self, node: CSINode | None) -> bool:
        """Returns whether the plugin has been migrated on this node (binder.go, isPluginMigratedToCSIOnNode)."""
        return not self.is_off and node is not None and self.name in node.migrated_plugins


PLUGINS = (
    InTreeVolumePlugin(
        "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "gce_persistent_disk", "topology.gke.io/zone"
    ),
    InTreeVolumePlugin(
        "kubernetes.io/aws-ebs",
        "ebs.csi.aws.com",
        "aws_elastic_block_store",
        "topology.ebs.csi.aws.com/zone",
    ),
    InTreeVolumePlugin(
        "kubernetes.io/cinder",
        "cinder.csi.openstack.org",
        "cinder",
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTreeVolumePlugin("kubernetes.io/azure-disk", "disk.csi.azure.com", "azure_disk"),
    InTreeVolumePlugin(PORTWORX, "pxd.portworx.com", "portworx_volume"),
    InTreeVolumePlugin("kubernetes.io/azure-file", "file.csi.azure.com", "azure_file", is_off=True),
    InTreeVolumePlugin(
        "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "vsphere_volume", is_off=True
    ),
)


def plugin_of(source: InTreeSources) -> InTreeVolumePlugin | None:
    """Returns the in-tree plugin of a pod's inline volume, or of a PersistentVolume's spec, if there is one."""
    return next((plugin for plugin in PLUGINS if getattr(source, plugin.source) is not None), None)


def plugin_called(name: str) -> InTreeVolumePlugin | None:
    return next((plugin for plugin in PLUGINS if plugin.name == name), None)


def counts_as_csi(plugin: InTreeVolumePlugin, csi_node: CSINode | None) -> bool:
    """R-VOLLIMIT-09: On a node with a CSINode GCE, EBS, Cinder and Azure disks count as volumes of their CSI
    drivers, whether or not the CSINode lists the plugin as migrated.
    R-VOLLIMIT-16: On a node with a CSINode Portworx volumes count as volumes of their CSI driver, whether or not
    the CSINode lists the plugin as migrated.

    Source: plugins/nodevolumelimits/utils.go, isCSIMigrationOn.
    """
    rule = "R-VOLLIMIT-16" if plugin.name == PORTWORX else "R-VOLLIMIT-09"
    return applies(rule, when=csi_node is not None and not plugin.is_off)


# --- Volume handles -------------------------------------------------------------------------------


def inline_handle(source: InTreeSources, plugin: InTreeVolumePlugin) -> str:
    """Returns the driver's name for the volume. Raises UntranslatableError."""
    return _handle(getattr(source, plugin.source), ())


def volume_handle(volume: PersistentVolume, plugin: InTreeVolumePlugin) -> str:
    """Returns the driver's name for the volume; that of a GCE disk contains its zone or region. Raises
    UntranslatableError."""
    labels = volume.metadata.labels
    zones = labels.get(LEGACY_ZONE_LABEL) or labels.get(ZONE_LABEL, "")
    return _handle(getattr(volume.spec, plugin.source), zones.split(MULTI_ZONE_DELIMITER))


def _handle(source: object, zones: Sequence[str]) -> str:
    match source:
        case GCEPersistentDisk(pd_name=name):
            return f"projects/{_UNSPECIFIED}/{_gce_place(zones)}/disks/{name}"
        case AWSElasticBlockStore(volume_id=volume_id):
            return _ebs_volume_id(volume_id)
        case AzureDisk(disk_uri=uri, kind=kind):
            if kind.lower() != "managed":
                raise UntranslatableError(UNKNOWN_KIND.of(kind))
            return uri
        case Cinder(volume_id=volume_id) | PortworxVolume(volume_id=volume_id):
            return volume_id
    return ""


def _gce_place(zones: Sequence[str]) -> str:
    if len(zones) > 1:
        return f"regions/{_gce_region(zones)}"
    return f"zones/{(zones[0] if zones else '') or _UNSPECIFIED}"


def _gce_region(zones: Sequence[str]) -> str:
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            raise UntranslatableError(NO_ZONE.of(zone))
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        shown = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise UntranslatableError(NOT_ONE_REGION.of(shown))
    [region] = regions
    return region


def _ebs_volume_id(spelled: str) -> str:
    """Returns ``vol-1`` for ``aws://zone/vol-1``. Anything else but such a URL is the volume's id itself."""
    if not spelled.startswith("aws://"):
        return spelled
    volume_id = unquote(urlsplit(spelled).path).strip("/")
    if not _AWS_VOLUME.match(volume_id):
        raise UntranslatableError(NO_EBS_VOLUME.of(spelled))
    return volume_id


# --- Topology -------------------------------------------------------------------------------------


Translate = Callable[[PersistentVolume, CSINode | None], PersistentVolume]
"""A Translate returns a volume as its plugin, or the driver that the plugin was migrated to, sees it on a node."""


def untranslated(volume: PersistentVolume, node: CSINode | None) -> PersistentVolume:
    """Returns the volume itself, since without CSI migration no driver replaces a plugin."""
    return volume


def translated(volume: PersistentVolume, node: CSINode | None) -> PersistentVolume:
    """Returns the volume with the node affinity that its CSI driver would have given it, or the volume itself if
    its plugin has not been migrated on this node. Raises VolumeError.

    Source: binder.go, tryTranslatePVToCSI.
    """
    plugin = plugin_of(volume.spec)
    if plugin is None or not plugin.is_migrated_on(node):
        return volume
    try:
        volume_handle(volume, plugin)
    except UntranslatableError as why:
        raise VolumeError(NOT_TRANSLATED.of(why)) from why
    if not plugin.zone_key:
        return volume
    terms = _translated_terms(volume, plugin.zone_key)
    affinity = VolumeNodeAffinity(NodeSelector(terms)) if terms else volume.spec.node_affinity
    return evolve(volume, spec=evolve(volume.spec, node_affinity=affinity))


def _translated_terms(volume: PersistentVolume, zone_key: str) -> tuple[NodeSelectorTerm, ...]:
    """Returns the terms with the driver's key for the zone. A volume without a zone in its affinity gets the
    zone of its label. Source: plugins/in_tree_volume.go, translateTopologyFromInTreeToCSI."""
    zone_label, region_label = _topology_labels(volume)
    terms = _terms(volume)
    if _has_values(terms, zone_label):
        terms = _renamed(terms, zone_label, zone_key)
    else:
        listed = volume.metadata.labels.get(zone_label, "").split(MULTI_ZONE_DELIMITER)
        zones = sorted({zone.strip() for zone in listed} - {""})
        if zones:
            added = NodeSelectorRequirement(zone_key, "In", tuple(zones))
            terms = tuple(
                evolve(term, match_expressions=(*term.match_expressions, added))
                for term in terms or (NodeSelectorTerm(),)
            )
    if region_label == LEGACY_REGION_LABEL and _has_values(terms, region_label):
        terms = _renamed(terms, region_label, REGION_LABEL)
    return terms


def _topology_labels(volume: PersistentVolume) -> tuple[str, str]:
    """Returns the labels of zone and region, either both the current ones or both the legacy ones. The keys
    in the volume's affinity decide which, and then its labels."""
    keys = {r.key for term in _terms(volume) for r in term.match_expressions}
    current, legacy = (ZONE_LABEL, REGION_LABEL), (LEGACY_ZONE_LABEL, LEGACY_REGION_LABEL)
    for known in (keys, volume.metadata.labels):
        for labels in (current, legacy):
            if labels[0] in known:
                return labels
    return current


def _terms(volume: PersistentVolume) -> tuple[NodeSelectorTerm, ...]:
    affinity = volume.spec.node_affinity
    return affinity.required.node_selector_terms if affinity and affinity.required else ()


def _has_values(terms: Sequence[NodeSelectorTerm], key: str) -> bool:
    return any(r.values for term in terms for r in term.match_expressions if r.key == key)


def _renamed(terms: Sequence[NodeSelectorTerm], old: str, new: str) -> tuple[NodeSelectorTerm, ...]:
    def rename(requirement: NodeSelectorRequirement) -> NodeSelectorRequirement:
        return evolve(requirement, key=new) if requirement.key == old else requirement

    return tuple(
        evolve(term, match_expressions=tuple(rename(r) for r in term.match_expressions)) for term in terms
    )
