# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about pods that wait on Permit."""

from refsched.mistakes.wrong import Wrong

_WAITING = "refsched.binding.waiting_pods"
_POINTS = "refsched.cycle.reserve_and_bind"
_HANDLERS = "refsched.machine.event_handlers"
_FAILURE = "refsched.cycle.failure"

WRONG = (
    Wrong(
        "one-plugin-lets-go",
        "A pod that waits for two Permit plugins continues when one has allowed it.",
        _WAITING,
        "        if not self.deadlines:\n",
        "        if True:\n",
        breaks=("R-PERMIT-02",),
    ),
    Wrong(
        "a-rejected-pod-goes-on",
        "A pod that is rejected while it waits on Permit is bound.",
        _WAITING,
        "self._decide(Status(Code.UNSCHEDULABLE, (reason,), plugin))",
        "self._decide(SUCCESS)",
        breaks=("R-PERMIT-03",),
    ),
    Wrong(
        "who-is-out-of-patience-allows",
        "A pod whose Permit timeout expired is bound.",
        _WAITING,
        'self.reject(plugin, f"rejected due to timeout after waiting {waited} at plugin {plugin}")',
        "self._decide(SUCCESS if waited else SUCCESS)",
        breaks=("R-PERMIT-04",),
    ),
    Wrong(
        "waits-as-long-as-the-most-patient",
        "A pod that waits for two Permit plugins waits for the longer timeout.",
        _WAITING,
        "self.deadlines = {plugin: now + wait for plugin, wait in waits.items()}",
        "self.deadlines = dict.fromkeys(waits, now + max(waits.values()))",
        breaks=("R-PERMIT-04",),
    ),
    Wrong(
        "who-waits-ends-the-point",
        "After a Permit plugin that returns Wait no other Permit plugin is called.",
        _POINTS,
        "            waits[plugin.name] = answer.timeout\n",
        "            waits[plugin.name] = answer.timeout\n            break\n",
        breaks=("R-PERMIT-01",),
    ),
    Wrong(
        "the-deleted-go-on-waiting",
        "A pod that is deleted while it waits on Permit still holds its node.",
        _HANDLERS,
        "    if scheduler.waiting_pods.reject(pod.uid):\n",
        "    if False:\n",
        breaks=("R-EVENT-04",),
    ),
    Wrong(
        "a-late-refusal-keeps-the-nomination",
        "A pod that Reserve or Permit rejected keeps its nomination.",
        _FAILURE,
        "diagnosis.unschedulable_plugins, diagnosis.pending_plugins\n",
        "diagnosis.unschedulable_plugins, diagnosis.pending_plugins, None\n",
        cites="scheduler-plugins #293",
        breaks=("R-FAIL-03",),
    ),
    Wrong(
        "allowed-by-one-waits-for-ever",
        "Once one of two plugins has allowed a pod, the timeout of the other never expires.",
        _WAITING,
        "        self.deadlines.pop(plugin, None)\n",
        "        self.deadlines.pop(plugin, None)\n"
        "        self.deadlines.update(dict.fromkeys(self.deadlines, float('inf')))\n",
        breaks=("R-PERMIT-04",),
    ),
    Wrong(
        "waits-longer-than-a-quarter-of-an-hour",
        "The timeout of a Permit plugin has no maximum.",
        "refsched.plugins.scripted",
        "return min(seconds, MAX_PERMIT_WAIT)",
        "return seconds",
        breaks=("R-PERMIT-04",),
    ),
)
