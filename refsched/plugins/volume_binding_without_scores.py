# SPDX-License-Identifier: Apache-2.0
"""VolumeBinding without StorageCapacityScoring: the plugin does not score.

Observed: which gates there are, and what is decided without one, is that of the release.
Shows in: volumes.
Source: plugins/volumebinding/volume_binding.go, PreScore, New;
pkg/scheduler/apis/config/validation/validation_pluginargs.go, ValidateVolumeBindingArgsWithOptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from attrs import frozen

from refsched.config.args import PluginArgs, refused_by
from refsched.errors import InputError
from refsched.framework.interface import Continue, Skip
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.plugins import volume_binding
from refsched.rules import applies


@frozen
class VolumeBindingArgs(volume_binding.VolumeBindingArgs):
    def with_defaults(self) -> Self:
        return self

    def validate(self) -> None:
        """R-ARGS-12 (shows in config): A shape of VolumeBinding, even an empty one, is refused while feature gate
        StorageCapacityScoring is off."""
        if self.bind_timeout_seconds < 0:
            raise InputError("is negative", "bindTimeoutSeconds")
        if self.shape is not None:
            with refused_by("R-ARGS-12"):
                raise InputError("feature gate StorageCapacityScoring is off", "shape")


@frozen
class VolumeBinding(volume_binding.VolumeBinding):
    ARGS: ClassVar[type[PluginArgs]] = VolumeBindingArgs

    # --- Score ------------------------------------------------------------------------------------

    SCORES_BY_PRE_FILTER = False

    def pre_score(
        self, pod: PodInfo, feasible: Sequence[NodeInfo], snapshot: Snapshot
    ) -> Continue[None] | Skip:
        """R-VOLBIND-22: Without StorageCapacityScoring every pod skips Score of VolumeBinding."""
        named = any(volume.claim_name(pod.pod.name) is not None for volume in pod.pod.spec.volumes)
        applies("R-VOLBIND-22", when=named)
        return Skip()

    def score(self, state: object, pod: PodInfo, node: NodeInfo) -> int:
        """Returns 0. This is only called if PreScore is disabled."""
        return 0
