# SPDX-License-Identifier: Apache-2.0
"""KubeSchedulerConfiguration v1beta1, as v1.19 reads it: it has no multiPoint, no preEnqueue and no parallelism.

Promised: how profiles and extension points are configured is documented with KubeSchedulerConfiguration.
Shows in: config.
Source: k8s.io/kube-scheduler/config/v1beta1/types.go, types_pluginargs.go;
pkg/scheduler/apis/config/v1beta1/defaults.go; pkg/scheduler/apis/config/types.go, mergePluginSets;
pkg/scheduler/apis/config/validation/validation_pluginargs.go.
"""

from __future__ import annotations

from refsched.config.args import PluginArgs, refused_by
from refsched.config.types import PluginSet
from refsched.rules import applies

NOT_YET = (
    "parallelism",
    "delayCacheUntilActive",
    "profiles[].percentageOfNodesToScore",
    "profiles[].plugins.preEnqueue",
    "profiles[].plugins.multiPoint",
)
"""These are the paths of fields that a later version of the API has, and this one refuses."""
UNREAD = ("healthzBindAddress", "metricsBindAddress")


def merged_set(default: PluginSet, custom: PluginSet) -> PluginSet:
    """R-CONFIG-51 (instead of R-CONFIG-11, R-CONFIG-12): In v1.19 the plugins that a profile enables at a point
    are called after the default plugins that it does not disable there; a default plugin that is enabled again,
    and not disabled, is refused.

    It is refused as a plugin that is enabled twice is (R-CONFIG-25).
    """
    disabled = custom.disabled_names
    kept = tuple(plugin for plugin in default.enabled if not disabled & {plugin.name, "*"})
    applies("R-CONFIG-51", when=kept and custom.enabled)
    return PluginSet((*kept, *custom.enabled), custom.disabled)


def check_enabled(args: PluginArgs) -> None:
    """R-CONFIG-52: In v1.19 the arguments of a plugin are checked where the plugin is enabled: weights of
    resources, the points of a shape, labels that contradict each other, default constraints and names of resources
    that are ignored."""
    with refused_by("R-CONFIG-52"):
        args.validate()
