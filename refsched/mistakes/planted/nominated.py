# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about nominated pods."""

from refsched.mistakes.wrong import Wrong

_RUNTIME = "refsched.framework.runtime"
_NOMINATOR = "refsched.queue.nominator"
_QUEUE = "refsched.queue.scheduling_queue"
_CYCLE = "refsched.cycle.scheduling_cycle"
_DECIDE = "refsched.cycle.decide"
_PREEMPTION = "refsched.plugins.default_preemption"
_POST_FILTER = "refsched.cycle.post_filter"
_PICK = "refsched.preemption.pick"

WRONG = (
    Wrong(
        "skips-the-second-nominated-pass",
        "The second pass, in which a pod must fit without the nominated pods, is skipped.",
        _RUNTIME,
        "if counted and status.is_success:",
        "if False:",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "equals-do-not-count",
        "Nominated pods of equal priority do not count.",
        _RUNTIME,
        "n.pod.priority >= pod.pod.priority and",
        "n.pod.priority > pod.pod.priority and",
        cites="kubernetes #126700",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "lesser-nominations-count",
        "Nominated pods of lower priority count too.",
        _RUNTIME,
        "n.pod.priority >= pod.pod.priority and n.pod.uid",
        "n.pod.uid",
        cites="kubernetes #106780",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "stands-in-its-own-way",
        "A nominated pod counts against itself on its nominated node.",
        _RUNTIME,
        " and n.pod.uid != pod.pod.uid]",
        "]",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "nominations-mean-nothing",
        "Nominated pods do not count on their nodes.",
        _RUNTIME,
        "        for other in counted:\n",
        "        for other in ():\n",
        cites="kubernetes #72124",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "nominated-pods-only-take-room",
        "Nominated pods count on the node, but not in the state that plugins prepared at PreFilter.",
        _RUNTIME,
        "crowded_state = self.add_pod(crowded_state, pod, other, crowded, snapshot)",
        "pass",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "counts-twice-who-was-nominated",
        "An assumed pod keeps its nomination, and so counts twice.",
        _CYCLE,
        "    scheduler.queue.nominator.withdraw(assumed)\n",
        "",
        breaks=("R-ASSUME-01", "R-NOM-05"),
        shows_with="scripted",
    ),
    Wrong(
        "the-deleted-stay-nominated",
        "A deleted pod keeps its nomination.",
        _QUEUE,
        "        self.nominator.withdraw(pod)\n        place, found = self._find(pod.key)\n",
        "        place, found = self._find(pod.key)\n",
        cites="kubernetes #102339",
        breaks=("R-NOM-03", "R-NOM-05"),
    ),
    Wrong(
        "an-update-ends-a-nomination",
        "An update of a nominated pod ends its nomination.",
        _NOMINATOR,
        "        self._remove(before)\n        self.nominate(after, unwritten)\n",
        "        self._remove(before)\n",
        breaks=("R-NOM-04",),
    ),
    Wrong(
        "who-may-not-preempt-loses-its-nomination",
        "A pod that is not eligible to preempt loses its nomination.",
        _PREEMPTION,
        "return PostFilterResult(unschedulable(reason))",
        'return PostFilterResult(unschedulable(reason), nominated_node="")',
        cites="kubernetes #133276",
        breaks=("R-PREEMPT-13",),
    ),
    Wrong(
        "keeps-a-hopeless-nomination",
        "A pod keeps its nomination if preemption helps on no node.",
        _PREEMPTION,
        'return PostFilterResult(unschedulable(message), nominated_node="")',
        "return PostFilterResult(unschedulable(message))",
        cites="kubernetes #85677",
        breaks=("R-PREEMPT-15",),
    ),
    Wrong(
        "outranked-pods-stay-nominated",
        "Pods of lower priority keep their nomination to a node to which a preemptor is nominated.",
        _PICK,
        "for other in context.nominated_pods(node) if other.pod.priority < priority)",
        "for other in () if other.pod.priority < priority)",
        breaks=("R-PREEMPT-16", "R-PREEMPT-PREP-01"),
    ),
    Wrong(
        "looks-at-all-nodes-first",
        "The nominated node is not evaluated before the other nodes.",
        _DECIDE,
        "nodes = [] if node is None else [node]",
        "nodes = []",
        breaks=("R-SEARCH-03",),
    ),
    Wrong(
        "nominated-nodes-are-taken-on-trust",
        "The nominated node is selected without calling a Filter plugin.",
        _DECIDE,
        "return find_nodes(nodes, 0, 1, filters)",
        "return Search(tuple(nodes))",
        breaks=("R-SEARCH-03",),
    ),
    Wrong(
        "who-is-nominated-looks-nowhere-else",
        "A pod that does not fit on its nominated node is not tried on other nodes.",
        _DECIDE,
        "        nodes: Sequence[NodeInfo] = self.snapshot.nodes\n",
        "        nominated = self.snapshot.get(filters.pod.pod.status.nominated_node_name)\n"
        "        nodes: Sequence[NodeInfo] = [nominated] if nominated else self.snapshot.nodes\n",
        breaks=("R-SEARCH-03",),
    ),
    Wrong(
        "keeps-the-first-nomination",
        "A pod that is nominated to another node still counts on the first one.",
        _NOMINATOR,
        "        self._remove(pod)\n        to = ",
        "        to = ",
        breaks=("R-NOM-02",),
    ),
    Wrong(
        "no-post-filter-ends-nominations",
        "If no PostFilter plugin is enabled, an unschedulable pod loses its nomination.",
        _POST_FILTER,
        "        return PostFilterOutcome()\n",
        '        return PostFilterOutcome(nominated_node="")\n',
        breaks=("R-POSTFILTER-01",),
    ),
    Wrong(
        "the-first-nomination-of-a-node-counts",
        "Only one of the pods nominated to a node counts.",
        _RUNTIME,
        "        for other in counted:\n",
        "        for other in counted[:1]:\n",
        breaks=("R-NOM-01",),
    ),
    Wrong(
        "a-withdrawn-nomination-counts",
        "A nomination that was cleared through the API still counts.",
        _NOMINATOR,
        "if not before.status.nominated_node_name and not after.status.nominated_node_name:",
        "if not after.status.nominated_node_name:",
        breaks=("R-NOM-04", "R-NOM-02"),
    ),
    Wrong(
        "nominations-to-other-nodes-are-withdrawn",
        "Pods of lower priority lose their nomination whichever node it names.",
        _PICK,
        "for other in context.nominated_pods(node) if",
        "for each in context.snapshot.nodes for other in context.nominated_pods(each.name) if",
        breaks=("R-PREEMPT-16",),
    ),
    Wrong(
        "who-is-leaving-is-not-nominated",
        "A pod that is being deleted does not count where it is nominated.",
        "refsched.queue.nominator",
        "queued = ((named, waiting(named.key)) for named in nominated)\n",
        "queued = [(named, waiting(named.key)) for named in nominated]\n"
        "        queued = [(n, p) for n, p in queued if p is None or not p.pod.metadata.deletion_timestamp]\n",
        breaks=("R-NOM-06", "R-NOM-01"),
    ),
    Wrong(
        "who-is-bound-by-others-stays-nominated",
        "A nominated pod that somebody else binds stays nominated.",
        _QUEUE,
        "        self.nominator.withdraw(pod)\n        place, found = self._find(pod.key)\n",
        "        if self._objects.get(Pod, pod.name, pod.namespace) is None:\n"
        "            self.nominator.withdraw(pod)\n        place, found = self._find(pod.key)\n",
        breaks=("R-NOM-03", "R-NOM-05"),
    ),
)
