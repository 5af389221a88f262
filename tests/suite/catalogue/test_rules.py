# SPDX-License-Identifier: Apache-2.0
"""The catalogue: every rule has a sentence, a source and a test, and every test of the suite has rules."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import conformance
from refsched.framework.events import ActionType
from refsched.queue.hint_table import HintTable, event_rule
from refsched.queue.transitions import TRANSITIONS
from refsched.releases import RELEASES
from refsched.suite.catalogue.rule_metadata import (
    LEVELS,
    OBSERVED,
    PROMISED,
    RuleMetadata,
    said_by,
    said_of_rows,
)
from refsched.suite.catalogue.rules import (
    action_name,
    all_rules,
    counterpart,
    default_plugins,
    level_of,
    plugins_of,
    rules_of,
)
from refsched.suite.catalogue.untestable_rules import why_elsewhere
from refsched.suite.session.conforming import REPLAY, Declaration, declarations_in

ROOT = Path(__file__).parents[3]


def declarations() -> Iterator[tuple[str, Declaration]]:
    for path in sorted(Path(conformance.__path__[0]).glob("test_*.py")):
        for name, declared in declarations_in(import_module(f"conformance.{path.stem}")):
            yield f"{path.stem}.{name}", declared


def test_every_rule_is_tested_in_the_suite_or_is_said_to_be_tested_elsewhere() -> None:
    named = {rule for _, declared in declarations() for rule in declared.rules}
    assert not [rule for rule in all_rules() if rule not in named and why_elsewhere(rule) is None]


def test_a_rule_that_the_suite_tests_is_not_said_to_be_tested_elsewhere() -> None:
    named = {rule for _, declared in declarations() for rule in declared.rules}
    assert not [rule for rule in named if why_elsewhere(rule) is not None]


def test_what_is_said_to_test_a_rule_elsewhere_is_there() -> None:
    said = " ".join(filter(None, map(why_elsewhere, all_rules())))
    named = set(re.findall(r"tests/[\w/]*\w(?:\.py)?", said))
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert len(named) > 3


def test_every_test_of_the_suite_names_rules_of_the_catalogue() -> None:
    for name, declared in declarations():
        assert declared.rules or declared.area == REPLAY, name
        assert set(declared.rules) <= all_rules().keys(), name


def test_a_rule_has_a_sentence_a_level_and_a_source() -> None:
    for rule in all_rules().values():
        assert re.fullmatch(r"[A-Z].*\.", rule.sentence), rule
        assert not re.search(r"\b(Raises|Returns|Source:)", rule.sentence), rule
        assert rule.level in LEVELS, f"neither {rule.id} nor its module says a level"
        assert re.fullmatch(r"[^()]+[^.()]", rule.why_level), rule
        assert rule.source or rule.area in ("INV", "ANSWER"), rule


def test_every_row_of_the_queues_table_is_a_rule() -> None:
    assert {row.rule for row in TRANSITIONS} <= all_rules().keys()


def test_every_row_of_a_plugins_events_is_a_rule() -> None:
    rows = {
        event_rule(plugin.name, row.resource, row.action)
        for release in RELEASES.values()
        if release.queue.on_event is HintTable.strategy
        for plugin in default_plugins(release.name)
        for row in getattr(plugin, "EVENTS", ())
    }
    assert {rule for rule in all_rules() if rule.startswith("R-CURE-")} == rows


def test_a_rule_has_the_level_that_it_says_itself_or_else_that_of_its_module() -> None:
    assert level_of("R-SEARCH-01") == OBSERVED
    assert level_of("R-SEARCH-04") == PROMISED
    assert level_of("R-TAINT-01") == PROMISED
    assert level_of("R-TAINT-06") == OBSERVED


def test_a_row_has_the_level_that_the_docstring_of_its_table_says_of_it_or_else_that_of_the_table() -> None:
    assert level_of("R-QUEUE-07") == PROMISED
    assert level_of("R-QUEUE-08") == OBSERVED
    assert level_of("R-CURE-NodePorts-Pod-Delete") == OBSERVED


def test_no_rule_no_level() -> None:
    assert level_of("R-NO-01") == ""


def test_areas_and_single_rules_can_be_named() -> None:
    assert set(rules_of("SORT", "R-NOM-03")) == {"R-SORT-01", "R-SORT-02", "R-NOM-03"}


def test_actions_are_named_as_kubernetes_names_them() -> None:
    assert action_name(ActionType.ADD | ActionType.UPDATE_NODE_LABEL) == "Add+UpdateNodeLabel"
    assert action_name(ActionType.ADD | ActionType.UPDATE) == "Add+Update"
    assert action_name(ActionType.UPDATE) == "Update"


# --- Rules of another release ---------------------------------------------------------------------


def test_a_rule_that_does_not_hold_in_a_release_has_a_counterpart_of_its_area() -> None:
    assert counterpart("R-WORDS-01", "1.34", ()) == "R-WORDS-01"
    assert counterpart("R-WORDS-01", "1.19", ("R-WORDS-53",)) == "R-WORDS-53"
    found = counterpart("R-WORDS-01", "1.19", ())
    assert found.startswith("R-WORDS-")
    assert "1.19" in all_rules()[found].releases


def test_where_a_release_has_no_rule_of_the_area_the_rule_stays() -> None:
    assert counterpart("R-DRA-01", "1.19", ("R-WORDS-53",)) == "R-DRA-01"
    assert counterpart("R-NO-01", "1.19", ()) == "R-NO-01"


# --- What a rule says of itself -------------------------------------------------------------------


def test_what_stands_behind_an_id_holds_instead_of_what_the_module_says() -> None:
    module = said_by("A module.\n\nPromised: ports are\ndocumented.\nShows in: queue.\nSource: a.go.\n")
    assert module == RuleMetadata("promised", "ports are documented", shows_in=("queue",))
    own = module.behind(
        "instead of R-A-01, R-A-02; observed: it is\n  an accident; shows in any record; needs api"
    )
    assert own == RuleMetadata("observed", "it is an accident", ("R-A-01", "R-A-02"), (), ("api",))
    assert module.behind("brought about by update").brought_about_by == ("update",)


def test_what_the_docstring_of_a_class_says_holds_for_what_is_inside() -> None:
    module = said_by("Observed: an order.\nUsed by: NodePorts.")
    inside = said_by("A class.\n\nUsed by: NodeName, NodeAffinity; without them it shows in cache.", module)
    assert inside == RuleMetadata(
        "observed", "an order", used_by=("NodeName", "NodeAffinity"), shows_without_them_in=("cache",)
    )


@pytest.mark.parametrize(
    ("rule", "plugins"),
    [
        ("R-QUEUE-01", ()),
        ("R-CURE-NodePorts-Pod-Delete", ("NodePorts",)),  # a row of the plugin's events
        ("R-PORTS-03", ("NodePorts",)),  # its module
        ("R-SPREAD-03", ("PodTopologySpread",)),  # a module beside its own
        ("R-NODELABEL-01", ("NodeLabel",)),  # a plugin that no release has by default
        ("R-CLOUDLIMIT-01", ("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits")),
        ("R-DRA-71", ("DynamicResources",)),  # what the package says
        ("R-DRA-55", ("DynamicResources",)),  # an earlier release's form of a package
        ("R-VOLLIMIT-09", ("NodeVolumeLimits",)),  # what the module says, which holds instead of that
    ],
)
def test_a_rule_is_used_by_the_plugins_that_it_or_what_is_around_it_names_or_that_its_module_has(
    rule: str, plugins: tuple[str, ...]
) -> None:
    assert plugins_of(rule) == plugins


def test_a_module_that_says_nothing_gives_its_rules_no_level() -> None:
    assert said_by(None) == RuleMetadata()


def test_what_can_not_be_said_is_an_error() -> None:
    with pytest.raises(ValueError, match="a rule says of itself: shown nowhere"):
        RuleMetadata().behind("shown nowhere")


def test_the_docstring_of_a_table_says_what_holds_for_single_rows() -> None:
    said = said_of_rows("Shows in: queue. R-QUEUE-01 (needs api). R-QUEUE-02 says more (not this).")
    assert said == {"R-QUEUE-01": "needs api"}
