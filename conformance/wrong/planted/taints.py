# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about taints, tolerations and cordons."""

from conformance.wrong.planted.table import Wrong

_TAINT = "refsched.plugins.taint_toleration"
_CORDON = "refsched.plugins.node_unschedulable"
_POD = "refsched.objects.pod"

WRONG = (
    Wrong(
        "tolerates-the-wrong-way-round",
        "nodes whose taints a pod tolerates are refused, the others taken",
        _TAINT,
        "if _is_repelled(pod.pod, node.existing_node):",
        "if not _is_repelled(pod.pod, node.existing_node):",
        cites="kubernetes #98703",
    ),
    Wrong(
        "refuses-for-a-preference",
        "a PreferNoSchedule taint refuses a node",
        _TAINT,
        'if taint.effect in ("NoSchedule", "NoExecute"))',
        'if taint.effect in ("NoSchedule", "NoExecute", "PreferNoSchedule"))',
        cites="kubernetes #39601",
    ),
    Wrong(
        "lets-no-execute-pass",
        "a NoExecute taint refuses nobody",
        _TAINT,
        'if taint.effect in ("NoSchedule", "NoExecute"))',
        'if taint.effect == "NoSchedule")',
    ),
    Wrong(
        "compares-an-empty-key",
        "a toleration without a key tolerates only taints without a key",
        _POD,
        "if self.key and self.key != taint.key:",
        "if self.key != taint.key:",
    ),
    Wrong(
        "compares-an-empty-effect",
        "a toleration without an effect tolerates no taint that has one",
        _POD,
        "if self.effect and self.effect != taint.effect:",
        "if self.effect != taint.effect:",
    ),
    Wrong(
        "tolerates-any-value",
        "a toleration that asks for a value tolerates every other value too",
        _POD,
        'return self.operator in ("", "Equal") and self.value == taint.value',
        'return self.operator in ("", "Equal")',
    ),
    Wrong(
        "one-tolerated-taint-is-enough",
        "a node with two taints takes a pod that tolerates one of them",
        _TAINT,
        "return any(not _tolerated(taint, pod.spec.tolerations) for taint in rejecting)",
        "found = [_tolerated(taint, pod.spec.tolerations) for taint in rejecting]\n"
        "    return bool(found) and not any(found)",
    ),
    Wrong(
        "scores-hard-taints",
        "taints of every effect count for the score",
        _TAINT,
        't.effect == "PreferNoSchedule" and not _tolerated(t, tolerations)',
        "not _tolerated(t, tolerations)",
    ),
    Wrong(
        "scores-without-tolerations-of-every-effect",
        "for the score only tolerations that name PreferNoSchedule count",
        _TAINT,
        'if t.effect in ("", "PreferNoSchedule")',
        'if t.effect == "PreferNoSchedule"',
    ),
    Wrong(
        "prefers-tainted-nodes",
        "the node with the most taints that a pod does not tolerate scores best",
        _TAINT,
        "return normalize(scores, reverse=True)",
        "return normalize(scores)",
    ),
    Wrong(
        "evicts-on-tainted-nodes",
        "preemption is tried on nodes whose taints refuse the pod",
        _TAINT,
        "from refsched.framework.status import SUCCESS, Status, error, unresolvable\n",
        "from refsched.framework.status import SUCCESS, Status, error, unschedulable as unresolvable\n",
        cites="kubernetes #92579, of another plugin",
    ),
    Wrong(
        "ignores-cordons",
        "a cordoned node takes pods as ever",
        _CORDON,
        "if not node.existing_node.spec.unschedulable:",
        "if True:",
    ),
    Wrong(
        "tolerates-no-cordon",
        "a cordoned node refuses also pods that tolerate it",
        _CORDON,
        "if _tolerates_cordon(pod.pod):",
        "if False:",
    ),
    Wrong(
        "tolerates-a-cordon-by-its-key",
        "a cordoned node takes pods that tolerate the cordon's key with another effect or value",
        _CORDON,
        "return any(toleration.tolerates(UNSCHEDULABLE_TAINT) for toleration in pod.spec.tolerations)",
        "return any(t.key in ('', UNSCHEDULABLE_TAINT.key) for t in pod.spec.tolerations)",
    ),
    Wrong(
        "any-clean-node-cures",
        "a node whose taints never refused the pod, and change, is thought to help",
        _TAINT,
        "if _is_repelled(pod, after) or (before is not None and not _is_repelled(pod, before)):",
        "if _is_repelled(pod, after):",
    ),
    Wrong(
        "tolerations-of-others-cure",
        "a toleration that another pod is given is thought to help",
        _TAINT,
        "if after.uid != pod.uid:",
        "if False:",
    ),
    Wrong(
        "cordon-ignores-new-tolerations",
        "a pod that comes to tolerate cordons is not tried again",
        _CORDON,
        "if after.uid != pod.uid or not _tolerates_cordon(after):",
        "if True:",
    ),
)
