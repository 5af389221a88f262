# SPDX-License-Identifier: Apache-2.0
"""Mutants of kube-scheduler that no history can distinguish from it, each with the argument."""

from __future__ import annotations

from collections.abc import Mapping

_PLUGINS = "framework/plugins"
_DRA = f"{_PLUGINS}/dynamicresources/dynamicresources.go"
_ASSIGNS_THE_SAME = "Where the two are equal, the assignment changes nothing."
_METRICS = "Only metrics hear of it."
_LOG = "Only the log hears of it."
_LOCK = "Only whether a lock is held changes, and each node is written by whoever looks at it."
_EMPTY = "To copy, or to go through, what is empty changes nothing."
_BEHIND_A_GATE = "What follows is behind an alpha gate, without which no device has conditions."
_REGISTERED = "Read only to wait for informers when the scheduler starts."
_HAS_STATE = "Whoever is assumed has a state."
_ASKED_IN_VAIN = (
    "Each node of the list is asked for such pods again, and one without them has nothing to say."
)
_NOBODY_WAITS = "It ends a wait in Pop; over the wire nobody waits there, but asks when it is time."
_OFFSET = (
    "Where preemption begins its search is drawn at random: what a search finds that goes on for longer, one that "
    "begins later finds as well."
)
_PROFILE = "What is noted there is for those who asked which profile it is."
_ONE_OF_BOTH = "It counts where some plugins said Pending and others refused; no attempt ends in both."
_ONCE_MORE = "What cannot be read is computed once more."
_NEVER_BEHIND = (
    "It counts where the scheduler has not yet heard of its own write; over the wire it always has."
)
_TAINTS_IN_ANY_CASE = (
    "Whoever registers for new nodes gets the events of their taints in any case (scheduler.go)."
)
_VOLUME_SCORES = "Read where volumes are scored, behind an alpha gate."
_NO_FAILURE = "No default plugin fails there, and a success is no error."
_NO_MORE_EVENTS = "Of what it registers for besides, its hint makes nothing: no label has changed."
_LISTED = "What selectHost lists beside the node is read by the log alone."

