# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about taints, tolerations and cordons."""

from refsched.mistakes.wrong import Wrong

_TAINT = "refsched.plugins.taint_toleration"
_CORDON = "refsched.plugins.node_unschedulable"
_POD = "refsched.objects.pod"

WRONG = (
    Wrong(
        "tolerates-the-wrong-way-round",
        "Nodes whose taints a pod tolerates are rejected, and the others are feasible.",
        _TAINT,
        "if is_repelled(pod.pod, node.existing_node):",
        "if not is_repelled(pod.pod, node.existing_node):",
        cites="kubernetes #98703",
        breaks=("R-TAINT-01",),
    ),
    Wrong(
        "refuses-for-a-preference",
        "A PreferNoSchedule taint rejects a pod.",
        _TAINT,
        'if taint.effect in ("NoSchedule", "NoExecute"))',
        'if taint.effect in ("NoSchedule", "NoExecute", "PreferNoSchedule"))',
        cites="kubernetes #39601",
        breaks=("R-TAINT-02",),
    ),
    Wrong(
        "lets-no-execute-pass",
        "A NoExecute taint rejects no pod.",
        _TAINT,
        'if taint.effect in ("NoSchedule", "NoExecute"))',
        'if taint.effect == "NoSchedule")',
        breaks=("R-TAINT-01",),
    ),
    Wrong(
        "compares-an-empty-key",
        "A toleration without a key tolerates only taints without a key.",
        _POD,
        "if self.key and self.key != taint.key:",
        "if self.key != taint.key:",
        breaks=("R-TAINT-07",),
    ),
    Wrong(
        "compares-an-empty-effect",
        "A toleration without an effect tolerates no taint that has one.",
        _POD,
        "if self.effect and self.effect != taint.effect:",
        "if self.effect != taint.effect:",
        breaks=("R-TAINT-07",),
    ),
    Wrong(
        "tolerates-any-value",
        "A toleration with a value tolerates every other value too.",
        _POD,
        'return self.operator in ("", "Equal") and self.value == taint.value',
        'return self.operator in ("", "Equal")',
        breaks=("R-TAINT-07",),
    ),
    Wrong(
        "one-tolerated-taint-is-enough",
        "A pod that tolerates one of a node's taints tolerates the node.",
        _TAINT,
        "return any(untolerated_taints(pod, node))",
        "found = list(untolerated_taints(pod, node))\n"
        "    rejecting = [taint for taint in node.spec.taints if taint.effect in ('NoSchedule', 'NoExecute')]\n"
        "    return bool(found) and len(found) == len(rejecting)",
        breaks=("R-TAINT-01",),
    ),
    Wrong(
        "scores-hard-taints",
        "Taints of every effect count for the score.",
        _TAINT,
        't.effect == "PreferNoSchedule" and not _tolerated(t, tolerations)',
        "not _tolerated(t, tolerations)",
        breaks=("R-TAINT-04",),
    ),
    Wrong(
        "scores-without-tolerations-of-every-effect",
        "For the score only tolerations whose effect is PreferNoSchedule count.",
        _TAINT,
        'if t.effect in ("", "PreferNoSchedule")',
        'if t.effect == "PreferNoSchedule"',
        breaks=("R-TAINT-03",),
    ),
    Wrong(
        "prefers-tainted-nodes",
        "The node with the most taints that a pod does not tolerate scores best.",
        _TAINT,
        "return normalize(scores, reverse=True)",
        "return normalize(scores)",
        breaks=("R-TAINT-04",),
    ),
    Wrong(
        "evicts-on-tainted-nodes",
        "Preemption is tried on nodes with untolerated taints.",
        _TAINT,
        "from refsched.framework.status import SUCCESS, Status, error, unresolvable\n",
        "from refsched.framework.status import SUCCESS, Status, error, unschedulable as unresolvable\n",
        cites="kubernetes #92579, of another plugin",
        breaks=("R-TAINT-01",),
    ),
    Wrong(
        "ignores-cordons",
        "A cordoned node rejects no pod.",
        _CORDON,
        "if not node.existing_node.spec.unschedulable:",
        "if True:",
        breaks=("R-CORDON-01",),
    ),
    Wrong(
        "tolerates-no-cordon",
        "A cordoned node rejects pods that tolerate the cordon too.",
        _CORDON,
        "if _tolerates_cordon(pod.pod):",
        "if False:",
        breaks=("R-CORDON-02",),
    ),
    Wrong(
        "tolerates-a-cordon-by-its-key",
        "A toleration with the cordon's key but another effect or value tolerates a cordoned node.",
        _CORDON,
        "return any(toleration.tolerates(UNSCHEDULABLE_TAINT) for toleration in pod.spec.tolerations)",
        "return any(t.key in ('', UNSCHEDULABLE_TAINT.key) for t in pod.spec.tolerations)",
        breaks=("R-CORDON-02",),
    ),
    Wrong(
        "any-clean-node-requeues",
        "An update of a node whose taints did not reject the pod requeues it.",
        _TAINT,
        "when=not is_repelled(pod, after) and not was_tolerated",
        "when=not is_repelled(pod, after)",
        breaks=("R-TAINT-05",),
    ),
    Wrong(
        "tolerations-of-others-requeue",
        "A toleration added to another pod requeues the pod.",
        _TAINT,
        'return applies("R-TAINT-06", when=after.uid == pod.uid)',
        'return applies("R-TAINT-06")',
        breaks=("R-TAINT-06",),
    ),
    Wrong(
        "cordon-ignores-new-tolerations",
        "A pod that comes to tolerate the cordon is not requeued.",
        _CORDON,
        "when=after.uid == pod.uid and _tolerates_cordon(after)",
        "when=False",
        breaks=("R-CORDON-04",),
    ),
)
