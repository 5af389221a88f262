# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about pods that wait on Permit."""

from conformance.wrong.planted.table import Wrong

_WAITING = "refsched.binding.waiting_pods"
_POINTS = "refsched.cycle.reserve_and_bind"
_HANDLERS = "refsched.machine.event_handlers"
_FAILURE = "refsched.cycle.failure"

WRONG = (
    Wrong(
        "one-plugin-lets-go",
        "a pod that waits for two plugins goes on when one has allowed it",
        _WAITING,
        "        if not self.deadlines:\n",
        "        if True:\n",
    ),
    Wrong(
        "a-rejected-pod-goes-on",
        "a pod that is rejected while it waits is bound",
        _WAITING,
        "self._decide(Status(Code.UNSCHEDULABLE, (reason,), plugin))",
        "self._decide(SUCCESS)",
    ),
    Wrong(
        "who-is-out-of-patience-allows",
        "a pod that a plugin has kept waiting too long is bound",
        _WAITING,
        'self.reject(plugin, f"rejected due to timeout after waiting {waited} at plugin {plugin}")',
        "self._decide(SUCCESS if waited else SUCCESS)",
    ),
    Wrong(
        "waits-as-long-as-the-most-patient",
        "a pod that waits for two plugins waits as long as the more patient one says",
        _WAITING,
        "self.deadlines = {plugin: now + wait for plugin, wait in waits.items()}",
        "self.deadlines = dict.fromkeys(waits, now + max(waits.values()))",
    ),
    Wrong(
        "who-waits-ends-the-point",
        "behind a plugin that waits no other Permit plugin is asked",
        _POINTS,
        "            waits[plugin.name] = answer.timeout\n",
        "            waits[plugin.name] = answer.timeout\n            break\n",
    ),
    Wrong(
        "the-deleted-go-on-waiting",
        "a pod that is deleted while it waits goes on holding its node",
        _HANDLERS,
        "    if scheduler.waiting_pods.reject(pod.uid):\n",
        "    if False:\n",
    ),
    Wrong(
        "a-late-refusal-keeps-the-nomination",
        "a pod that Reserve or Permit refused keeps its nomination, and so its place",
        _FAILURE,
        "diagnosis.unschedulable_plugins, diagnosis.pending_plugins\n",
        "diagnosis.unschedulable_plugins, diagnosis.pending_plugins, None\n",
        cites="scheduler-plugins #293",
    ),
    Wrong(
        "allowed-by-one-waits-for-ever",
        "once one of two plugins has allowed a pod, the patience of the other never ends",
        _WAITING,
        "        self.deadlines.pop(plugin, None)\n",
        "        self.deadlines.pop(plugin, None)\n"
        "        self.deadlines.update(dict.fromkeys(self.deadlines, float('inf')))\n",
    ),
    Wrong(
        "waits-longer-than-a-quarter-of-an-hour",
        "a plugin may keep a pod waiting as long as it likes",
        "refsched.plugins.scripted",
        "return min(seconds, MAX_PERMIT_WAIT)",
        "return seconds",
    ),
)