EQUIVALENT: Mapping[str, str] = {
    "backend/cache/cache.go:234:boundary:1": _ASKED_IN_VAIN,
    "backend/cache/cache.go:237:boundary:1": _ASKED_IN_VAIN,
    "backend/cache/cache.go:247:leaving:0": "It is set once more.",
    "backend/cache/cache.go:259:omission:0": "What has not changed is copied once more.",
    "backend/cache/cache.go:304:boundary:0": _ASKED_IN_VAIN,
    "backend/cache/cache.go:307:boundary:0": _ASKED_IN_VAIN,
    "backend/cache/cache.go:322:boundary:0": _ASKED_IN_VAIN,
    "backend/cache/cache.go:337:leaving:0": "All that were deleted have been found: it looks for more in vain.",
    "backend/cache/cache.go:400:part:0": _HAS_STATE,
    "backend/cache/cache.go:400:part:1": "Read where assumed pods expire, and the scheduler lets none expire.",
    "backend/cache/cache.go:402:omission:0": "Read where assumed pods expire, and the scheduler lets none expire.",
    "backend/cache/cache.go:407:omission:0": "Read where assumed pods expire, and the scheduler lets none expire.",
    "backend/cache/cache.go:504:part:0": _HAS_STATE,
    "backend/cache/cache.go:510:negated:0": _LOG,
    "backend/cache/snapshot.go:191:part:0": "A NodeInfo that is not there has no node either.",
    "backend/queue/active_queue.go:301:omission:0": "Read without queueing hints only, which are always on.",
    "backend/queue/active_queue.go:309:omission:0": "Whoever is popped was let through, which has emptied it.",
    "backend/queue/backoff_queue.go:330:omission:0": "No update of a pod changes when it is its turn.",
    "backend/queue/backoff_queue.go:336:omission:0": "No update of a pod changes when it is its turn.",
    "backend/queue/nominator.go:125:negated:0": (
        "It counts between a nomination and its arrival in the pod's status. Over the wire nothing happens then."
    ),
    "backend/queue/nominator.go:155:omission:0": "A list of nobody is no list.",
    "backend/queue/scheduling_queue.go:266:omission:0": "It is the one that is taken where none is given.",
    "backend/queue/scheduling_queue.go:273:omission:0": "It is given what it is without being given anything.",
    "backend/queue/scheduling_queue.go:436:negated:0": "Whoever is not interested says so one by one.",
    "backend/queue/scheduling_queue.go:514:omission:0": "Whichever hint fails says Queue beside the error.",
    "backend/queue/scheduling_queue.go:530:negated:0": _ONE_OF_BOTH,
    "backend/queue/scheduling_queue.go:574:boundary:0": _METRICS,
    "backend/queue/scheduling_queue.go:587:part:0": "No plugin has an empty name.",
    "backend/queue/scheduling_queue.go:657:omission:0": _METRICS,
    "backend/queue/scheduling_queue.go:703:omission:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:728:omission:0": "Read without queueing hints only, which are always on.",
    "backend/queue/scheduling_queue.go:731:negated:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:792:leaving:0": "Nothing follows in the loop.",
    "backend/queue/scheduling_queue.go:799:omission:0": _ONE_OF_BOTH,
    "backend/queue/scheduling_queue.go:904:negated:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:906:omission:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:919:negated:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:924:omission:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:1084:negated:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:1217:part:1": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:1217:negated:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:1217:part:3": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:1228:negated:0": _LOG,
    "backend/queue/scheduling_queue.go:1234:omission:0": _NOBODY_WAITS,
    "backend/queue/scheduling_queue.go:1373:omission:0": _NOBODY_WAITS,
    "backend/queue/unschedulable_pods.go:52:omission:0": _METRICS,
    "backend/queue/unschedulable_pods.go:53:negated:0": _METRICS,
    "backend/queue/unschedulable_pods.go:66:part:0": _METRICS,
    "backend/queue/unschedulable_pods.go:67:omission:0": _METRICS,
    "backend/queue/unschedulable_pods.go:69:omission:0": _METRICS,
    "eventhandlers.go:437:omission:0": _REGISTERED,
    "eventhandlers.go:468:omission:0": _REGISTERED,
    "eventhandlers.go:479:omission:0": _REGISTERED,
    "eventhandlers.go:537:omission:0": _REGISTERED,
    "eventhandlers.go:585:omission:0": _REGISTERED,
    "eventhandlers.go:594:omission:0": _REGISTERED,
    "eventhandlers.go:603:omission:0": _REGISTERED,
    "eventhandlers.go:618:omission:0": _REGISTERED,
    "eventhandlers.go:647:omission:0": _REGISTERED,
    "framework/events.go:68:negated:0": "Only metrics distinguish the two resources.",
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:187:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:190:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:190:negated:0": _OFFSET,
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:191:omission:0": "No more are found than there are.",
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:231:negated:0": _NO_FAILURE,
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:239:negated:0": _NO_FAILURE,
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:310:part:0": "What is in order is put in order.",
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:310:part:1": "What is in order is put in order.",
    f"{_PLUGINS}/defaultpreemption/default_preemption.go:335:boundary:0": "No node has an empty name.",
    f"{_PLUGINS}/dynamicresources/allocateddevices.go:66:negated:0": _BEHIND_A_GATE,
    f"{_PLUGINS}/dynamicresources/allocateddevices.go:226:negated:0": _BEHIND_A_GATE,
    f"{_PLUGINS}/dynamicresources/dra_manager.go:264:omission:0": (
        "Once a claim is assumed it is no longer in flight: of one that is, nothing has to be restored."
    ),
    f"{_DRA}:930:leaving:0": _BEHIND_A_GATE,
    f"{_DRA}:933:negated:0": _BEHIND_A_GATE,
    f"{_DRA}:940:part:0": _BEHIND_A_GATE,
    f"{_DRA}:940:negated:0": _BEHIND_A_GATE,
    f"{_DRA}:973:part:0": "Without the gate DRAExtendedResource there is nothing that could be put in its place.",
    f"{_DRA}:1006:part:0": _LOCK,
    f"{_DRA}:1006:part:1": _LOCK,
    f"{_DRA}:1006:negated:0": _LOCK,
    f"{_DRA}:1137:negated:0": "Read only where no allocation was found, and then Filter has refused the node.",
    f"{_DRA}:1138:omission:0": "Read only where no allocation was found, and then Filter has refused the node.",
    f"{_DRA}:1181:negated:0": "This copy is asked for its allocation alone; what is written is made elsewhere.",
    f"{_DRA}:1182:omission:0": "Of an allocation in flight only the devices are read.",
    f"{_DRA}:1221:part:0": "Nobody uses a claim that is not allocated.",
    f"{_DRA}:1222:part:0": "A patch that takes away who is not there changes nothing.",
    f"{_DRA}:1329:negated:0": _BEHIND_A_GATE,
    f"{_DRA}:1329:part:0": _BEHIND_A_GATE,
    f"{_DRA}:1486:part:0": "No claim of a user can have the name of the special one.",
    f"{_DRA}:1551:omission:0": "The next write is refused as stale, and made again with the claim as it is.",
    f"{_DRA}:1560:part:2": "The API server drops the time of an allocation as long as the alpha gate is off.",
    f"{_PLUGINS}/helper/spread.go:107:leaving:0": "A service without a selector adds nothing to the selectors.",
    f"{_PLUGINS}/interpodaffinity/filtering.go:353:boundary:0": _EMPTY,
    f"{_PLUGINS}/interpodaffinity/plugin.go:135:omission:0": "The term is a copy, of which nobody reads this.",
    f"{_PLUGINS}/interpodaffinity/plugin.go:249:part:2": "Without such a label before, an earlier case holds.",
    f"{_PLUGINS}/interpodaffinity/scoring.go:110:boundary:0": "What is added is nothing.",
    f"{_PLUGINS}/interpodaffinity/scoring.go:110:part:0": "What is added is nothing.",
    f"{_PLUGINS}/interpodaffinity/scoring.go:271:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/nodeaffinity/node_affinity.go:95:negated:0": _NO_MORE_EVENTS,
    f"{_PLUGINS}/nodeaffinity/node_affinity.go:158:omission:0": _ONCE_MORE,
    f"{_PLUGINS}/nodename/node_name.go:56:omission:0": "A pod that names its node is never in the queue.",
    f"{_PLUGINS}/noderesources/balanced_allocation.go:88:negated:0": _ONCE_MORE,
    f"{_PLUGINS}/noderesources/fit.go:146:negated:0": _ONCE_MORE,
    f"{_PLUGINS}/noderesources/fit.go:274:negated:0": "What it notes is read behind the alpha gate alone.",
    f"{_PLUGINS}/noderesources/fit.go:627:boundary:0": _EMPTY,
    f"{_PLUGINS}/noderesources/most_allocated.go:58:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/nodevolumelimits/csi.go:142:leaving:0": "No claim has an empty name.",
    f"{_PLUGINS}/nodevolumelimits/utils.go:64:omission:0": "A set that was never made holds nothing either.",
    f"{_PLUGINS}/podtopologyspread/scoring.go:244:boundary:0": _ASSIGNS_THE_SAME,
    f"{_PLUGINS}/volumebinding/binder.go:335:boundary:0": _EMPTY,
    f"{_PLUGINS}/volumebinding/binder.go:343:boundary:0": _EMPTY,
    f"{_PLUGINS}/volumebinding/binder.go:364:boundary:0": _EMPTY,
    f"{_PLUGINS}/volumebinding/binder.go:375:boundary:0": _EMPTY,
    f"{_PLUGINS}/volumebinding/binder.go:554:omission:0": _NEVER_BEHIND,
    f"{_PLUGINS}/volumebinding/binder.go:555:omission:0": _NEVER_BEHIND,
    f"{_PLUGINS}/volumebinding/binder.go:569:omission:0": _NEVER_BEHIND,
    f"{_PLUGINS}/volumebinding/binder.go:758:negated:0": _LOG,
    f"{_PLUGINS}/volumebinding/binder.go:761:negated:0": _LOG,
    f"{_PLUGINS}/volumebinding/binder.go:887:omission:0": "What becomes of the claims that are left decides.",
    f"{_PLUGINS}/volumebinding/binder.go:897:negated:0": _LOG,
    f"{_PLUGINS}/volumebinding/binder.go:908:omission:0": "A list that is empty is left out where it is read.",
    f"{_PLUGINS}/volumebinding/binder.go:1090:omission:0": "A set that was never made holds nothing either.",
    f"{_PLUGINS}/volumebinding/volume_binding.go:112:omission:0": _TAINTS_IN_ANY_CASE,
    f"{_PLUGINS}/volumebinding/volume_binding.go:188:leaving:0": "No claim has an empty name.",
    f"{_PLUGINS}/volumebinding/volume_binding.go:443:boundary:0": _VOLUME_SCORES,
    f"{_PLUGINS}/volumebinding/volume_binding.go:443:omission:0": _VOLUME_SCORES,
    f"{_PLUGINS}/volumebinding/volume_binding.go:443:part:0": _VOLUME_SCORES,
    f"{_PLUGINS}/volumerestrictions/volume_restrictions.go:147:negated:0": "Each may be sought in the other.",
    f"{_PLUGINS}/volumerestrictions/volume_restrictions.go:171:leaving:0": "It is set once more.",
    f"{_PLUGINS}/volumerestrictions/volume_restrictions.go:272:leaving:0": "Such a volume is in no conflict.",
    f"{_PLUGINS}/volumezone/volume_zone.go:121:omission:0": _ONCE_MORE,
    f"{_PLUGINS}/volumezone/volume_zone.go:216:leaving:0": "It is set once more.",
    f"{_PLUGINS}/volumezone/volume_zone.go:274:omission:0": _TAINTS_IN_ANY_CASE,
    "framework/preemption/preemption.go:96:boundary:0": _ASSIGNS_THE_SAME,
    "framework/preemption/preemption.go:475:leaving:0": "A patch that changes nothing is not sent.",
    "framework/preemption/preemption.go:730:part:0": "Who does not succeed names no victims.",
    "framework/preemption/preemption.go:745:boundary:1": _OFFSET,
    "framework/preemption/preemption.go:746:omission:0": _OFFSET,
    "framework/runtime/framework.go:171:omission:0": "Plugins of others read it, and none of those that are here.",
    "framework/runtime/framework.go:352:negated:0": _PROFILE,
    "framework/runtime/framework.go:353:omission:0": _PROFILE,
    "framework/runtime/framework.go:533:omission:0": "Nobody asks again whether it is in the set.",
    "framework/runtime/framework.go:884:negated:0": _METRICS,
    "framework/runtime/framework.go:905:negated:0": _LOG,
    "framework/runtime/framework.go:1048:part:1": "Whoever is refused at first is not asked again in any case.",
    "framework/runtime/framework.go:1124:negated:0": _METRICS,
    "framework/runtime/framework.go:1168:negated:0": _LOG,
    "framework/runtime/framework.go:1257:negated:0": _METRICS,
    "framework/runtime/framework.go:1276:negated:0": _LOG,
    "framework/runtime/framework.go:1306:negated:0": _METRICS,
    "framework/runtime/framework.go:1426:negated:0": _LOG,
    "framework/runtime/framework.go:1440:negated:0": _METRICS,
    "framework/runtime/framework.go:1461:negated:0": _LOG,
    "framework/runtime/framework.go:1487:negated:0": _METRICS,
    "framework/runtime/framework.go:1507:negated:0": _LOG,
    "framework/runtime/framework.go:1565:boundary:0": _ASSIGNS_THE_SAME,
    "framework/runtime/framework.go:1588:negated:0": _METRICS,
    "framework/runtime/framework.go:1688:omission:0": "Only who lists the plugins reads the weight there.",
    "framework/runtime/waiting_pods_map.go:157:omission:0": "Whoever was rejected once is not rejected again.",
    "framework/types.go:137:negated:0": (
        "Whoever is gated is asked by PreEnqueue again before anything comes of an event, and the one event that "
        "preemption gates for is never a reason."
    ),
    "framework/types.go:289:boundary:0": _EMPTY,
    "framework/types.go:292:boundary:0": _EMPTY,
    "framework/types.go:308:boundary:0": _EMPTY,
    "framework/types.go:414:boundary:0": _EMPTY,
    "framework/types.go:470:omission:0": "Deleted nodes are found by how many there are.",
    "framework/types.go:714:boundary:0": "Where nothing is missing, the second sum is the first one.",
    "schedule_one.go:108:omission:0": _METRICS,
    "schedule_one.go:108:boundary:0": _METRICS,
    "schedule_one.go:190:negated:0": _LOG,
    "schedule_one.go:223:negated:0": _LOG,
    "schedule_one.go:349:negated:0": _METRICS,
    "schedule_one.go:500:omission:0": (
        "Whichever plugin refuses at PreFilter does so for good, as is said of a node that nobody asked."
    ),
    "schedule_one.go:557:negated:0": "Any event requeues what an extender rejected: the other names add nothing.",
    "schedule_one.go:910:negated:0": _LISTED,
    "schedule_one.go:910:part:1": _LISTED,
    "schedule_one.go:911:leaving:0": _LISTED,
    "schedule_one.go:929:negated:0": "Any of the best may be chosen, and so the first of them.",
    "schedule_one.go:937:omission:0": _LISTED,
    "schedule_one.go:1036:negated:0": _METRICS,
    "schedule_one.go:1110:negated:0": (
        "A nomination arrives in the pod's status too. Over the wire nothing happens before it has."
    ),
    "schedule_one.go:1154:omission:0": _LOG,
    "schedule_one.go:1162:part:1": "A patch that changes nothing is not sent.",
}
