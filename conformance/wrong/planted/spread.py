# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in how pods are spread over domains."""

from conformance.wrong.planted.table import Wrong

_SPREAD = "refsched.plugins.pod_topology_spread"
_CONSTRAINTS = "refsched.plugins.pod_topology_spread_constraints"
_SCORING = "refsched.plugins.pod_topology_spread_scoring"
_OWNER = "refsched.plugins.default_selector"

WRONG = (
    Wrong(
        "counts-nodes-left-out",
        "nodes that the pod's node affinity leaves out count",
        _CONSTRAINTS,
        "if self.honors_affinity and not node_is_required(pod, node):",
        "if False:",
        cites="kubernetes #106971",
    ),
    Wrong(
        "counts-the-dying",
        "pods that are being deleted count",
        _CONSTRAINTS,
        "return sum(metadata.deletion_timestamp is None for metadata in matching)",
        "return len(matching)",
        cites="kubernetes #87621",
    ),
    Wrong(
        "counts-other-namespaces",
        "pods of other namespaces count",
        _CONSTRAINTS,
        "if info.pod.metadata.namespace == namespace and selector.matches(info.pod.metadata.labels)",
        "if selector.matches(info.pod.metadata.labels)",
    ),
    Wrong(
        "evicts-where-the-key-is-missing",
        "preemption is tried on nodes without the topology key",
        _SPREAD,
        "return unresolvable(NO_LABEL)",
        "return unschedulable(NO_LABEL)",
        cites="kubernetes #92579",
    ),
    Wrong(
        "takes-nodes-if-none-has-the-key",
        "where no node has the topology key, a DoNotSchedule constraint refuses none",
        _SPREAD,
        "            if domain is None:\n                return unresolvable(NO_LABEL)\n",
        "            if domain is None and not spread.counts:\n"
        "                continue\n"
        "            if domain is None:\n                return unresolvable(NO_LABEL)\n",
        cites="kubernetes #95808",
    ),
    Wrong(
        "skew-must-be-less",
        "a domain may not be as far ahead as maxSkew says",
        _SPREAD,
        "> spread.constraint.max_skew:",
        ">= spread.constraint.max_skew:",
    ),
    Wrong(
        "does-not-count-itself",
        "the pod itself does not add to its domain",
        _SPREAD,
        "self.counts.get(domain, 0) + self.counts_itself - self.least",
        "self.counts.get(domain, 0) - self.least",
    ),
    Wrong(
        "counts-itself-in-any-case",
        "the pod adds to its domain also where the constraint does not select it",
        _SPREAD,
        "Spread(constraint, by_domain, constraint.selector.matches(pod.pod.labels))",
        "Spread(constraint, by_domain, True)",
    ),
    Wrong(
        "ignores-min-domains",
        "with fewer domains than minDomains the least one still counts as it is",
        _SPREAD,
        "if len(self.counts) < self.constraint.min_domains:",
        "if False:",
    ),
    Wrong(
        "wants-one-domain-more",
        "as many domains as minDomains are not enough",
        _SPREAD,
        "if len(self.counts) < self.constraint.min_domains:",
        "if self.constraint.min_domains > 1 and len(self.counts) <= self.constraint.min_domains:",
        cites="karpenter #2257",
    ),
    Wrong(
        "honors-taints-unasked",
        "tainted nodes are left out where nodeTaintsPolicy does not say so",
        _CONSTRAINTS,
        "honors_taints=asked.node_taints_policy == HONOR",
        "honors_taints=asked.node_taints_policy in (None, HONOR)",
        cites="kubernetes #106396, autoscaler #9287",
    ),
    Wrong(
        "never-honors-taints",
        "tainted nodes count also where nodeTaintsPolicy is Honor",
        _CONSTRAINTS,
        "if self.honors_taints and not tolerates_taints(pod, node):",
        "if False:",
        cites="autoscaler #8162",
    ),
    Wrong(
        "empty-domains-do-not-count",
        "a domain without matching pods is none to be measured against",
        _SPREAD,
        "return min(self.counts.values(), default=_NO_DOMAIN)",
        "return min((count for count in self.counts.values() if count), default=_NO_DOMAIN)",
        cites="kubernetes #116629",
    ),
    Wrong(
        "no-label-is-a-domain",
        "nodes without the topology key make a domain of their own, with nobody in it",
        _SPREAD,
        "nodes = [n for n in snapshot.nodes if has_all_keys(n.existing_node.metadata.labels, constraints)]",
        "nodes = list(snapshot.nodes)",
        cites="karpenter-azure #1384",
    ),
    Wrong(
        "preferences-make-domains",
        "nodes that the pod merely does not prefer are left out of the count",
        _CONSTRAINTS,
        "    return required is None or required.matches(node)\n",
        "    preferred = affinity.preferred_during_scheduling_ignored_during_execution if affinity else ()\n"
        "    return (required is None or required.matches(node)) and (\n"
        "        not preferred or any(term.preference.matches(node) for term in preferred)\n"
        "    )\n",
        cites="karpenter #450",
    ),
    Wrong(
        "filters-by-schedule-anyway",
        "ScheduleAnyway refuses nodes as DoNotSchedule does",
        _SPREAD,
        "constraints = self._constraints(pod.pod, DO_NOT_SCHEDULE, snapshot.objects)",
        "constraints = (\n"
        "            *self._constraints(pod.pod, DO_NOT_SCHEDULE, snapshot.objects),\n"
        "            *compile_constraints(pod.pod.spec.topology_spread_constraints, pod.pod, SCHEDULE_ANYWAY),\n"
        "        )",
        cites="kubernetes #91234",
    ),
    Wrong(
        "no-default-constraints",
        "pods without constraints of their own are not spread",
        _SPREAD,
        "by_default = SYSTEM_DEFAULT_CONSTRAINTS if self.system_defaulted else self.default_constraints",
        "by_default = ()",
        cites="karpenter #1197",
    ),
    Wrong(
        "victims-stay-in-their-domain",
        "in preemption's dry run a victim that left its domain goes on counting there",
        _SPREAD,
        "return _moved(state, pod.pod, removed.pod, node.existing_node, by=-1)",
        "return state",
    ),
    Wrong(
        "nominated-pods-are-in-no-domain",
        "nominated pods do not count for the spread",
        _SPREAD,
        "return _moved(state, pod.pod, added.pod, node.existing_node, by=1)",
        "return state",
        cites="kubernetes #93505",
    ),
    Wrong(
        "weighs-domains-too-low",
        "the logarithm of the number of domains is one short",
        _SCORING,
        'of_node.get(constraint.topology_key, "") for of_node in labels}) + 2)',
        'of_node.get(constraint.topology_key, "") for of_node in labels}) + 1)',
    ),
    Wrong(
        "forgets-max-skew-in-the-score",
        "maxSkew does not soften a score",
        _SCORING,
        "score += matching * spread.weight + (spread.constraint.max_skew - 1)",
        "score += matching * spread.weight",
    ),
    Wrong(
        "cuts-a-spread-score",
        "the score of a node is cut where it should be rounded",
        _SCORING,
        "return whole + (score - whole >= 0.5)",
        "return whole",
    ),
    Wrong(
        "normalizes-without-the-smallest",
        "the node with the fewest pods does not get 100",
        _SCORING,
        "(largest + smallest - score)",
        "(largest - score)",
    ),
    Wrong(
        "prefers-nodes-without-the-key",
        "nodes that lack a topology key get the highest score",
        _SCORING,
        "        if node in ignored:\n            return 0\n",
        "        if node in ignored:\n            return MAX_NODE_SCORE\n",
    ),
    Wrong(
        "missing-label-keys-are-empty",
        "of the keys in matchLabelKeys those that the pod lacks are taken to be empty",
        _CONSTRAINTS,
        "shared = {key: labels[key] for key in asked.match_label_keys if key in labels}",
        "shared = {key: labels.get(key, '') for key in asked.match_label_keys}",
    ),
    Wrong(
        "an-empty-selector-counts-everybody",
        "a selector without requirements counts all pods of the namespace",
        _CONSTRAINTS,
        '    if selector == EVERYTHING:\n        applies("R-SPREAD-05")\n        return 0\n',
        "",
    ),
    Wrong(
        "pods-elsewhere-cure",
        "a pod of another namespace that comes or goes is thought to help",
        _SPREAD,
        "return changed.uid == pod.uid or (assigned and changed.namespace == pod.namespace)",
        "return assigned",
    ),
    Wrong(
        "any-node-gone-cures",
        "a node without the keys that is removed is thought to help",
        _SPREAD,
        "had = before is not None and has_all_keys(before.metadata.labels, constraints)",
        "had = before is not None",
    ),
    Wrong(
        "services-elsewhere-select",
        "a Service of another namespace says with whom a pod spreads by default",
        _OWNER,
        "if service.metadata.namespace == pod.namespace and selects_labels",
        "if selects_labels",
    ),
    Wrong(
        "owners-say-nothing",
        "by default pods spread with what Services select, whatever their owner selects",
        _OWNER,
        "return with_labels(_owner_selector(objects.get(ReplicaSet, owner.name, pod.namespace)), labels)",
        "return with_labels(EVERYTHING, labels)",
    ),
)
