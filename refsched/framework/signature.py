# SPDX-License-Identifier: Apache-2.0
"""Signature: what the decisions of a profile depend on in a pod, so that two pods with the same signature are
taken for equal.

Observed: which pods are taken for equal may only save searches, KEP-5598.
Source: pkg/scheduler/framework/runtime/framework.go, SignPod, computeBatchablePlugins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from refsched.framework.interface import SignPlugin, extends
from refsched.framework.runtime import Framework
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.rules import applies

Signature = Mapping[str, object]
"""A Signature is what the plugins of a profile said about a pod."""

Signer = Callable[[Pod], Signature | None]
"""A Signer returns the signature of a pod, or None if it has none."""


def sign_pod(framework: Framework, pod: Pod, objects: ObjectStore) -> Signature | None:
    """R-BATCH-11: A pod has no signature if one of the profile's PreFilter, Filter, PreScore and Score plugins
    gives it none, or cannot sign pods.
    R-BATCH-12 (needs extenders): If there are extenders, no pod has a signature.
    """
    if framework.extenders:
        applies("R-BATCH-12")
        return None
    signature: dict[str, object] = {}
    points = (
        framework.pre_filter_plugins,
        framework.filter_plugins,
        framework.pre_score_plugins,
        framework.score_plugins,
    )
    for plugin in {plugin.name: plugin for point in points for plugin in point}.values():
        fragments = plugin.sign(pod, objects) if extends(plugin, SignPlugin) else None
        if fragments is None:
            applies("R-BATCH-11")
            return None
        signature.update(fragments)
    return signature


def signer_of(frameworks: Mapping[str, Framework], objects: ObjectStore) -> Signer:
    """Returns the signer of pods of these profiles. A pod of another profile has no signature."""

    def sign(pod: Pod) -> Signature | None:
        framework = frameworks.get(pod.spec.scheduler_name)
        return sign_pod(framework, pod, objects) if framework is not None else None

    return sign
