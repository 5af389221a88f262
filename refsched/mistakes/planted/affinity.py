# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about node selectors and node affinity."""

from refsched.mistakes.wrong import Wrong

_SELECTORS = "refsched.objects.selectors"
_AFFINITY = "refsched.plugins.node_affinity"

WRONG = (
    Wrong(
        "ands-terms",
        "All terms of a required affinity must match, not one.",
        _SELECTORS,
        "return any(term.matches(node) for term in self.node_selector_terms)",
        "return all(term.matches(node) for term in self.node_selector_terms)",
        cites="kubernetes #52141",
        breaks=("R-SELECTOR-04", "R-NODEAFF-04"),
    ),
    Wrong(
        "ors-requirements",
        "One requirement of a term is enough.",
        _SELECTORS,
        "return all(r.matches(node.metadata.labels) for r in self.match_expressions) and all(",
        "return (\n"
        "            not self.match_expressions\n"
        "            or any(r.matches(node.metadata.labels) for r in self.match_expressions)\n"
        "        ) and all(",
        cites="kubernetes #44349",
        breaks=("R-SELECTOR-03",),
    ),
    Wrong(
        "empty-term-matches",
        "A term without requirements matches every node.",
        _SELECTORS,
        "if self.is_empty:\n            return False",
        "if self.is_empty:\n            return True",
        breaks=("R-SELECTOR-03",),
    ),
    Wrong(
        "not-in-needs-the-label",
        "NotIn does not hold where the label is missing.",
        _SELECTORS,
        "return self.key not in labels or labels[self.key] not in self.values",
        "return self.key in labels and labels[self.key] not in self.values",
        breaks=("R-SELECTOR-01",),
    ),
    Wrong(
        "greater-or-equal",
        "Gt holds for an equal number too.",
        _SELECTORS,
        'return left > right if self.operator == "Gt" else left < right',
        'return left >= right if self.operator == "Gt" else left < right',
        breaks=("R-SELECTOR-02",),
    ),
    Wrong(
        "less-is-greater",
        "Lt compares as Gt does.",
        _SELECTORS,
        'return left > right if self.operator == "Gt" else left < right',
        "return left > right",
        breaks=("R-SELECTOR-02",),
    ),
    Wrong(
        "compares-text",
        "Gt and Lt compare numbers as text, so that 10 is less than 9.",
        _SELECTORS,
        'return left > right if self.operator == "Gt" else left < right',
        'return (label or "") > self.values[0] if self.operator == "Gt" else (label or "") < self.values[0]',
        breaks=("R-SELECTOR-02",),
    ),
    Wrong(
        "ignores-match-fields",
        "The matchFields of a node selector term are ignored.",
        _SELECTORS,
        " and all(\n            r.matches(fields) for r in self.match_fields\n        )",
        "",
        breaks=("R-SELECTOR-03",),
    ),
    Wrong(
        "a-name-in-one-term-binds-all",
        "If one term names nodes, nodes that match only the other terms are not considered.",
        _AFFINITY,
        "        if not by_name:\n            return None\n",
        "        if not by_name:\n            continue\n",
        cites="kubernetes #116465",
        breaks=("R-NODEAFF-02",),
    ),
    Wrong(
        "ors-names-within-a-term",
        "A term with two different metadata.name requirements matches both nodes, not none.",
        _AFFINITY,
        "frozenset.intersection(*by_name)",
        "frozenset.union(*by_name)",
        breaks=("R-NODEAFF-02",),
    ),
    Wrong(
        "one-selected-label-is-enough",
        "A node matches nodeSelector if it has any one of the labels, not all of them.",
        _AFFINITY,
        "return selects_labels(pod.spec.node_selector, node.metadata.labels)",
        "labels = node.metadata.labels\n"
        "    selected = [labels.get(key) == value for key, value in pod.spec.node_selector.items()]\n"
        "    return not selected or any(selected)",
        breaks=("R-NODEAFF-04",),
    ),
    Wrong(
        "takes-the-best-preference-alone",
        "Only the matching preference with the highest weight is scored, not the sum of all.",
        _AFFINITY,
        "score = sum(term.weight for term in preferred if term.preference.matches(node.existing_node))",
        "weights = (t.weight for t in preferred if t.preference.matches(node.existing_node))\n"
        "        score = max(weights, default=0)",
        breaks=("R-NODEAFF-06",),
    ),
    Wrong(
        "ignores-added-affinity",
        "Filter ignores the addedAffinity of the profile.",
        _AFFINITY,
        "if added is not None and not added.matches(node.existing_node):",
        "if False:",
        breaks=("R-NODEAFF-03",),
    ),
    Wrong(
        "requires-preferences",
        "A node is rejected unless it matches one of the pod's preferred terms.",
        _AFFINITY,
        "if matches_required(pod.pod, node.existing_node):",
        "own = affinity_of(pod.pod).preferred_during_scheduling_ignored_during_execution\n"
        "        if (\n"
        "            matches_required(pod.pod, node.existing_node)\n"
        "            and (not own or any(term.preference.matches(node.existing_node) for term in own))\n"
        "        ):",
        cites="karpenter #1204, #1300",
        breaks=("R-NODEAFF-04",),
    ),
    Wrong(
        "compares-fractions",
        "Gt and Lt compare numbers with a fraction too.",
        _SELECTORS,
        "    number = int(text) if _INTEGER.match(text) else None\n"
        "    return number if number is not None and -(2**63) <= number < 2**63 else None",
        "    try:\n        return float(text)\n    except ValueError:\n        return None",
        breaks=("R-SELECTOR-02",),
    ),
    Wrong(
        "matching-nodes-requeue-again",
        "A node that already matched before a label update requeues the pod.",
        _AFFINITY,
        "elif before is not None and matches_required(pod, before):",
        "elif False:",
        breaks=("R-NODEAFF-07",),
    ),
    Wrong(
        "looks-at-affinity-alone-before",
        "For the node before the update the hint checks node affinity, but not nodeSelector.",
        _AFFINITY,
        "elif before is not None and matches_required(pod, before):",
        "elif before is not None and _is_selected(pod, before):",
        breaks=("R-NODEAFF-07",),
    ),
    Wrong(
        "hint-forgets-added-affinity",
        "A node that the profile's addedAffinity excludes requeues the pod.",
        _AFFINITY,
        "        if added is not None and not added.matches(after):\n            return False\n",
        "",
        breaks=("R-NODEAFF-07",),
    ),
    Wrong(
        "own-preferences-replace-added-ones",
        "The preferences that a profile adds count only for pods that have none.",
        _AFFINITY,
        "return Continue((*added, *own))",
        "return Continue(own or added)",
        breaks=("R-NODEAFF-06",),
    ),
    Wrong(
        "no-label-is-an-empty-one",
        "A selector for an empty value also matches nodes without the label.",
        _AFFINITY,
        "return selects_labels(pod.spec.node_selector, node.metadata.labels)",
        "labels = node.metadata.labels\n"
        "    return all(labels.get(key, '') == value for key, value in pod.spec.node_selector.items())",
        breaks=("R-NODEAFF-04",),
    ),
    Wrong(
        "an-empty-label-is-none",
        "Exists does not hold for a label with an empty value.",
        _SELECTORS,
        '            case "Exists":\n                return self.key in labels',
        '            case "Exists":\n                return bool(labels.get(self.key))',
        breaks=("R-SELECTOR-01",),
    ),
)
