# SPDX-License-Identifier: Apache-2.0
"""DefaultBinder: a pod is bound to a node by a Binding that is written to the API server.

Rules: R-BIND-05.   Source: plugins/defaultbinder/default_binder.go (v1.34.2).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from refsched.objects.meta import ObjectMeta
from refsched.objects.pod import Pod


@frozen
class Binding:
    """What the ``binding`` subresource of a pod is sent: which pod, and the node to run it on."""

    kind: ClassVar[str] = "Binding"
    metadata: ObjectMeta
    target_node: str


@frozen
class DefaultBinder:
    """The API server answers the Binding, and an error there fails the binding cycle: both are the machine's
    to perform. The plugin itself says only what is sent."""

    name: ClassVar[str] = "DefaultBinder"

    # --- Bind -------------------------------------------------------------------------------------

    def binding(self, pod: Pod, node: str) -> Binding:
        """R-BIND-05: the Binding bears the pod's uid, so that a pod created anew under the same name is not
        bound in its place."""
        return Binding(ObjectMeta(name=pod.name, namespace=pod.namespace, uid=pod.uid), node)
