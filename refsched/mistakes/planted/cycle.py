# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the search for a node and the fit error."""

from refsched.mistakes.wrong import Wrong

_CYCLE = "refsched.cycle.scheduling_cycle"
_DECIDE = "refsched.cycle.decide"
_FIND = "refsched.cycle.find_nodes"
_WORDS = "refsched.cycle.fit_error"
_RUNTIME = "refsched.framework.runtime"

WRONG = (
    Wrong(
        "starts-at-the-first-node",
        "Each search starts at the first node, not where the last one ended.",
        _CYCLE,
        "scheduler.next_start_node_index = index % len(snapshot.nodes)",
        "scheduler.next_start_node_index = 0 * index",
        cites="kubernetes #95709",
        breaks=("R-SEARCH-05",),
    ),
    Wrong(
        "moves-on-by-feasible-nodes",
        "The next search starts after as many nodes as were feasible, not as were evaluated.",
        _DECIDE,
        "processed=len(found.feasible) + processed,",
        "processed=len(found.feasible),",
        breaks=("R-SEARCH-05",),
    ),
    Wrong(
        "half-of-the-nodes-are-enough",
        "The percentage of nodes to score does not shrink as the cluster grows.",
        _FIND,
        "max(50 - number_of_nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND)",
        "50",
        cites="kubernetes #138996",
        breaks=("R-SEARCH-01",),
    ),
    Wrong(
        "fifty-nodes-are-enough",
        "In a small cluster, too, the search ends before all nodes were evaluated.",
        _FIND,
        "MIN_FEASIBLE_NODES_TO_FIND = 100",
        "MIN_FEASIBLE_NODES_TO_FIND = 50",
        breaks=("R-SEARCH-01",),
    ),
    Wrong(
        "rejected-nodes-were-not-evaluated",
        "Only feasible nodes are counted as evaluated.",
        _DECIDE,
        "return len(self.feasible) + len(self.diagnosis.node_to_status)",
        "return len(self.feasible)",
        cites="kubernetes #82156",
        breaks=("R-SEARCH-14", "R-SEARCH-05"),
    ),
    Wrong(
        "filters-backwards",
        "Filter plugins are called in reverse order, so that another plugin rejects first.",
        _RUNTIME,
        "        for plugin in self.filter_plugins:\n            name = plugin.name\n",
        "        for plugin in reversed(self.filter_plugins):\n            name = plugin.name\n",
        breaks=("R-FRAMEWORK-13",),
    ),
    Wrong(
        "does-not-look-at-who-was-left-out",
        "Nodes that PreFilter excluded are missing from the counts of the fit error.",
        _WORDS,
        "                counts[reason] += unseen\n",
        "                pass\n",
        breaks=("R-WORDS-01",),
    ),
    Wrong(
        "who-narrowed-the-search-is-not-to-blame",
        "The plugin that excluded nodes at PreFilter is not recorded as having rejected the pod.",
        _WORDS,
        "return self.pre_filter_plugins | {s.plugin",
        "return frozenset() | {s.plugin",
        breaks=("R-SEARCH-09", "R-FAIL-02"),
    ),
    Wrong(
        "blames-the-first-plugin",
        "Only one of the plugins that rejected nodes is recorded as having rejected the pod.",
        _WORDS,
        "        said = (*self.statuses.values(), self.rejecting)\n        extenders",
        "        said = (*self.statuses.values(), self.rejecting)[:1]\n        extenders",
        breaks=("R-FAIL-02",),
    ),
    Wrong(
        "moves-on-by-one",
        "Each search starts one node further than the last one.",
        _CYCLE,
        "index = scheduler.next_start_node_index + decision.processed",
        "index = scheduler.next_start_node_index + 1",
        breaks=("R-SEARCH-05",),
    ),
    Wrong(
        "rounds-the-share-up",
        "The number of feasible nodes to find is rounded up, not down.",
        _FIND,
        "number_of_nodes * percentage // 100,",
        "-(-number_of_nodes * percentage // 100),",
        breaks=("R-SEARCH-01",),
    ),
    Wrong(
        "scores-a-single-node",
        "A single feasible node is scored nevertheless.",
        _DECIDE,
        "if len(feasible) <= 1:",
        "if len(feasible) < 1:",
        breaks=("R-SEARCH-04",),
    ),
    Wrong(
        "searches-who-was-left-out",
        "Nodes that PreFilter excluded are filtered nevertheless.",
        _DECIDE,
        "nodes = [node for node in nodes if node.name in pre_filter.nodes]",
        "nodes = list(nodes)",
        breaks=("R-SEARCH-09", "R-NODEAFF-02"),
    ),
    Wrong(
        "finds-no-node-too-many",
        "The search stops with exactly the wanted number of feasible nodes, and never evaluates further.",
        _FIND,
        "    for offset in range(len(nodes)):\n",
        "    for offset in range(len(nodes)):\n        if len(feasible) == number_to_find:\n            break\n",
        breaks=("R-SEARCH-02",),
    ),
)
