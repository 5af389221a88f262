# SPDX-License-Identifier: Apache-2.0
"""Volumes: the sources of a pod's volumes, as far as the scheduler reads them.

The sources that a pod may name inline are, except for ``csi``, the same that a PersistentVolume may have.
"""

from __future__ import annotations

from attrs import field, frozen

from refsched.objects.reading import TEXT_OF_OTHERS


@frozen
class PersistentVolumeClaimSource:
    claim_name: str = ""


@frozen
class EphemeralVolumeSource:
    """This is a claim that a controller makes for this pod alone; its template does not concern scheduling."""


@frozen
class ConfigMapSource:
    """Which ConfigMap it is does not concern scheduling."""


@frozen
class SecretSource:
    """Which Secret it is does not concern scheduling."""


@frozen
class ImageVolumeSource:
    """This is an image whose files are mounted; ``reference`` names it as a container's ``image`` does."""

    reference: str = ""


@frozen
class CSIVolumeSource:
    """This is a volume that exists as long as its pod, made by this driver on the node."""

    driver: str = ""


@frozen
class GCEPersistentDisk:
    pd_name: str = ""
    read_only: bool = False


@frozen
class AWSElasticBlockStore:
    """``volume_id`` is ``vol-…``, or an URL such as ``aws://zone/vol-…``."""

    volume_id: str = ""


@frozen
class AzureDisk:
    """``kind`` is Shared, Dedicated or Managed. Shared is the API server's default."""

    disk_name: str = ""
    disk_uri: str = ""
    kind: str = "Shared"


@frozen
class AzureFile:
    """No field of an AzureFile is read."""


@frozen
class Cinder:
    volume_id: str = ""


@frozen
class PortworxVolume:
    volume_id: str = ""


@frozen
class VsphereVolume:
    """No field of a VsphereVolume is read."""


@frozen
class ISCSI:
    iqn: str = ""
    read_only: bool = False


@frozen
class RBD:
    """An RBD is a Ceph image, identified by one of its monitors, its pool and its name."""

    monitors: tuple[str, ...] = ()
    image: str = ""
    pool: str = "rbd"
    read_only: bool = False


@frozen
class InTreeSources:
    """InTreeSources are the sources of plugins that were once compiled in, and that CSI drivers have replaced."""

    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: AWSElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    portworx_volume: PortworxVolume | None = None
    vsphere_volume: VsphereVolume | None = None


@frozen
class Volume(InTreeSources):
    """A Volume of a pod has one source; sources that are not listed here never decide where a pod fits. ``source``
    is all that is said of the source, as JSON with its keys in order."""

    name: str = ""
    source: str = field(default="", metadata={TEXT_OF_OTHERS: "name"})
    config_map: ConfigMapSource | None = None
    secret: SecretSource | None = None
    persistent_volume_claim: PersistentVolumeClaimSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    image: ImageVolumeSource | None = None
    iscsi: ISCSI | None = None
    rbd: RBD | None = None

    def claim_name(self, pod_name: str) -> str | None:
        """Returns the claim that it stands for, or None if it stands for none.

        An ephemeral volume's claim is named after pod and volume (ephemeral.go, VolumeClaimName).
        """
        if self.persistent_volume_claim is not None:
            return self.persistent_volume_claim.claim_name
        return f"{pod_name}-{self.name}" if self.ephemeral is not None else None
