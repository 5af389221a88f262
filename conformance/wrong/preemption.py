# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in preemption: who may, where, and at whose cost."""

from conformance.wrong.planted import Wrong

_ELIGIBILITY = "refsched.preemption.eligibility"
_DRY_RUN = "refsched.preemption.dry_run"
_VICTIMS = "refsched.preemption.victims"
_BUDGETS = "refsched.preemption.disruption"
_PICK = "refsched.preemption.pick"
_IMPORTANCE = "refsched.preemption.importance"
_PREPARE = "refsched.cycle.post_filter"

WRONG = (
    Wrong(
        "ignores-preemption-policy",
        "a pod whose preemptionPolicy is Never preempts",
        _ELIGIBILITY,
        'if context.pod.pod.spec.preemption_policy == "Never":',
        "if False:",
    ),
    Wrong(
        "preempts-equals",
        "pods of equal priority are victims",
        _ELIGIBILITY,
        "return other.priority < preemptor.priority",
        "return other.priority <= preemptor.priority",
    ),
    Wrong(
        "preempts-where-it-cannot-help",
        "nodes that no eviction would cure are looked at, those that PreFilter left out too",
        _DRY_RUN,
        "if context.status_of(n.name).code is Code.UNSCHEDULABLE]",
        "if context.status_of(n.name).is_rejected]",
        cites="kubernetes #119770, #119782",
    ),
    Wrong(
        "reprieves-nobody",
        "all pods of lower priority are evicted, also those that may stay",
        _VICTIMS,
        "        if self.filter().is_success:\n            return True\n",
        "",
    ),
    Wrong(
        "reprieves-the-least-important-first",
        "pods of less importance are the first that may stay",
        _VICTIMS,
        "by_protection(by_importance(potential, context.now), budgets)",
        "by_protection(by_importance(potential, context.now)[::-1], budgets)",
    ),
    Wrong(
        "does-not-sort-victims",
        "victims whom a budget protects stand before more important ones",
        _VICTIMS,
        "if protected.violating and protected.others:",
        "if False:",
        cites="kubernetes #128307, scheduler-plugins #838",
    ),
    Wrong(
        "ignores-budgets",
        "victims are chosen as if there were no disruption budgets",
        _BUDGETS,
        "(violating if violated else others).append(info)",
        "others.append(info)",
        cites="autoscaler #9111",
    ),
    Wrong(
        "one-disruption-too-few",
        "the last disruption that a budget allows is taken to violate it",
        _BUDGETS,
        "violated = violated or left[index] < 0",
        "violated = violated or left[index] <= 0",
    ),
    Wrong(
        "pays-twice",
        "a pod that a budget lists as disrupted takes from it again",
        _BUDGETS,
        "        and pod.name not in budget.status.disrupted_pods\n",
        "",
        cites="kubernetes #92475",
    ),
    Wrong(
        "budgets-know-no-namespace",
        "a budget protects pods of other namespaces too",
        _BUDGETS,
        "        and budget.metadata.namespace == pod.namespace\n",
        "",
    ),
    Wrong(
        "budgets-protect-everybody",
        "a budget with an empty selector protects all pods",
        _BUDGETS,
        "return selector if selector.requirements else NOTHING",
        "return selector",
    ),
    Wrong(
        "priority-before-budgets",
        "a node with less important victims is taken before one where no budget is violated",
        _PICK,
        "        candidate.num_pdb_violations,\n        victims[0].pod.priority,\n",
        "        victims[0].pod.priority,\n        candidate.num_pdb_violations,\n",
    ),
    Wrong(
        "fewest-victims-first",
        "the number of victims counts before their priority",
        _PICK,
        "        candidate.num_pdb_violations,\n        victims[0].pod.priority,\n",
        "        candidate.num_pdb_violations,\n        len(victims),\n        victims[0].pod.priority,\n",
    ),
    Wrong(
        "evicts-who-started-first",
        "of equal nodes the one is taken whose victims run longest",
        _PICK,
        "        -((earliest_start(victims, now) - _EPOCH) // timedelta(microseconds=1)),\n",
        "        (earliest_start(victims, now) - _EPOCH) // timedelta(microseconds=1),\n",
    ),
    Wrong(
        "looks-at-the-latest-start",
        "of the most important victims the one counts that started last",
        _IMPORTANCE,
        "return min(v.pod.status.start_time or now",
        "return max(v.pod.status.start_time or now",
    ),
    Wrong(
        "younger-is-more-important",
        "of pods of equal priority the one that started later is spared",
        _IMPORTANCE,
        "return (started or now) < (other_started or now)",
        "return (started or now) > (other_started or now)",
    ),
    Wrong(
        "does-not-wait-for-victims",
        "a pod whose victims are still leaving evicts others",
        _ELIGIBILITY,
        "    if _waits_for_a_victim(context):\n",
        "    if False:\n",
        cites="kubernetes #134217, #134249",
    ),
    Wrong(
        "waits-for-whoever-leaves",
        "a pod waits for any pod that leaves its nominated node, evicted or not",
        _ELIGIBILITY,
        'return target is not None and (target.status, target.reason) == ("True", "PreemptionByScheduler")',
        "return True",
    ),
    Wrong(
        "does-not-delete-best-effort-pods",
        "a victim that asks for nothing is told, and not deleted",
        _PREPARE,
        '    stations.write("delete", victim)\n',
        "    if any(container.resources.requests for container in victim.spec.containers):\n"
        '        stations.write("delete", victim)\n',
        cites="kubernetes #126643",
    ),
    Wrong(
        "deletes-who-waits-on-permit",
        "a victim that waits on Permit is deleted, not rejected",
        _PREPARE,
        "    if waiting is not None:\n",
        "    if False:\n",
        cites="kubernetes #140082",
    ),
    Wrong(
        "plugins-do-not-see-victims-leave",
        "in the dry run victims leave the node, and not what plugins prepared",
        _VICTIMS,
        "self._state = context.framework.remove_pod(",
        "_ = context.framework.remove_pod(",
        cites="kubernetes #88523",
    ),
    Wrong(
        "plugins-do-not-see-the-spared-return",
        "in the dry run who is spared returns to the node, and not to what plugins prepared",
        _VICTIMS,
        "self._state = context.framework.add_pod(",
        "_ = context.framework.add_pod(",
    ),
    Wrong(
        "dry-run-without-nominated-pods",
        "the dry run does not count the pods that are nominated to the node",
        _VICTIMS,
        "self._nominated = context.nominated_pods(node.name)",
        "self._nominated = ()",
    ),
    Wrong(
        "victims-are-not-told-why",
        "a victim is deleted without a DisruptionTarget condition",
        _PREPARE,
        "    stations.api.patch_status(victim, condition)\n",
        "",
    ),
)
