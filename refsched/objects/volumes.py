# SPDX-License-Identifier: Apache-2.0
"""Volumes: where a pod's files come from, as far as the scheduler reads it.

The sources that a pod may name inline are, but for ``csi``, the same that a PersistentVolume may have.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class PersistentVolumeClaimSource:
    claim_name: str = ""


@frozen
class EphemeralVolumeSource:
    """A claim that a controller makes for this pod alone; its template does not concern scheduling."""


@frozen
class CSIVolumeSource:
    """A volume that lives as long as its pod, made by this driver on the node."""

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
    """``kind`` is Shared, Dedicated or Managed. The API server fills in the first."""

    disk_name: str = ""
    disk_uri: str = ""
    kind: str = "Shared"


@frozen
class AzureFile:
    """Nothing of it is read but that it is one."""


@frozen
class Cinder:
    volume_id: str = ""


@frozen
class PortworxVolume:
    volume_id: str = ""


@frozen
class VsphereVolume:
    """Nothing of it is read but that it is one."""


@frozen
class ISCSI:
    iqn: str = ""
    read_only: bool = False


@frozen
class RBD:
    """A Ceph image, known by one of its monitors, its pool and its name."""

    monitors: tuple[str, ...] = ()
    image: str = ""
    pool: str = "rbd"
    read_only: bool = False


@frozen
class InTreeSources:
    """The sources whose plugins were once compiled in, and for which CSI drivers stand in now."""

    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: AWSElasticBlockStore | None = None
    azure_disk: AzureDisk | None = None
    azure_file: AzureFile | None = None
    cinder: Cinder | None = None
    portworx_volume: PortworxVolume | None = None
    vsphere_volume: VsphereVolume | None = None


@frozen
class Volume(InTreeSources):
    """A volume of a pod; it has one source, and those not listed here never matter to scheduling."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    csi: CSIVolumeSource | None = None
    iscsi: ISCSI | None = None
    rbd: RBD | None = None

    def claim_name(self, pod_name: str) -> str | None:
        """The claim that it stands for; None where it stands for none.

        An ephemeral volume's claim is named after pod and volume (ephemeral.go, VolumeClaimName).
        """
        if self.persistent_volume_claim is not None:
            return self.persistent_volume_claim.claim_name
        return f"{pod_name}-{self.name}" if self.ephemeral is not None else None
