# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the meaning of a configuration."""

from refsched.mistakes.wrong import Wrong

_RESOLVE = "refsched.config.resolve"
_DEFAULTS = "refsched.config.default_plugins"
_RELEASE = "refsched.releases.v1_34"
_LEFT_OUT = "refsched.framework.left_out"

WRONG = (
    Wrong(
        "taints-weigh-one",
        "The default weight of TaintToleration is 1, not 3.",
        _RELEASE,
        'Enabled("TaintToleration", Int32(3))',
        'Enabled("TaintToleration", Int32(1))',
        breaks=("R-CONFIG-10", "R-FRAMEWORK-14"),
    ),
    Wrong(
        "affinity-weighs-one",
        "The default weight of NodeAffinity is 1, not 2.",
        _RELEASE,
        'Enabled("NodeAffinity", Int32(2))',
        'Enabled("NodeAffinity", Int32(1))',
        breaks=("R-CONFIG-10", "R-FRAMEWORK-14"),
    ),
    Wrong(
        "spread-weighs-one",
        "The default weight of PodTopologySpread is 1, not 2.",
        _RELEASE,
        'Enabled("PodTopologySpread", Int32(2))',
        'Enabled("PodTopologySpread", Int32(1))',
        breaks=("R-CONFIG-10", "R-FRAMEWORK-14"),
    ),
    Wrong(
        "keeps-the-default-weight",
        "A weight that a profile gives a default plugin at score is ignored.",
        _RESOLVE,
        "for plugin in (*plugins.score.enabled, *plugins.multi_point.enabled):",
        "for plugin in (*plugins.multi_point.enabled, *plugins.score.enabled):",
        cites="kubernetes #103956, #92649",
        breaks=("R-CONFIG-26",),
    ),
    Wrong(
        "changes-the-order-of-plugins",
        "Plugins that are enabled again at a point lose their place in the order.",
        _RESOLVE,
        "return [*before, *expanded, *(name for name in specific if name not in again)]",
        "return [*expanded, *before, *(name for name in specific if name not in again)]",
        cites="kubernetes #105611",
        breaks=("R-CONFIG-24",),
    ),
    Wrong(
        "disables-nothing-at-a-point",
        "A default plugin that is disabled at one point is still called there.",
        _RESOLVE,
        "if point not in release.plugins[plugin.name].points or plugin.name in disabled:",
        "if point not in release.plugins[plugin.name].points:",
        breaks=("R-CONFIG-23",),
    ),
    Wrong(
        "ignores-a-profile-s-percentage",
        "The percentageOfNodesToScore of a profile is ignored.",
        _RESOLVE,
        "    if percentage is None:\n",
        "    if True:\n",
        breaks=("R-CONFIG-21",),
    ),
    Wrong(
        "ignores-hard-pod-affinity-weight",
        "The hardPodAffinityWeight is always 1.",
        "refsched.plugins.inter_pod_affinity",
        "return cls(args.hard_pod_affinity_weight, args.ignore",
        "return cls(1, args.ignore",
        breaks=("R-PODAFF-11",),
    ),
    Wrong(
        "ignores-no-resources",
        "The ignoredResources of NodeResourcesFit are filtered nevertheless.",
        "refsched.plugins.node_resources_fit",
        "frozenset(args.ignored_resources),",
        "frozenset(),",
        breaks=("R-FIT-04",),
    ),
    Wrong(
        "a-disabled-plugin-comes-back",
        "A default plugin that a profile disables at multiPoint stays enabled.",
        _DEFAULTS,
        'kept = [p for p in default.enabled if not disabled & {p.name, "*"}]',
        'kept = [p for p in default.enabled if "*" not in disabled]',
        breaks=("R-CONFIG-11", "R-CONFIG-12"),
    ),
    Wrong(
        "ignores-no-resource-groups",
        "The ignoredResourceGroups of NodeResourcesFit are filtered nevertheless.",
        "refsched.plugins.node_resources_fit",
        "frozenset(args.ignored_resource_groups),",
        "frozenset(),",
        breaks=("R-FIT-04",),
    ),
    Wrong(
        "first-arguments-for-all",
        "All profiles use the plugin arguments of the first profile.",
        _RESOLVE,
        "    args |= {config.name: config.args for config in profile.plugin_config if "
        "config.name in release.args}\n",
        "    args |= {config.name: config.args for config in profile.plugin_config if "
        "config.name in release.args}\n"
        "    kept = globals().setdefault('_FIRST', {})\n"
        "    args = {name: kept.setdefault(name, found) for name, found in args.items()}\n",
        breaks=("R-CONFIG-27",),
    ),
    Wrong(
        "adds-no-affinity",
        "The addedAffinity of a profile is not read.",
        "refsched.plugins.node_affinity",
        "return cls(args.added_affinity or _NONE)",
        "return cls()",
        breaks=("R-NODEAFF-03", "R-NODEAFF-06"),
    ),
    Wrong(
        "unasked-plugins-are-skipped",
        "A plugin that is disabled at PreFilter only is not called at Filter either.",
        _LEFT_OUT,
        "instead.filters[plugin.name] = filter_alone(plugin)",
        "instead.skipped.add(plugin.name)",
        breaks=("R-FRAMEWORK-10",),
    ),
    Wrong(
        "no-disk-is-looked-at-without-pre-filter",
        "A plugin that is disabled at PreFilter alone fails at Filter before it looks at the disks on the node.",
        _LEFT_OUT,
        "if extends(plugin, FiltersAlone) else None",
        "if not extends(plugin, NeedsPreFilter) else None",
        breaks=("R-FRAMEWORK-10",),
    ),
    Wrong(
        "extenders-manage-nothing-at-the-start",
        "An extender is not called for a pod of which only an init container asks for the resource it manages.",
        "refsched.extenders.extender",
        "for c in (*spec.containers, *spec.init_containers)",
        "for c in spec.containers",
        breaks=("R-EXTENDER-01",),
    ),
)
