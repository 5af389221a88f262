# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about the scores for resources and the normalization of scores."""

from refsched.mistakes.wrong import Wrong

_FIT = "refsched.plugins.node_resources_fit"
_STRATEGIES = "refsched.plugins.resource_scoring"
_BALANCED = "refsched.plugins.node_resources_balanced_allocation"
_RUNTIME = "refsched.framework.runtime"
_DECIDE = "refsched.cycle.decide"
_NORMALIZE = "refsched.plugins.normalize"
_RESOURCES = "refsched.objects.resources"

WRONG = (
    Wrong(
        "prefers-full-nodes",
        "LeastAllocated scores what is used, not what is free.",
        _STRATEGIES,
        "max(u.capacity - u.requested, 0)",
        "min(u.requested, u.capacity)",
        breaks=("R-FIT-06",),
    ),
    Wrong(
        "scores-real-requests",
        "NodeResourcesFit scores without the defaults for pods that run and ask for nothing.",
        _FIT,
        "counted = node.non_zero_requested if spec.name in (CPU, MEMORY) else node.requested",
        "counted = node.requested",
        cites="kubernetes #130445",
        breaks=("R-FIT-05",),
    ),
    Wrong(
        "balances-with-defaults",
        "BalancedAllocation gives running pods that ask for nothing a default.",
        _BALANCED,
        "amount(node.requested, resource) + asked",
        "amount(node.non_zero_requested, resource) + asked",
        cites="kubernetes #102925",
        breaks=("R-BALANCED-02",),
    ),
    Wrong(
        "balances-beyond-what-there-is",
        "BalancedAllocation lets a share be more than the whole.",
        _BALANCED,
        "min((amount(node.requested, resource) + asked) / allocatable, 1.0)",
        "(amount(node.requested, resource) + asked) / allocatable",
        cites="kubernetes #129138",
        breaks=("R-BALANCED-03",),
    ),
    Wrong(
        "forgets-to-halve-a-deviation",
        "The standard deviation of two fractions is not halved.",
        _BALANCED,
        "abs((shares[0] - shares[1]) / 2)",
        "abs(shares[0] - shares[1])",
        breaks=("R-BALANCED-03",),
    ),
    Wrong(
        "rounds-the-balance",
        "BalancedAllocation rounds where it should cut.",
        _BALANCED,
        "return int((1 - _standard_deviation(shares)) * MAX_NODE_SCORE)",
        "return round((1 - _standard_deviation(shares)) * MAX_NODE_SCORE)",
        breaks=("R-BALANCED-03",),
    ),
    Wrong(
        "balances-who-asks-for-nothing",
        "BalancedAllocation scores pods that request none of its resources.",
        _BALANCED,
        '        if not any(requests):\n            applies("R-BALANCED-01")\n            return Skip()\n',
        "",
        breaks=("R-BALANCED-01",),
    ),
    Wrong(
        "most-allocated-drops-full-nodes",
        "MostAllocated gives 0, not 100, for what is requested beyond the capacity.",
        _STRATEGIES,
        "min(u.requested, u.capacity) * MAX_NODE_SCORE",
        "(u.requested if u.requested <= u.capacity else 0) * MAX_NODE_SCORE",
        cites="kubernetes #105239",
        breaks=("R-FIT-07",),
    ),
    Wrong(
        "ignores-weights-of-resources",
        "All resources of a scoring strategy weigh the same.",
        _STRATEGIES,
        "return sum(score * use.weight for score, use in scored) // total if total else 0",
        "return sum(score for score, _ in scored) // len(scored) if total else 0",
        breaks=("R-FIT-06", "R-FIT-07", "R-FIT-08"),
    ),
    Wrong(
        "cuts-the-ratio",
        "RequestedToCapacityRatio cuts where it should round.",
        _STRATEGIES,
        "/ total + 0.5) if total else 0",
        "/ total) if total else 0",
        breaks=("R-FIT-08",),
    ),
    Wrong(
        "counts-what-scores-nothing",
        "RequestedToCapacityRatio divides by the weight of resources that score 0 too.",
        _STRATEGIES,
        "for score, use in scored if score > 0]",
        "for score, use in scored]",
        breaks=("R-FIT-08",),
    ),
    Wrong(
        "weighs-before-normalizing",
        "Weights multiply raw scores, not normalized ones.",
        _RUNTIME,
        "return Scores(raw, normalized, self.score_weights)",
        "return Scores(raw, raw, self.score_weights)",
        cites="kube-scheduler-simulator #89",
        breaks=("R-FRAMEWORK-14",),
    ),
    Wrong(
        "rounds-normalized-scores",
        "A normalized score is rounded where it should be cut.",
        _NORMALIZE,
        "MAX_NODE_SCORE * score // largest",
        "round(MAX_NODE_SCORE * score / largest)",
        breaks=("R-TAINT-04", "R-NODEAFF-09"),
    ),
    Wrong(
        "default-memory-in-decimal-megabytes",
        "A container without a memory request scores as one of 200 MB, not MiB.",
        _RESOURCES,
        "DEFAULT_MEMORY_REQUEST = 200 * 1024 * 1024",
        "DEFAULT_MEMORY_REQUEST = 200 * 1000 * 1000",
        breaks=("R-REQUEST-08", "R-FIT-05"),
    ),
    Wrong(
        "takes-the-lowest-total",
        "The node with the lowest total score is selected.",
        _DECIDE,
        "highest = max(totals.values())",
        "highest = min(totals.values())",
        cites="scheduler-plugins #384",
        breaks=("R-SEARCH-04", "R-INV-04"),
    ),
    Wrong(
        "the-best-node-gets-no-hundred",
        "Normalized scores end below 100.",
        _NORMALIZE,
        "MAX_NODE_SCORE * score // largest",
        "MAX_NODE_SCORE * score // (largest + 1)",
        breaks=("R-TAINT-04", "R-NODEAFF-09"),
    ),
    Wrong(
        "forgets-weights-of-who-does-not-normalize",
        "A weight counts only for plugins that normalize their scores.",
        _RUNTIME,
        "name: {node: score * self.weights[name] for node, score in scores.items()}",
        "name: {n: s if self.raw[name] is scores else s * self.weights[name] for n, s in scores.items()}",
        breaks=("R-FRAMEWORK-14",),
    ),
    Wrong(
        "deviates-as-a-sample",
        "The balance of three resources and more is the deviation of a sample.",
        _BALANCED,
        "math.sqrt(squares / len(shares))",
        "math.sqrt(squares / (len(shares) - 1))",
        breaks=("R-BALANCED-03",),
    ),
)
