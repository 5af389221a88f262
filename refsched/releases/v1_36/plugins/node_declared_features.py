# SPDX-License-Identifier: Apache-2.0
"""NodeDeclaredFeatures in 1.36: no pod requires a feature for the options of its bind mounts.

Changed by: kubernetes #140013 (bind mounts have options).
After the upgrade: A pod whose volumes are mounted with options is placed only on nodes that declare
VolumeBindMountOptions (R-DECLARED-01).
What to do: upgrade the kubelets that such pods are to run on first.
Source: k8s.io/component-helpers/nodedeclaredfeatures/features/registry.go, AllFeatures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field, frozen

from refsched.objects.pod import Pod
from refsched.plugins import node_declared_features as current

FEATURES = {
    name: is_required for name, is_required in current.FEATURES.items() if name != "VolumeBindMountOptions"
}


@frozen
class NodeDeclaredFeatures(current.NodeDeclaredFeatures):
    features: Mapping[str, Callable[[Pod], bool]] = field(default=FEATURES, hash=False)
