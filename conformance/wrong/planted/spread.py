# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about topology spread constraints."""

from conformance.wrong.planted.table import Wrong

_SPREAD = "refsched.plugins.pod_topology_spread"
_CONSTRAINTS = "refsched.plugins.pod_topology_spread_constraints"
_SCORING = "refsched.plugins.pod_topology_spread_scoring"
_OWNER = "refsched.plugins.default_selector"

WRONG = (
    Wrong(
        "counts-nodes-left-out",
        "Nodes that the pod's node affinity excludes are counted.",
        _CONSTRAINTS,
        "if self.honors_affinity and not node_is_required(pod, node):",
        "if False:",
        cites="kubernetes #106971",
    ),
    Wrong(
        "counts-the-dying",
        "Terminating pods are counted.",
        _CONSTRAINTS,
        "return sum(metadata.deletion_timestamp is None for metadata in matching)",
        "return len(matching)",
        cites="kubernetes #87621",
    ),
    Wrong(
        "counts-other-namespaces",
        "Pods of other namespaces are counted.",
        _CONSTRAINTS,
        "if info.pod.metadata.namespace == namespace and selector.matches(info.pod.metadata.labels)",
        "if selector.matches(info.pod.metadata.labels)",
    ),
    Wrong(
        "evicts-where-the-key-is-missing",
        "Preemption is tried on nodes without the topology key.",
        _SPREAD,
        "return unresolvable(NO_LABEL)",
        "return unschedulable(NO_LABEL)",
        cites="kubernetes #92579",
    ),
    Wrong(
        "takes-nodes-if-none-has-the-key",
        "If no node has the topology key, a DoNotSchedule constraint rejects no node.",
        _SPREAD,
        "            if domain is None:\n                return unresolvable(NO_LABEL)\n",
        "            if domain is None and not spread.counts:\n"
        "                continue\n"
        "            if domain is None:\n                return unresolvable(NO_LABEL)\n",
        cites="kubernetes #95808",
    ),
    Wrong(
        "skew-must-be-less",
        "A skew equal to maxSkew is rejected.",
        _SPREAD,
        "> spread.constraint.max_skew:",
        ">= spread.constraint.max_skew:",
    ),
    Wrong(
        "does-not-count-itself",
        "The incoming pod does not count in its own domain.",
        _SPREAD,
        "self.counts.get(domain, 0) + self.counts_itself - self.least",
        "self.counts.get(domain, 0) - self.least",
    ),
    Wrong(
        "counts-itself-in-any-case",
        "The incoming pod counts in its domain even if the constraint does not select it.",
        _SPREAD,
        "Spread(constraint, by_domain, constraint.selector.matches(pod.pod.labels))",
        "Spread(constraint, by_domain, True)",
    ),
    Wrong(
        "ignores-min-domains",
        "With fewer domains than minDomains the global minimum is not 0.",
        _SPREAD,
        "if len(self.counts) < self.constraint.min_domains:",
        "if False:",
    ),
    Wrong(
        "wants-one-domain-more",
        "Exactly minDomains domains are treated as too few.",
        _SPREAD,
        "if len(self.counts) < self.constraint.min_domains:",
        "if self.constraint.min_domains > 1 and len(self.counts) <= self.constraint.min_domains:",
        cites="karpenter #2257",
    ),
    Wrong(
        "honors-taints-unasked",
        "Tainted nodes are excluded even if nodeTaintsPolicy is Ignore.",
        _CONSTRAINTS,
        "honors_taints=asked.node_taints_policy == HONOR",
        "honors_taints=asked.node_taints_policy in (None, HONOR)",
        cites="kubernetes #106396, autoscaler #9287",
    ),
    Wrong(
        "never-honors-taints",
        "Tainted nodes are counted even if nodeTaintsPolicy is Honor.",
        _CONSTRAINTS,
        "if self.honors_taints and not tolerates_taints(pod, node):",
        "if False:",
        cites="autoscaler #8162",
    ),
    Wrong(
        "empty-domains-do-not-count",
        "A domain without matching pods does not count for the global minimum.",
        _SPREAD,
        "return min(self.counts.values(), default=_NO_DOMAIN)",
        "return min((count for count in self.counts.values() if count), default=_NO_DOMAIN)",
        cites="kubernetes #116629",
    ),
    Wrong(
        "no-label-is-a-domain",
        "Nodes without the topology key form an empty domain of their own.",
        _SPREAD,
        "nodes = [n for n in snapshot.nodes if has_all_keys(n.existing_node.metadata.labels, constraints)]",
        "nodes = list(snapshot.nodes)",
        cites="karpenter-azure #1384",
    ),
    Wrong(
        "preferences-make-domains",
        "Nodes that match none of the pod's preferred terms are excluded from the count.",
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
        "A ScheduleAnyway constraint rejects nodes as DoNotSchedule does.",
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
        "Pods without constraints of their own are not spread.",
        _SPREAD,
        "by_default = SYSTEM_DEFAULT_CONSTRAINTS if self.system_defaulted else self.default_constraints",
        "by_default = ()",
        cites="karpenter #1197",
    ),
    Wrong(
        "victims-stay-in-their-domain",
        "In the dry run of preemption a removed victim is still counted in its domain.",
        _SPREAD,
        "return _moved(state, pod.pod, removed.pod, node.existing_node, by=-1)",
        "return state",
    ),
    Wrong(
        "nominated-pods-are-in-no-domain",
        "Nominated pods do not count for topology spread.",
        _SPREAD,
        "return _moved(state, pod.pod, added.pod, node.existing_node, by=1)",
        "return state",
        cites="kubernetes #93505",
    ),
    Wrong(
        "weighs-domains-too-low",
        "The logarithm of the number of domains is one short.",
        _SCORING,
        'of_node.get(constraint.topology_key, "") for of_node in labels}) + 2)',
        'of_node.get(constraint.topology_key, "") for of_node in labels}) + 1)',
    ),
    Wrong(
        "forgets-max-skew-in-the-score",
        "maxSkew does not soften a score.",
        _SCORING,
        "score += matching * spread.weight + (spread.constraint.max_skew - 1)",
        "score += matching * spread.weight",
    ),
    Wrong(
        "cuts-a-spread-score",
        "The score of a node is cut where it should be rounded.",
        _SCORING,
        "return whole + (score - whole >= 0.5)",
        "return whole",
    ),
    Wrong(
        "normalizes-without-the-smallest",
        "The node with the fewest pods does not get 100.",
        _SCORING,
        "(largest + smallest - score)",
        "(largest - score)",
    ),
    Wrong(
        "prefers-nodes-without-the-key",
        "Nodes that lack a topology key get the highest score.",
        _SCORING,
        "        if node in ignored:\n            return 0\n",
        "        if node in ignored:\n            return MAX_NODE_SCORE\n",
    ),
    Wrong(
        "missing-label-keys-are-empty",
        "A key of matchLabelKeys that the pod lacks is treated as an empty value.",
        _CONSTRAINTS,
        "shared = {key: labels[key] for key in asked.match_label_keys if key in labels}",
        "shared = {key: labels.get(key, '') for key in asked.match_label_keys}",
    ),
    Wrong(
        "an-empty-selector-counts-everybody",
        "A selector without requirements counts all pods of the namespace.",
        _CONSTRAINTS,
        '    if selector == EVERYTHING:\n        applies("R-SPREAD-05")\n        return 0\n',
        "",
    ),
    Wrong(
        "pods-elsewhere-requeue",
        "A pod of another namespace that is added or deleted requeues the pod.",
        _SPREAD,
        "return changed.uid == pod.uid or (assigned and changed.namespace == pod.namespace)",
        "return assigned",
    ),
    Wrong(
        "any-removed-node-requeues",
        "The removal of a node without the topology keys requeues the pod.",
        _SPREAD,
        "had = before is not None and has_all_keys(before.metadata.labels, constraints)",
        "had = before is not None",
    ),
    Wrong(
        "services-elsewhere-select",
        "The default constraints use the selector of a Service of another namespace.",
        _OWNER,
        "if service.metadata.namespace == pod.namespace and selects_labels",
        "if selects_labels",
    ),
    Wrong(
        "owners-say-nothing",
        "The default constraints use the selectors of Services only, not those of the pod's owner.",
        _OWNER,
        "return with_labels(_owner_selector(objects.get(ReplicaSet, owner.name, pod.namespace)), labels)",
        "return with_labels(EVERYTHING, labels)",
    ),
)
