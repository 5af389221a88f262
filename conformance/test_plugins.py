# SPDX-License-Identifier: Apache-2.0
"""Filter and Score: what each default plugin says of a pod and a node, to the last unit."""

from __future__ import annotations

from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms


@conforms(area="resources", rules=rules_of("FIT", "BALANCED", "REQUEST", "R-INV-01"), examples=200)
def test_resources(check: Check, history: History) -> None:
    check(history)


@conforms(area="taints", rules=rules_of("TAINT", "CORDON"), examples=110)
def test_taints_and_cordons(check: Check, history: History) -> None:
    check(history)


@conforms(area="node_affinity", rules=rules_of("NODEAFF", "SELECTOR", "DECLARED"), examples=150)
def test_node_affinity(check: Check, history: History) -> None:
    check(history)


@conforms(area="pod_affinity", rules=rules_of("PODAFF"), examples=80)
def test_pod_affinity(check: Check, history: History) -> None:
    check(history)


@conforms(area="spread", rules=rules_of("SPREAD"), examples=240)
def test_topology_spread(check: Check, history: History) -> None:
    check(history)


@conforms(area="ports", rules=rules_of("PORTS"), examples=80)
def test_host_ports(check: Check, history: History) -> None:
    check(history)


@conforms(area="images", rules=rules_of("IMAGE"), examples=40)
def test_images(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="earlier_plugins",
    rules=rules_of(
        "ALLOC", "AVOID", "CLOUDLIMIT", "LEAST", "MOST", "NODELABEL", "RATIO", "SELSPREAD", "SVCAFF"
    ),
    examples=200,
)
def test_plugins_of_earlier_releases(check: Check, history: History) -> None:
    check(history)


@conforms(area="volumes", rules=rules_of("VOLBIND", "BASIC"), needs=("volumes",), examples=90)
def test_volumes_to_bind_and_to_make(check: Check, history: History) -> None:
    check(history)


@conforms(area="attached", rules=rules_of("VOLLIMIT", "VOLZONE", "VOLRESTR"), examples=70, needs=("volumes",))
def test_volumes_that_are_there(check: Check, history: History) -> None:
    check(history)


@conforms(area="disks", rules=rules_of("VOLRESTR"), needs=("volumes",), examples=40)
def test_exclusive_disks(check: Check, history: History) -> None:
    check(history)


@conforms(area="claims", rules=rules_of("VOLBIND", "VOLLIMIT", "VOLZONE"), needs=("volumes",), examples=120)
def test_claims_and_what_serves_them(check: Check, history: History) -> None:
    check(history)


@conforms(area="limits", rules=rules_of("VOLLIMIT"), needs=("volumes",), examples=50)
def test_volume_limits(check: Check, history: History) -> None:
    check(history)


@conforms(area="assumed_volumes", rules=rules_of("VOLBIND"), needs=("volumes", "scripted"), examples=30)
def test_assumed_volumes(check: Check, history: History) -> None:
    check(history)


@conforms(area="awaited_volumes", rules=rules_of("VOLBIND"), needs=("volumes",), examples=80)
def test_volumes_that_are_waited_for(check: Check, history: History) -> None:
    check(history)


@conforms(area="dra", rules=rules_of("DRA"), needs=("devices",), examples=80)
def test_devices(check: Check, history: History) -> None:
    check(history)


@conforms(area="multiple_claims", rules=rules_of("DRA"), needs=("devices", "scripted"), examples=30)
def test_pods_with_multiple_claims(check: Check, history: History) -> None:
    check(history)


@conforms(area="allocations", rules=rules_of("DRA"), needs=("devices",), examples=90)
def test_claims_for_devices_and_what_they_hold(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="csi_drivers",
    rules=("R-VOLBIND-30", "R-VOLBIND-31", "R-VOLBIND-32", "R-VOLBIND-33", "R-VOLLIMIT-14"),
    needs=("volumes",),
    examples=60,
)
def test_what_csi_drivers_report(check: Check, history: History) -> None:
    check(history)


@conforms(area="declared_features", rules=rules_of("DECLARED"), examples=50)
def test_declared_features(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="shared_devices",
    rules=(
        *("R-DRA-28", "R-DRA-29", "R-DRA-31", "R-DRA-33", "R-DRA-34", "R-DRA-36", "R-DRA-39"),
        *("R-DRA-46", "R-DRA-47", "R-DRA-48", "R-DRA-63", "R-DRA-64", "R-DRA-86"),
    ),
    needs=("devices",),
    examples=130,
)
def test_devices_that_are_shared(check: Check, history: History) -> None:
    check(history)


@conforms(area="taint_rules", rules=("R-DRA-35", "R-DRA-89"), needs=("devices",), examples=40)
def test_taints_of_devices_by_rules(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="ready_devices",
    rules=(
        *("R-DRA-90", "R-DRA-91", "R-DRA-92", "R-DRA-93", "R-DRA-94", "R-DRA-95", "R-DRA-96", "R-DRA-97"),
        *("R-DRA-98", "R-DRA-99", "R-FIT-13", "R-FIT-14", "R-FIT-15", "R-FIT-16"),
        *("R-BALANCED-07", "R-BATCH-23"),
    ),
    needs=("devices", "scripted"),
    examples=110,
)
def test_devices_that_must_be_ready_and_serve_resources(check: Check, history: History) -> None:
    check(history)
