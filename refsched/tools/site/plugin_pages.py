# SPDX-License-Identifier: Apache-2.0
"""Plugin pages: one for each default plugin and each extension point, from the tables that the code executes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from importlib import import_module

from refsched.config.resolve import resolve
from refsched.config.types import EXTENSION_POINTS
from refsched.framework.interface import Plugin
from refsched.reading.configuration.read import default_config
from refsched.releases import DEFAULT
from refsched.suite.catalogue.rules import StatedRule, all_rules, default_plugins, plugin_of
from refsched.tools.site.binding_ways import ways_drawn, ways_table
from refsched.tools.site.catalogue_pages import events_table
from refsched.tools.site.markdown import anchor, page, prose, rule_link, table
from refsched.tools.site.shown_runs import TRACE, scores_shown, steps_shown

_POINTS = {
    "preEnqueue": "Before a pod enters the active queue, plugins say whether it may be tried at all. One that is"
    " rejected is gated.",
    "queueSort": "The plugin says which of two waiting pods comes first.",
    "preFilter": "Once for each attempt, before any node is looked at, plugins compute what their Filter needs."
    " A plugin may also reject the pod, so that PostFilter comes next, narrow the nodes, or skip its Filter.",
    "filter": "For each node, plugins say whether the pod fits there. The first plugin that rejects the node"
    " decides.",
    "postFilter": "If no node is feasible, plugins may make room. This is where preemption happens. Then the pod"
    " goes back to the queue, perhaps nominated to a node.",
    "preScore": "Once for each attempt, plugins compute over the feasible nodes what their Score needs.",
    "score": "Each plugin gives every feasible node a number, which is normalized to 0..100 and multiplied by the"
    " plugin's weight.",
    "reserve": "After a node is chosen, plugins set aside what the pod will use. Unreserve takes it back.",
    "permit": "Before the binding cycle begins, each plugin lets the pod go on, lets it wait, or rejects it.",
    "preBind": "Plugins do what must be done before the pod is bound, such as binding its volumes.",
    "bind": "The first plugin that does not skip binds the pod to the node.",
    "postBind": "Plugins are informed that the pod was bound; they can reject nothing any more.",
}
"""These sentences describe the extension points."""


@cache
def _profile() -> dict[str, list[tuple[str, int]]]:
    """Returns the plugins of the default profile by point, in their order, with their weights."""
    resolved = resolve(default_config())[0]
    return {
        point: [(plugin.name, plugin.weight) for plugin in resolved.points[point]]
        for point in EXTENSION_POINTS
    }


def plugin_names() -> list[str]:
    return sorted(plugin.name for plugin in default_plugins())


def index_page() -> str:
    names = plugin_names()
    rows = [(f"[{name}]({name}.md)", _says(_plugin(name))) for name in names]
    return page(
        "# Plugins",
        f"These are the default plugins of Kubernetes {DEFAULT.name}.",
        table(("plugin", "what it does"), rows),
        "```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```",
    )


def points_page() -> str:
    return page(
        "# Extension points",
        "The extension points stand here in the order in which a pod meets them. Each has the plugins of the"
        f" default profile of Kubernetes {DEFAULT.name}, in the order in which they are called.",
        *(part for point in EXTENSION_POINTS for part in _point(point)),
        "## The binding cycle, and the ways back",
        "Once a node is chosen, the pod counts there. It is bound, or whatever was set aside is given back and"
        " the pod returns to the queue.",
        ways_drawn(),
        ways_table(),
        "## From the queue to the node and back",
        f"This is the recording `traces/{TRACE}` of the real kube-scheduler. Each row is a step, and says where"
        " each pod is after it.",
        steps_shown(),
    )


def way_drawn() -> str:
    """Returns the way of a pod as boxes that can be clicked: the extension points, in each its plugins, and in
    each of these its rules."""
    lines = ["```{raw} html", '<ol class="way">']
    for point, plugins in _profile().items():
        link = f'<a href="generated/points.html#{point.lower()}">{point}</a>'
        lines.append(f'<li title="{escape(_POINTS[point])}">{link}')
        lines += [_with_rules(name) for name, _ in plugins] or ["<span>no default plugin</span>"]
        lines.append("</li>")
    return page("\n".join((*lines, "</ol>", "```")))


def _with_rules(name: str) -> str:
    if name not in plugin_names():
        return f"<span>{name}</span>"
    links = "".join(
        f' <a href="generated/rules/{rule.area}.html#{anchor(rule.id)}" title="{escape(rule.sentence)}">'
        f"{rule.id}</a>"
        for rule in _rules_of(name)
    )
    plugin = f'<a href="generated/plugins/{name}.html">about the plugin</a>'
    return f"<details><summary>{name}</summary>{plugin}{links}</details>"


def _rules_of(plugin: str) -> list[StatedRule]:
    own = [rule for rule in all_rules().values() if plugin_of(rule.id) == plugin and rule.area != "CURE"]
    return sorted(own, key=lambda rule: rule.id)


def _point(point: str) -> Iterator[str]:
    yield f"## {point}"
    yield _POINTS[point]
    rows = [
        (
            f"[{name}](plugins/{name}.md)" if name in plugin_names() else name,
            *([str(weight)] if point == "score" else []),
        )
        for name, weight in _profile()[point]
    ]
    heads = ("plugin", *(["weight"] if point == "score" else []))
    yield table(heads, rows) if rows else "No default plugin."
    if point == "score":
        yield (
            "This is what each plugin adds to the total of four nodes, after its weight: at most 100 times the"
            " weight. `large` has the most room, `fast` has the disk that is preferred and the first pod of the"
            " shop, `ready` has the image, and `spot` has the disk and a taint that is to be avoided."
        )
        yield scores_shown()


def plugin_page(name: str) -> str:
    plugin = _plugin(name)
    points = [point for point in EXTENSION_POINTS if name in dict(_profile()[point])]
    weight = dict(_profile()["score"]).get(name)
    weighs = f" Its score has weight {weight}." if weight is not None else ""
    rules = _rules_of(name)
    return page(
        f"# {name}",
        f"{_says(plugin)}.",
        f"It is called at {', '.join(points)}.{weighs}",
        "## Its rules",
        table(
            ("rule", "it says", "holds in"),
            ((rule_link(rule.id), prose(rule.sentence), rule.held_in) for rule in rules),
        )
        if rules
        else "The plugin has no rules of its own.",
        "## Events that requeue a pod that it rejected",
        events_table(plugin, "../"),
    )


def _plugin(name: str) -> Plugin:
    return next(plugin for plugin in default_plugins() if plugin.name == name)


def _says(plugin: Plugin) -> str:
    """Returns the first sentence of its module, without its name."""
    text = (import_module(type(plugin).__module__).__doc__ or "").strip().partition("\n\n")[0]
    text = prose(text).rstrip(".").partition(": ")[2] or prose(text).rstrip(".")
    return text[:1].upper() + text[1:]
