# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in the search for a node, and in what is told of it."""

from conformance.wrong.planted.table import Wrong

_CYCLE = "refsched.cycle.scheduling_cycle"
_DECIDE = "refsched.cycle.decide"
_FIND = "refsched.cycle.find_nodes"
_WORDS = "refsched.cycle.fit_error"
_RUNTIME = "refsched.framework.runtime"

WRONG = (
    Wrong(
        "starts-at-the-first-node",
        "each search starts at the first node, not where the last one ended",
        _CYCLE,
        "scheduler.next_start_node_index = index % len(snapshot.nodes)",
        "scheduler.next_start_node_index = 0 * index",
        cites="kubernetes #95709",
    ),
    Wrong(
        "moves-on-by-feasible-nodes",
        "the next search starts as many nodes further as were feasible",
        _DECIDE,
        "processed=len(found.feasible) + processed,",
        "processed=len(found.feasible),",
    ),
    Wrong(
        "half-of-the-nodes-are-enough",
        "the share of nodes that is enough does not shrink as clusters grow",
        _FIND,
        "max(50 - number_of_nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND)",
        "50",
        cites="kubernetes #138996",
    ),
    Wrong(
        "fifty-nodes-are-enough",
        "in small clusters too a search ends before all nodes were looked at",
        _FIND,
        "MIN_FEASIBLE_NODES_TO_FIND = 100",
        "MIN_FEASIBLE_NODES_TO_FIND = 50",
    ),
    Wrong(
        "rejected-nodes-were-not-evaluated",
        "only feasible nodes are counted as evaluated",
        _DECIDE,
        "return len(self.feasible) + len(self.diagnosis.node_to_status)",
        "return len(self.feasible)",
        cites="kubernetes #82156",
    ),
    Wrong(
        "filters-backwards",
        "filters are asked in reverse order, so that another one refuses first",
        _RUNTIME,
        "        for plugin in self.filter_plugins:\n            name = plugin.name\n",
        "        for plugin in reversed(self.filter_plugins):\n            name = plugin.name\n",
    ),
    Wrong(
        "does-not-look-at-who-was-left-out",
        "nodes that PreFilter left out are not counted in the message",
        _WORDS,
        "                counts[reason] += unseen\n",
        "                pass\n",
    ),
    Wrong(
        "who-narrowed-the-search-is-not-to-blame",
        "the plugin that left nodes out is not among those whose events may cure the pod",
        _WORDS,
        "return self.pre_filter_plugins | {s.plugin",
        "return frozenset() | {s.plugin",
    ),
    Wrong(
        "blames-the-first-plugin",
        "of several plugins that refused nodes only one may be cured",
        _WORDS,
        "        said = (*self.statuses.values(), self.rejecting)\n        extenders",
        "        said = (*self.statuses.values(), self.rejecting)[:1]\n        extenders",
    ),
    Wrong(
        "moves-on-by-one",
        "each search starts one node further than the last one",
        _CYCLE,
        "index = scheduler.next_start_node_index + decision.processed",
        "index = scheduler.next_start_node_index + 1",
    ),
    Wrong(
        "rounds-the-share-up",
        "of the nodes that are enough a part of one counts as a whole one",
        _FIND,
        "number_of_nodes * percentage // 100,",
        "-(-number_of_nodes * percentage // 100),",
    ),
    Wrong(
        "scores-a-single-node",
        "where one node is feasible, it is scored all the same",
        _DECIDE,
        "if len(feasible) <= 1:",
        "if len(feasible) < 1:",
    ),
    Wrong(
        "searches-who-was-left-out",
        "nodes that PreFilter left out are searched all the same",
        _DECIDE,
        "nodes = [node for node in nodes if node.name in pre_filter.nodes]",
        "nodes = list(nodes)",
    ),
    Wrong(
        "finds-no-node-too-many",
        "a search ends with enough feasible nodes, and does not look for one more",
        _FIND,
        "    for offset in range(len(nodes)):\n",
        "    for offset in range(len(nodes)):\n        if len(feasible) == number_to_find:\n            break\n",
    ),
)
