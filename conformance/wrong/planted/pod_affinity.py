# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about affinity and anti-affinity between pods."""

from conformance.wrong.planted.table import Wrong

_AFFINITY = "refsched.plugins.inter_pod_affinity"
_TERMS = "refsched.plugins.inter_pod_affinity_terms"
_INFO = "refsched.framework.node_info"
_SELECTORS = "refsched.objects.selectors"

WRONG = (
    Wrong(
        "one-term-is-enough",
        "a running pod that meets one of several affinity terms counts as meeting all",
        _TERMS,
        "return all(term.matches(pod, None) for term in terms)",
        "return any(term.matches(pod, None) for term in terms)",
        cites="kubernetes #62567",
    ),
    Wrong(
        "nobody-is-the-first",
        "a pod whose affinity asks for its own kind is refused while none of them runs",
        _AFFINITY,
        "if not state.affinity.is_empty or not meets_all(terms, pod):",
        "if True:",
        cites="kubernetes #62232",
    ),
    Wrong(
        "anybody-is-the-first",
        "where nobody meets an affinity, also a pod that does not meet it itself may go anywhere",
        _AFFINITY,
        "if not state.affinity.is_empty or not meets_all(terms, pod):",
        "if not state.affinity.is_empty:",
        cites="kubernetes #62232",
    ),
    Wrong(
        "everybody-is-the-first",
        "a pod of the kind that it wants near may go anywhere, also where others run elsewhere",
        _AFFINITY,
        "if not state.affinity.is_empty or not meets_all(terms, pod):",
        "if not meets_all(terms, pod):",
    ),
    Wrong(
        "running-pods-have-no-say",
        "the anti-affinity of pods that run does not keep a pod away",
        _AFFINITY,
        "if _any_counted(state.existing_anti_affinity, labels.items()):",
        "if False:",
        cites="kubernetes #139028, autoscaler #2977, kubernetes #138546",
    ),
    Wrong(
        "hates-only-who-meets-all",
        "of several anti-affinity terms all must be met before a pod is kept away",
        _TERMS,
        "    for term in terms:\n"
        "        if term.matches(pod, namespace_labels):\n"
        '            applies("R-PODAFF-06")\n',
        "    for term in terms:\n"
        "        if all(each.matches(pod, namespace_labels) for each in terms):\n"
        '            applies("R-PODAFF-06")\n',
    ),
    Wrong(
        "ignores-namespace-selectors",
        "a term speaks only of the namespaces that it lists",
        _INFO,
        "if not (named or self.namespace_selector.matches(namespace_labels or {})):",
        "if not named:",
    ),
    Wrong(
        "own-namespace-always",
        "a term with a namespaceSelector speaks of the pod's own namespace too",
        _INFO,
        "own = not term.namespaces and term.namespace_selector is None",
        "own = not term.namespaces",
    ),
    Wrong(
        "no-selector-matches-all",
        "a term without a label selector speaks of every pod",
        _SELECTORS,
        "if selector is None:\n        return NOTHING",
        "if selector is None:\n        return EVERYTHING",
    ),
    Wrong(
        "nominated-pods-have-no-affinity",
        "a nominated pod does not count for affinity",
        _AFFINITY,
        "changed = _changed(state, pod, added, node, 1)",
        "changed = state",
    ),
    Wrong(
        "victims-keep-their-affinity",
        "in preemption's dry run a victim that left goes on counting for affinity",
        _AFFINITY,
        "changed = _changed(state, pod, removed, node, -1)",
        "changed = state",
        cites="volcano #3138",
    ),
    Wrong(
        "victims-go-on-attracting",
        "in preemption's dry run a pod whose affinity a victim met is thought to go on having it near",
        _AFFINITY,
        "affinity=state.affinity.plus(_domains(affine, node), sign),",
        "affinity=state.affinity,",
        cites="kubernetes #86938",
    ),
    Wrong(
        "required-affinity-does-not-attract",
        "the required affinity of running pods adds nothing to the score",
        _AFFINITY,
        "if self.hard_pod_affinity_weight > 0:",
        "if False:",
    ),
    Wrong(
        "prefers-whom-it-avoids",
        "a preferred anti-affinity adds to the score",
        _AFFINITY,
        "_weighted(unwanted, -1)",
        "_weighted(unwanted, 1)",
    ),
    Wrong(
        "running-pods-prefer-nobody",
        "the preferences of pods that run do not count for the score",
        _AFFINITY,
        "_tally(scores, node, self._weighted_terms_of(other), pod.pod, namespace_labels)",
        "pass",
    ),
    Wrong(
        "normalizes-from-zero",
        "the lowest score is taken to be 0, and may come out below it",
        _AFFINITY,
        "lowest = min(raw.values())",
        "lowest = 0",
    ),
    Wrong(
        "no-label-is-near-enough",
        "a node without the topology key satisfies an affinity",
        _AFFINITY,
        "if not all(term.topology_key in labels for term in terms):",
        "if False:",
    ),
    Wrong(
        "scores-by-feasible-nodes",
        "preferences count only pods on nodes where the pod fits",
        _AFFINITY,
        "for node in snapshot.nodes:\n            for other in node.pods if has_own",
        "for node in feasible:\n            for other in node.pods if has_own",
    ),
    Wrong(
        "evicts-for-affinity",
        "where whom a pod wants near is not there, preemption is tried",
        _AFFINITY,
        "return unresolvable(NO_AFFINITY)",
        "return unschedulable(NO_AFFINITY)",
    ),
    Wrong(
        "normalizes-in-whole-numbers",
        "a score is normalized in whole numbers, not in float64",
        _AFFINITY,
        "int(MAX_NODE_SCORE * ((score - lowest) / spread))",
        "MAX_NODE_SCORE * (score - lowest) // spread",
    ),
    Wrong(
        "relabelled-pods-attract-nobody",
        "a running pod that comes to meet an affinity by its labels cures nobody",
        _AFFINITY,
        "came = meets_all(wanted, after) and not meets_all(wanted, before)",
        "came = meets_all(wanted, after) and before is None",
    ),
    Wrong(
        "new-nodes-do-not-help-who-avoids",
        "a new node cures nobody who avoids others",
        _AFFINITY,
        "            before is None\n            or (term",
        "            (term",
    ),
    Wrong(
        "waiting-pods-cure",
        "a pod that waits, and comes to meet an affinity, is thought to help",
        _AFFINITY,
        "        if any(changed is not None and not changed.spec.node_name for changed in "
        "(before, after)):\n"
        "            return False\n",
        "",
    ),
)
