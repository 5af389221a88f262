# SPDX-License-Identifier: Apache-2.0
"""Cases: situations that drawn histories rarely reach, each by its name. ``-k NAME`` selects one."""

from __future__ import annotations

from conformance.cases import (
    allocated_claims,
    attributes,
    batches,
    cel,
    config,
    consumed_devices,
    device_taints,
    devices,
    disks,
    earlier,
    earlier_evictions,
    earlier_plugins,
    empty_values,
    events,
    extender_scores,
    extenders,
    generated_claims,
    images,
    in_flight,
    leaving,
    left_out,
    migrated_volumes,
    names_of_nodes,
    namesakes,
    node_affinity,
    nominated,
    own_updates,
    pod_affinity,
    pod_level_limits,
    pools,
    ports,
    preemption,
    queue,
    requests,
    resource_scores,
    resource_slices,
    resources,
    rollback,
    searches,
    served_resources,
    spread,
    spread_by_default,
    taints,
    unbound_claims,
    victim_order,
    volume_limits,
    volumes,
)
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.session.cases import Case
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms

# --- Plugins --------------------------------------------------------------------------------------


@conforms(
    area="resources",
    cases=(*resources.CASES, *resource_scores.CASES, *pod_level_limits.CASES),
    rules=rules_of("FIT"),
)
def test_resource_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="node_affinity", cases=(*node_affinity.CASES, *empty_values.OF_NODES), rules=rules_of("NODEAFF")
)
def test_node_affinity_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="pod_affinity", cases=(*pod_affinity.CASES, *empty_values.OF_PODS), rules=rules_of("PODAFF"))
def test_pod_affinity_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="spread", cases=(*spread.CASES, *spread_by_default.CASES), rules=rules_of("SPREAD"))
def test_topology_spread_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="ports", cases=ports.CASES, rules=rules_of("PORTS"))
def test_host_port_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="images", cases=images.CASES, rules=rules_of("IMAGE"))
def test_image_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="taints", cases=taints.CASES, rules=rules_of("TAINT"))
def test_taint_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="volumes",
    cases=(
        *volumes.CASES,
        *disks.CASES,
        *unbound_claims.CASES,
        *names_of_nodes.OF_VOLUMES,
        *empty_values.OF_STORAGE,
    ),
    rules=rules_of("VOLBIND", "VOLZONE", "VOLRESTR"),
    needs=("volumes",),
)
def test_volume_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="volumes", cases=migrated_volumes.CASES, rules=rules_of("VOLBIND"), needs=("volumes",))
def test_migrated_volume_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="volumes",
    cases=(*volume_limits.CASES, *namesakes.OF_CLAIMS),
    rules=rules_of("VOLLIMIT"),
    needs=("volumes",),
)
def test_volume_limit_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="devices",
    cases=(
        *devices.CASES,
        *pools.CASES,
        *requests.CASES,
        *device_taints.CASES,
        *allocated_claims.CASES,
        *generated_claims.CASES,
        *names_of_nodes.OF_DEVICES,
        *namesakes.OF_DEVICES,
        *empty_values.OF_DEVICES,
    ),
    rules=rules_of("DRA"),
    needs=("devices",),
)
def test_device_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="devices", cases=served_resources.CASES, rules=("R-DRA-157",), needs=("devices",))
def test_served_resource_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="devices", cases=consumed_devices.CASES, rules=("R-DRA-36", "R-DRA-47"), needs=("devices",))
def test_consumed_device_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="devices",
    cases=(*resource_slices.CASES, *attributes.CASES),
    rules=rules_of("DRA"),
    needs=("devices",),
)
def test_resource_slice_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="devices", cases=cel.CASES, rules=rules_of("DRA"), needs=("devices",))
def test_cel_selector_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="earlier_plugins",
    cases=(*earlier.CASES, *earlier_plugins.CASES, *earlier_evictions.CASES, *names_of_nodes.OF_EMPTY_NAMES),
    rules=rules_of("MOST", "PREEMPT"),
)
def test_cases_of_earlier_releases(check: Check, case: Case) -> None:
    check(case.history)


# --- The cycle and the queue ----------------------------------------------------------------------


@conforms(
    area="config",
    cases=config.CASES,
    rules=rules_of("FRAMEWORK", "RESERVE", "PERMIT", "BIND"),
    needs=("scripted",),
)
def test_profile_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="left_out", cases=left_out.CASES, rules=rules_of("FRAMEWORK"))
def test_cases_of_plugins_left_out_of_a_point(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="lifecycle", cases=leaving.CASES, rules=("R-FIT-02", "R-GATES-02"))
def test_cases_of_what_is_being_deleted(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="faults",
    cases=(*rollback.CASES, *in_flight.CASES),
    rules=rules_of("ASSUME", "ROLLBACK"),
    needs=("scripted",),
)
def test_rollback_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="extenders",
    cases=(*extenders.CASES, *extender_scores.CASES),
    rules=rules_of("EXTENDER"),
    needs=("extenders",),
)
def test_extender_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="preemption", cases=preemption.CASES, rules=rules_of("PREEMPT"), needs=("preemption",))
def test_preemption_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="preemption", cases=victim_order.CASES, rules=rules_of("PREEMPT"), needs=("preemption",))
def test_victim_order_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(
    area="queue",
    cases=(*queue.CASES, *events.CASES, *own_updates.CASES, *namesakes.OF_PODS),
    rules=rules_of("BACKOFF", "HINT", "CURE", "QUEUE"),
    needs=("queue",),
)
def test_queue_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="config", cases=searches.CASES, rules=("R-SEARCH-01", "R-SEARCH-02"))
def test_search_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="batches", cases=batches.CASES, rules=rules_of("BATCH"))
def test_batch_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="nominated", cases=nominated.CASES, rules=rules_of("NOM", "EVENT"), needs=("queue",))
def test_nomination_cases(check: Check, case: Case) -> None:
    check(case.history)


@conforms(area="nominated", cases=nominated.OF_GATED_PODS, rules=rules_of("NOM"))
def test_cases_of_gated_pods_that_are_nominated(check: Check, case: Case) -> None:
    check(case.history)
