# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about affinity and anti-affinity between pods."""

from conformance.wrong.planted.table import Wrong

_AFFINITY = "refsched.plugins.inter_pod_affinity"
_TERMS = "refsched.plugins.inter_pod_affinity_terms"
_INFO = "refsched.framework.node_info"
_SELECTORS = "refsched.objects.selectors"

WRONG = (
    Wrong(
        "one-term-is-enough",
        "A running pod that matches one of the affinity terms counts as matching all.",
        _TERMS,
        "return all(term.matches(pod, None) for term in terms)",
        "return any(term.matches(pod, None) for term in terms)",
        cites="kubernetes #62567",
        breaks=("R-PODAFF-07",),
    ),
    Wrong(
        "nobody-is-the-first",
        "A pod whose affinity matches itself is rejected if no matching pod runs.",
        _AFFINITY,
        "when=state.affinity.is_empty and meets_all(terms, pod)",
        "when=False",
        cites="kubernetes #62232",
        breaks=("R-PODAFF-08",),
    ),
    Wrong(
        "anybody-is-the-first",
        "If no pod matches an affinity, a pod that does not match it itself may be scheduled anywhere.",
        _AFFINITY,
        "when=state.affinity.is_empty and meets_all(terms, pod)",
        "when=state.affinity.is_empty",
        cites="kubernetes #62232",
        breaks=("R-PODAFF-08",),
    ),
    Wrong(
        "everybody-is-the-first",
        "A pod whose affinity matches itself may be scheduled anywhere, even if matching pods run.",
        _AFFINITY,
        "when=state.affinity.is_empty and meets_all(terms, pod)",
        "when=meets_all(terms, pod)",
        breaks=("R-PODAFF-08",),
    ),
    Wrong(
        "running-pods-have-no-say",
        "The required anti-affinity of running pods is ignored.",
        _AFFINITY,
        "if _any_counted(state.existing_anti_affinity, labels.items()):",
        "if False:",
        cites="kubernetes #139028, autoscaler #2977, kubernetes #138546",
        breaks=("R-PODAFF-04",),
    ),
    Wrong(
        "avoids-only-who-matches-all",
        "An anti-affinity term counts only if all the anti-affinity terms of its pod match.",
        _TERMS,
        "    for term in terms:\n"
        "        if term.matches(pod, namespace_labels):\n"
        '            applies("R-PODAFF-06")\n',
        "    for term in terms:\n"
        "        if all(each.matches(pod, namespace_labels) for each in terms):\n"
        '            applies("R-PODAFF-06")\n',
        breaks=("R-PODAFF-06",),
    ),
    Wrong(
        "ignores-namespace-selectors",
        "The namespaceSelector of a term is ignored.",
        _INFO,
        "if not (named or self.namespace_selector.matches(namespace_labels or {})):",
        "if not named:",
        breaks=("R-PODAFF-05",),
    ),
    Wrong(
        "own-namespace-always",
        "A term with a namespaceSelector always selects the pod's own namespace too.",
        _INFO,
        "own = not term.namespaces and term.namespace_selector is None",
        "own = not term.namespaces",
        breaks=("R-PODAFF-05",),
    ),
    Wrong(
        "an-empty-namespace-selector-is-none",
        "A term whose namespaceSelector is empty is about the pod's own namespace, as if it had none.",
        _INFO,
        "own = not term.namespaces and term.namespace_selector is None",
        "if term.namespace_selector == type(term.namespace_selector)():\n"
        "        term = type(term)(term.topology_key, term.label_selector, term.namespaces)\n"
        "    own = not term.namespaces and term.namespace_selector is None",
        breaks=("R-PODAFF-05",),
    ),
    Wrong(
        "no-selector-matches-all",
        "A term without a labelSelector matches every pod.",
        _SELECTORS,
        "        return NOTHING\n",
        "        return EVERYTHING\n",
        breaks=("R-SELECTOR-05",),
    ),
    Wrong(
        "nominated-pods-have-no-affinity",
        "A nominated pod does not count for affinity.",
        _AFFINITY,
        "changed = _changed(state, pod, added, node, 1)",
        "changed = state",
        breaks=("R-PODAFF-02",),
    ),
    Wrong(
        "victims-keep-their-affinity",
        "In the dry run of preemption a removed victim still counts for affinity.",
        _AFFINITY,
        "changed = _changed(state, pod, removed, node, -1)",
        "changed = state",
        cites="volcano #3138",
        breaks=("R-PODAFF-03",),
    ),
    Wrong(
        "victims-go-on-attracting",
        "In the dry run of preemption a removed victim still satisfies the pod's affinity.",
        _AFFINITY,
        "affinity=state.affinity.plus(domains_of(affine, node), sign),",
        "affinity=state.affinity,",
        cites="kubernetes #86938",
        breaks=("R-PODAFF-03",),
    ),
    Wrong(
        "required-affinity-does-not-attract",
        "The required affinity of running pods adds nothing to the score.",
        _AFFINITY,
        "if self.hard_pod_affinity_weight > 0:",
        "if False:",
        breaks=("R-PODAFF-11",),
    ),
    Wrong(
        "prefers-what-it-avoids",
        "A preferred anti-affinity adds to the score, instead of subtracting.",
        _AFFINITY,
        "_weighted(self.unwanted, -1)",
        "_weighted(self.unwanted, 1)",
        breaks=("R-PODAFF-09", "R-PODAFF-12"),
    ),
    Wrong(
        "running-pods-prefer-nobody",
        "The preferred terms of running pods do not count for the score.",
        _AFFINITY,
        "_tally(found, node, self.plugin.weighted_terms_of(other), self.pod, self.namespace_labels)",
        "pass",
        breaks=("R-PODAFF-09",),
    ),
    Wrong(
        "normalizes-from-zero",
        "The lowest score is assumed to be 0, and may come out below it.",
        _AFFINITY,
        "lowest = min(raw.values())",
        "lowest = 0",
        breaks=("R-PODAFF-13",),
    ),
    Wrong(
        "no-label-is-near-enough",
        "A node without the topology key satisfies an affinity.",
        _AFFINITY,
        "if not all(term.topology_key in labels for term in terms):",
        "if False:",
        breaks=("R-PODAFF-08",),
    ),
    Wrong(
        "scores-by-feasible-nodes",
        "Preferred terms count only pods on feasible nodes.",
        _AFFINITY,
        "snapshot.sum_over_nodes(Weights(",
        "evolve(snapshot, nodes=tuple(feasible)).sum_over_nodes(Weights(",
        breaks=("R-PODAFF-09",),
    ),
    Wrong(
        "evicts-for-affinity",
        "Preemption is tried on nodes that required affinity rejected.",
        _AFFINITY,
        "return unresolvable(NO_AFFINITY)",
        "return unschedulable(NO_AFFINITY)",
        breaks=("R-PODAFF-04",),
    ),
    Wrong(
        "normalizes-in-whole-numbers",
        "A score is normalized in whole numbers, not in float64.",
        _AFFINITY,
        "int(MAX_NODE_SCORE * ((score - lowest) / spread))",
        "MAX_NODE_SCORE * (score - lowest) // spread",
        breaks=("R-PODAFF-13",),
    ),
    Wrong(
        "relabelled-pods-attract-nobody",
        "A running pod whose new labels match an affinity requeues no pod.",
        _AFFINITY,
        "came = meets_all(wanted, after) and not meets_all(wanted, before)",
        "came = meets_all(wanted, after) and before is None",
        breaks=("R-PODAFF-14",),
    ),
    Wrong(
        "new-nodes-do-not-help-who-avoids",
        "A new node does not requeue a pod with anti-affinity.",
        _AFFINITY,
        "            before is None\n            or (term",
        "            (term",
        breaks=("R-PODAFF-15",),
    ),
    Wrong(
        "waiting-pods-requeue",
        "An unscheduled pod whose labels come to match an affinity requeues the pod.",
        _AFFINITY,
        "        if any(changed is not None and not changed.spec.node_name for changed in "
        "(before, after)):\n"
        "            return False\n",
        "",
        breaks=("R-PODAFF-14",),
    ),
    Wrong(
        "emptied-domains-are-not-empty",
        "A domain that only victims were in still counts as one where a pod matches the affinity.",
        "refsched.plugins.topology_counts",
        "return not any(map(self.at, self.counted)) and not any(map(self.at, self.changes))",
        "return not self.counted and not self.changes",
        breaks=("R-PODAFF-08",),
    ),
    Wrong(
        "selects-one-namespace",
        "Of the namespaces that exist only the first may be selected by a namespaceSelector.",
        "refsched.plugins.inter_pod_affinity_terms",
        "for name, labels in existing.items() if term",
        "for name, labels in list(existing.items())[:1] if term",
        breaks=("R-PODAFF-05",),
    ),
)
