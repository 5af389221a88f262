# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about preemption: which pods may preempt, where, and which victims."""

from conformance.wrong.planted.table import Wrong

_ELIGIBILITY = "refsched.preemption.eligibility"
_DRY_RUN = "refsched.preemption.dry_run"
_VICTIMS = "refsched.preemption.victims"
_BUDGETS = "refsched.preemption.disruption"
_PICK = "refsched.preemption.pick"
_IMPORTANCE = "refsched.preemption.importance"
_ORDER = "refsched.oddities.fixed_orders"
_PREPARE = "refsched.cycle.post_filter"
_PLUGIN = "refsched.plugins.default_preemption"

WRONG = (
    Wrong(
        "ignores-preemption-policy",
        "A pod whose preemptionPolicy is Never preempts.",
        _ELIGIBILITY,
        'if context.pod.pod.spec.preemption_policy == "Never":',
        "if False:",
    ),
    Wrong(
        "preempts-equals",
        "Pods of equal priority are victims.",
        _ELIGIBILITY,
        "return other.priority < preemptor.priority",
        "return other.priority <= preemptor.priority",
    ),
    Wrong(
        "preempts-where-it-cannot-help",
        "Preemption is tried on nodes that are UnschedulableAndUnresolvable, including those PreFilter excluded.",
        _DRY_RUN,
        "if context.status_of(n.name).code is Code.UNSCHEDULABLE]",
        "if context.status_of(n.name).is_rejected]",
        cites="kubernetes #119770, #119782",
    ),
    Wrong(
        "reprieves-nobody",
        "All pods of lower priority are evicted, and none is reprieved.",
        _VICTIMS,
        "        if self.filter().is_success:\n            return True\n",
        "",
    ),
    Wrong(
        "reprieves-the-least-important-first",
        "The least important victims are reprieved first.",
        _VICTIMS,
        "by_protection(in_order, budgets)",
        "by_protection(in_order[::-1], budgets)",
    ),
    Wrong(
        "does-not-sort-victims",
        "Victims that violate a disruption budget are listed before more important ones.",
        _VICTIMS,
        "if protected.violating and protected.others:",
        "if False:",
        cites="kubernetes #128307, scheduler-plugins #838",
    ),
    Wrong(
        "ignores-budgets",
        "Victims are chosen as if there were no disruption budgets.",
        _BUDGETS,
        "(violating if violated else others).append(info)",
        "others.append(info)",
        cites="autoscaler #9111",
    ),
    Wrong(
        "one-disruption-too-few",
        "The last disruption that a budget allows counts as a violation.",
        _BUDGETS,
        "violated = violated or left[name] < 0",
        "violated = violated or left[name] <= 0",
    ),
    Wrong(
        "pays-twice",
        "A pod listed in a budget's disruptedPods is counted against the budget again.",
        _BUDGETS,
        " and pod.name not in budget.status.disrupted_pods",
        "",
        cites="kubernetes #92475",
    ),
    Wrong(
        "budgets-know-no-namespace",
        "A budget protects pods of other namespaces too.",
        _BUDGETS,
        "budgets.by_namespace.get(info.pod.namespace, ())",
        "[budget for each in budgets.by_namespace.values() for budget in each]",
    ),
    Wrong(
        "budgets-protect-everybody",
        "A budget with an empty selector protects all pods.",
        _BUDGETS,
        "return selector if selector.requirements else NOTHING",
        "return selector",
    ),
    Wrong(
        "priority-before-budgets",
        "A node with less important victims is selected before one where no budget is violated.",
        _PICK,
        "        candidate.num_pdb_violations,\n        victims[0].pod.priority,\n",
        "        victims[0].pod.priority,\n        candidate.num_pdb_violations,\n",
    ),
    Wrong(
        "fewest-victims-first",
        "The number of victims counts before their priority.",
        _PICK,
        "        candidate.num_pdb_violations,\n        victims[0].pod.priority,\n",
        "        candidate.num_pdb_violations,\n        len(victims),\n        victims[0].pod.priority,\n",
    ),
    Wrong(
        "evicts-who-started-first",
        "Of equal candidates the one is selected whose victims have run longest.",
        _PICK,
        "        -earliest_start(victims, now).timestamp(),\n",
        "        earliest_start(victims, now).timestamp(),\n",
    ),
    Wrong(
        "looks-at-the-latest-start",
        "The latest start time of the highest-priority victims counts, not the earliest.",
        _IMPORTANCE,
        "return min(v.pod.status.start_time or now",
        "return max(v.pod.status.start_time or now",
    ),
    Wrong(
        "younger-is-more-important",
        "Of pods of equal priority the one that started later is the more important.",
        _ORDER,
        "return (started or now) < (other_started or now)",
        "return (started or now) > (other_started or now)",
    ),
    Wrong(
        "does-not-wait-for-victims",
        "A pod preempts again while its victims are still terminating.",
        _ELIGIBILITY,
        "    if _waits_for_a_victim(context):\n",
        "    if False:\n",
        cites="kubernetes #134217, #134249",
    ),
    Wrong(
        "waits-for-whoever-leaves",
        "A pod waits for any terminating pod on its nominated node, even if it was not preempted.",
        _ELIGIBILITY,
        'return target is not None and (target.status, target.reason) == ("True", "PreemptionByScheduler")',
        "return True",
    ),
    Wrong(
        "does-not-delete-best-effort-pods",
        "A BestEffort victim is reported, but not deleted.",
        _PREPARE,
        '    scheduler.write("delete", victim)\n',
        "    if any(container.resources.requests for container in victim.spec.containers):\n"
        '        scheduler.write("delete", victim)\n',
        cites="kubernetes #126643",
    ),
    Wrong(
        "deletes-who-waits-on-permit",
        "A victim that waits on Permit is deleted, not rejected.",
        _PREPARE,
        "    if waiting is not None:\n",
        "    if False:\n",
        cites="kubernetes #140082",
    ),
    Wrong(
        "plugins-do-not-see-victims-leave",
        "In the dry run victims are removed from the node, but not from the state of the plugins.",
        _VICTIMS,
        "self._state = context.framework.remove_pod(",
        "_ = context.framework.remove_pod(",
        cites="kubernetes #88523",
    ),
    Wrong(
        "plugins-do-not-see-the-reprieved-return",
        "In the dry run reprieved pods return to the node, but not to the state of the plugins.",
        _VICTIMS,
        "self._state = context.framework.add_pod(",
        "_ = context.framework.add_pod(",
    ),
    Wrong(
        "dry-run-without-nominated-pods",
        "The dry run does not count the pods that are nominated to the node.",
        _VICTIMS,
        "self._nominated = context.nominated_pods(node.name)",
        "self._nominated = ()",
    ),
    Wrong(
        "sums-priorities-as-they-are",
        "Priorities are summed without an offset, so that more victims of negative priority cost less.",
        _PICK,
        "victim.pod.priority + _ABOVE_ANY_PRIORITY",
        "victim.pod.priority",
    ),
    Wrong(
        "does-not-sum-priorities",
        "After the highest priority of the victims only their number is compared, not the sum.",
        _PICK,
        "        sum(victim.pod.priority + _ABOVE_ANY_PRIORITY for victim in victims),\n",
        "        0,\n",
    ),
    Wrong(
        "does-not-count-victims",
        "The number of victims does not count.",
        _PICK,
        "        len(victims),\n",
        "        0,\n",
    ),
    Wrong(
        "takes-any-of-equal-priority",
        "How long the victims have run does not count.",
        _PICK,
        "-earliest_start(victims, now).timestamp()",
        "0",
    ),
    Wrong(
        "looks-at-the-least-of-the-victims",
        "The priority of the least important victim is compared, not that of the most important.",
        _PICK,
        "victims[0].pod.priority",
        "victims[-1].pod.priority",
    ),
    Wrong(
        "looks-at-the-start-of-all",
        "The earliest start time is that of any victim, not of one with the highest priority.",
        _IMPORTANCE,
        " for v in victims if v.pod.priority == highest)",
        " for v in victims)",
    ),
    Wrong(
        "who-has-not-started-is-the-oldest",
        "A pod without a start time is more important than its equals.",
        _ORDER,
        "return (started or now) < (other_started or now)",
        "return started is None or (other_started is not None and started < other_started)",
    ),
    Wrong(
        "protects-pods-without-labels",
        "A budget whose selector asks for an absent label protects pods without labels.",
        _BUDGETS,
        "bool(pod.labels) and ",
        "",
    ),
    Wrong(
        "the-last-budget-decides",
        "Only the last budget that matches a pod can be violated.",
        _BUDGETS,
        "violated = violated or left[name] < 0",
        "violated = left[name] < 0",
    ),
    Wrong(
        "one-budget-pays-for-all",
        "Evicting a pod is counted against only the first budget that matches it.",
        _BUDGETS,
        "                violated = violated or left[name] < 0\n",
        "                violated = violated or left[name] < 0\n                break\n",
    ),
    Wrong(
        "reprieves-the-unprotected-first",
        "Victims that violate no budget are reprieved first.",
        _VICTIMS,
        "    violating = [pod for pod in protected.violating if not trial.reprieves(pod)]\n"
        "    victims = violating + [pod for pod in protected.others if not trial.reprieves(pod)]\n",
        "    victims = [pod for pod in protected.others if not trial.reprieves(pod)]\n"
        "    violating = [pod for pod in protected.violating if not trial.reprieves(pod)]\n"
        "    victims = violating + victims\n",
    ),
    Wrong(
        "counts-the-reprieved",
        "Reprieved pods count as budget violations too.",
        _VICTIMS,
        "tuple(victims), len(violating))",
        "tuple(victims), len(protected.violating))",
    ),
    Wrong(
        "does-not-evict-who-leaves",
        "Terminating pods are not victims.",
        _VICTIMS,
        "if may_preempt(context.pod.pod, other.pod)]",
        "if may_preempt(context.pod.pod, other.pod) and other.pod.metadata.deletion_timestamp is None]",
    ),
    Wrong(
        "evicts-only-its-own",
        "Pods of other schedulers are not victims.",
        _ELIGIBILITY,
        "return other.priority < preemptor.priority",
        "both = preemptor.spec, other.spec\n"
        "    return both[0].scheduler_name == both[1].scheduler_name and other.priority < preemptor.priority",
    ),
    Wrong(
        "evicts-only-in-its-namespace",
        "Pods of other namespaces are not victims.",
        _ELIGIBILITY,
        "return other.priority < preemptor.priority",
        "return other.priority < preemptor.priority and other.namespace == preemptor.namespace",
    ),
    Wrong(
        "only-positive-priorities-preempt",
        "A pod whose priority is not above 0 does not preempt.",
        _ELIGIBILITY,
        "return other.priority < preemptor.priority",
        "return other.priority < preemptor.priority and preemptor.priority > 0",
    ),
    Wrong(
        "waits-for-equals",
        "A pod waits for terminating pods of equal or higher priority on its nominated node too.",
        _ELIGIBILITY,
        "any(may_preempt(pod, other.pod) and _leaves",
        "any(_leaves",
    ),
    Wrong(
        "waits-where-it-cannot-help",
        "A pod waits for a terminating victim even where its nominated node became unresolvable.",
        _ELIGIBILITY,
        "if context.status_of(nominated.name).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:",
        "if False:",
    ),
    Wrong(
        "takes-the-first-candidate",
        "The dry run ends with the first candidate, whatever it costs.",
        _DRY_RUN,
        "return min(max(nodes * percentage // 100, absolute), nodes)",
        "return min(1, nodes)",
    ),
    Wrong(
        "equals-are-outranked",
        "Nominated pods of equal priority lose their nomination too.",
        _PLUGIN,
        "if other.pod.priority < priority)",
        "if other.pod.priority <= priority)",
    ),
    Wrong(
        "remembers-what-budgets-allowed",
        "The disruptionsAllowed of a budget stays as it was when the first pod preempted.",
        _DRY_RUN,
        "    budgets = Budgets.of(context.snapshot.objects.list(PodDisruptionBudget))\n",
        "    objects = context.snapshot.objects\n"
        "    listed = Budgets.of(objects.list(PodDisruptionBudget))\n"
        "    budgets = vars(objects).setdefault('budgets', listed)\n",
    ),
)
