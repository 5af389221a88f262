# SPDX-License-Identifier: Apache-2.0
"""The cycles: the search, nominated pods, the profile's plugins, and the way back from each failure."""

from __future__ import annotations

from conformance.vocabulary.capabilities import CYCLE, OBJECTS, VOLUMES
from refsched.suite.catalogue.rules import rules_of
from refsched.suite.histories.history import History
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms


@conforms(area="many", rules=rules_of("SEARCH"), examples=16)
def test_search_among_many_nodes(check: Check, history: History) -> None:
    check(history)


@conforms(area="nominated", rules=rules_of("NOM", "R-SEARCH-03"), examples=150)
def test_nominated_pods(check: Check, history: History) -> None:
    check(history)


@conforms(area="config", rules=rules_of("FRAMEWORK", "R-INV-03", "R-INV-04", "R-SEARCH-04"), examples=180)
def test_profiles(check: Check, history: History) -> None:
    check(history)


@conforms(area="left_out", rules=rules_of("FRAMEWORK"), needs=("volumes",), examples=60)
def test_plugins_left_out_of_a_point(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="faults",
    rules=rules_of("CYCLE", "RESERVE", "ROLLBACK", "BIND", "ASSUME", "FAIL"),
    needs=("scripted",),
    examples=60,
)
def test_faults_and_the_way_back(check: Check, history: History) -> None:
    check(history)


@conforms(area="permit", rules=rules_of("PERMIT"), needs=("scripted",), examples=60)
def test_waiting_on_permit(check: Check, history: History) -> None:
    check(history)


@conforms(area="batches", rules=rules_of("BATCH", "R-SEARCH-15"), examples=60)
def test_batches_of_equal_pods(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="before_binding",
    rules=(
        *("R-BIND-06", "R-BIND-07", "R-BIND-08", "R-BIND-09", "R-FAIL-05", "R-PERMIT-07"),
        *("R-EVENT-09", "R-PREEMPT-20", "R-PREEMPT-PREP-01", "R-PREEMPT-PREP-02", "R-PREEMPT-PREP-04"),
        *("R-PREEMPT-PREP-05", "R-PREEMPT-PREP-06", "R-PREEMPT-PREP-07", "R-PREEMPT-PREP-08"),
    ),
    needs=("scripted", "preemption"),
    examples=60,
)
def test_what_comes_before_a_binding(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="early_nominations",
    rules=(
        *("R-EVENT-08", "R-NOM-07", "R-POSTFILTER-03", "R-PODAFF-17", "R-SPREAD-18", "R-QUEUE-56"),
        *("R-QUEUE-57", "R-VOLBIND-34"),
    ),
    needs=("scripted", "preemption"),
    examples=80,
)
def test_nominations_that_are_there_early(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="gated_nominations", rules=("R-NOM-01", "R-NOM-02", "R-NOM-06"), needs=("nominations",), examples=40
)
def test_nominations_of_gated_pods(check: Check, history: History) -> None:
    check(history)


@conforms(area="mixed", rules=rules_of("R-INV-02", "ANSWER"), examples=50)
def test_everything_at_once(check: Check, history: History) -> None:
    check(history)


INVARIANTS = rules_of("R-INV-01", "R-INV-02")
NEWEST = "1.37"


@conforms(area="exchanged", rules=INVARIANTS, needs=OBJECTS, examples=120)
def test_exchanged_values(check: Check, history: History) -> None:
    check(history)


@conforms(area="exchanged_newer", rules=INVARIANTS, needs=OBJECTS, since=NEWEST, examples=60)
def test_exchanged_values_of_newer_fields(check: Check, history: History) -> None:
    check(history)


@conforms(area="twins", rules=INVARIANTS, needs=OBJECTS, examples=120)
def test_twins_of_names(check: Check, history: History) -> None:
    check(history)


@conforms(area="twins_newer", rules=INVARIANTS, needs=OBJECTS, since=NEWEST, examples=90)
def test_twins_of_names_in_newer_fields(check: Check, history: History) -> None:
    check(history)


@conforms(area="longer", rules=INVARIANTS, needs=OBJECTS, examples=60)
def test_longer_lists(check: Check, history: History) -> None:
    check(history)


@conforms(area="longer_newer", rules=INVARIANTS, needs=OBJECTS, since=NEWEST, examples=40)
def test_longer_lists_of_newer_fields(check: Check, history: History) -> None:
    check(history)


@conforms(area="varied_pods", rules=INVARIANTS, examples=60)
def test_pods_and_nodes_with_other_values(check: Check, history: History) -> None:
    check(history)


@conforms(area="varied_volumes", rules=INVARIANTS, needs=VOLUMES, examples=60)
def test_volumes_with_other_values(check: Check, history: History) -> None:
    check(history)


@conforms(area="cases_of_pods", rules=INVARIANTS, examples=120)
def test_varied_cases_of_pods(check: Check, history: History) -> None:
    check(history)


@conforms(area="cases_of_volumes", rules=INVARIANTS, needs=VOLUMES, examples=80)
def test_varied_cases_of_volumes(check: Check, history: History) -> None:
    check(history)


@conforms(area="cases_of_the_cycle", rules=INVARIANTS, needs=CYCLE, examples=120)
def test_varied_cases_of_the_cycle(check: Check, history: History) -> None:
    check(history)


@conforms(area="cases_of_newer_pods", rules=INVARIANTS, since="1.34", examples=60)
def test_varied_cases_of_newer_rules_about_pods(check: Check, history: History) -> None:
    check(history)


@conforms(area="cases_of_newer_objects", rules=INVARIANTS, needs=OBJECTS, since="1.34", examples=100)
def test_varied_cases_of_newer_rules_about_volumes_and_devices(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="cases_of_the_newer_cycle", rules=INVARIANTS, needs=(*OBJECTS, *CYCLE), since="1.34", examples=40
)
def test_varied_cases_of_newer_rules_about_the_cycle(check: Check, history: History) -> None:
    check(history)


@conforms(
    area="cases_of_newest_rules", rules=INVARIANTS, needs=(*OBJECTS, *CYCLE), since=NEWEST, examples=120
)
def test_varied_cases_of_the_newest_rules(check: Check, history: History) -> None:
    check(history)


@conforms(area="pairs", rules=INVARIANTS, needs=OBJECTS, examples=130)
def test_any_two_features_together(check: Check, history: History) -> None:
    check(history)
