# SPDX-License-Identifier: Apache-2.0
"""What an implementation does not do is neither asked of it nor held against it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from conformance.strategies.faults import SCRIPTED
from conformance.vocabulary.objects import node, pod
from refsched.checking.agreement import Disagreement
from refsched.errors import InputError
from refsched.records import Attempt, NodeStatus, Reference
from refsched.suite.adapters.answers import CAPABILITIES, Hello
from refsched.suite.adapters.selection import EVERYTHING, read_selection
from refsched.suite.catalogue.rules import default_plugins
from refsched.suite.histories.compared_members import compared, may_choose, missing_members
from refsched.suite.histories.history import Advance, Create, Delete, History, Permit, Schedule, Update
from refsched.suite.histories.part import Part, part_of
from refsched.suite.histories.sent_to_part import config_for, history_for, step_for

ALL = frozenset(CAPABILITIES)
WHOLE = Part(ALL)
FITS = Part(frozenset({"filter", "cache"}), frozenset({"NodeResourcesFit", "TaintToleration"}))


def test_a_whole_scheduler_gets_the_history_as_it_is() -> None:
    history = History((), SCRIPTED)
    assert history_for(WHOLE, history).config == SCRIPTED
    assert WHOLE.left_out == ()


def test_without_preemption_other_plugins_still_extend_postfilter() -> None:
    config = history_for(Part(ALL - {"preemption"}), History(())).config
    assert config["profiles"][0]["plugins"] == {"multiPoint": {"disabled": [{"name": "DefaultPreemption"}]}}


def test_plugins_that_the_implementation_does_not_have_are_disabled() -> None:
    profile = config_for(FITS, {})["profiles"][0]
    disabled = {plugin["name"] for plugin in profile["plugins"]["multiPoint"]["disabled"]}
    assert {"NodeAffinity", "PodTopologySpread", "VolumeBinding", "DynamicResources"} <= disabled
    assert not disabled & {"NodeResourcesFit", "TaintToleration", "PrioritySort", "DefaultBinder"}


def test_a_configuration_that_enables_them_one_by_one_enables_only_what_is_there() -> None:
    plugins = {"score": {"enabled": [{"name": "NodeAffinity", "weight": 5}, {"name": "NodeResourcesFit"}]}}
    config: dict[str, Any] = {
        "profiles": [{"schedulerName": "a", "plugins": plugins, "pluginConfig": [{"name": "NodeAffinity"}]}]
    }
    part = Part(FITS.capabilities | {"score", "config"}, FITS.plugins)
    profile = config_for(part, config)["profiles"][0]
    assert profile["plugins"]["score"]["enabled"] == [{"name": "NodeResourcesFit"}]
    assert profile["pluginConfig"] == []
    assert config["profiles"][0]["pluginConfig"], "the configuration that was given is not changed"


def test_an_implementation_that_does_not_read_its_configuration_gets_the_names_of_its_profiles() -> None:
    arguments = [{"name": "NodeResourcesFit", "args": {"ignoredResources": ["x.y/z"]}}]
    config = {"kind": "K", "percentageOfNodesToScore": 5, "profiles": [{"pluginConfig": arguments}]}
    limited = config_for(FITS, config)
    assert limited.keys() == {"kind", "profiles"}
    assert limited["profiles"][0].keys() == {"plugins"}
    second = {"profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "second"}]}
    assert [each["schedulerName"] for each in config_for(FITS, second)["profiles"]] == [
        "default-scheduler",
        "second",
    ]
    gates = {"SchedulerAsyncPreemption": False}
    assert history_for(FITS, History((), config, gates)).feature_gates == {}
    assert history_for(WHOLE, History((), config, gates)).feature_gates == gates
    assert history_for(WHOLE, History((), config, {"SchedulerAsyncPreemption": True})).feature_gates == {}


def test_who_chooses_the_next_pod_and_does_not_read_its_configuration_has_one_profile() -> None:
    """It would have to read of which pods it is the scheduler."""
    second = {"profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "second"}]}
    part = Part(FITS.capabilities | {"queue"}, FITS.plugins)
    assert [each["schedulerName"] for each in config_for(part, second)["profiles"]] == ["default-scheduler"]
    assert config_for(Part(part.capabilities | {"config"}, FITS.plugins), second)["profiles"][1:]


def test_who_scores_and_does_not_read_its_configuration_is_to_score_every_feasible_node() -> None:
    """After how many nodes a search ends is configured, and rules of it are none of a plugin's."""
    config = {"percentageOfNodesToScore": 5}
    scores = FITS.capabilities | {"score"}
    assert config_for(Part(scores, FITS.plugins), config)["percentageOfNodesToScore"] == 100
    assert config_for(Part(scores | {"config"}, FITS.plugins), config)["percentageOfNodesToScore"] == 5
    assert config_for(Part(ALL), config)["percentageOfNodesToScore"] == 5


def test_volumes_and_devices_need_their_capability() -> None:
    left_out = Part(frozenset({"filter"})).left_out
    assert {"VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits"} <= set(left_out)
    assert "DynamicResources" in left_out
    assert "NodeAffinity" not in left_out


# --- Steps ----------------------------------------------------------------------------------------


def test_objects_are_sent_without_what_only_other_plugins_read() -> None:
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}
    wanted = {"nodeSelector": {"disk": "ssd"}, "affinity": affinity, "tolerations": [{"operator": "Exists"}]}
    step = step_for(FITS, Create({"kind": "Pod", "metadata": {"name": "p"}, "spec": wanted}))
    assert isinstance(step, Create)
    assert step.object["spec"] == {"affinity": {}, "tolerations": [{"operator": "Exists"}]}


def test_who_claims_nominations_is_sent_what_others_nominated_and_need_not_preempt() -> None:
    nominated = Create({"kind": "Pod", "metadata": {"name": "p"}, "status": {"nominatedNodeName": "n"}})
    reads = Part(FITS.capabilities | {"nominations"}, FITS.plugins)
    assert step_for(reads, nominated) == nominated
    sent = step_for(FITS, nominated)
    assert isinstance(sent, Create)
    assert sent.object["status"] == {}
    assert not reads.has("DefaultPreemption")


def test_who_has_an_api_server_of_its_own_goes_on_reporting_what_it_does() -> None:
    hello = Hello("x", "1", "1.37", frozenset({"filter", "score", "volumes", "api"}))
    assert read_selection("filter", ()).of(hello).capabilities == {"filter", "volumes", "api"}
    assert (
        not read_selection("filter", ()).of(evolve(hello, capabilities=frozenset({"filter"}))).claims("api")
    )


def test_who_preempts_reads_nominations() -> None:
    claims = frozenset({"filter", "preemption"})
    assert Hello("x", "1", "1.37", claims).claims("nominations")
    assert not Hello("x", "1", "1.37", claims - {"preemption"}).claims("nominations")


def test_kinds_that_no_plugin_of_the_implementation_reads_are_not_sent() -> None:
    claim = {"kind": "PersistentVolumeClaim", "metadata": {"name": "c"}}
    assert step_for(FITS, Create(claim)) is None
    assert step_for(FITS, Delete(Reference("PersistentVolumeClaim", "c", "v1", "default"))) is None
    assert step_for(WHOLE, Create(claim)) == Create(claim)


def test_what_may_become_of_an_object_is_drawn_as_far_as_it_is_taken() -> None:
    part = part_of(Hello("x", "1", "1.34", frozenset({"filter"}), inputs=frozenset({"create", "delete"})))
    gone = Delete(Reference("Node", "n"))
    assert step_for(part, Update(node("n"))) is None
    assert step_for(part, gone) == gone
    assert step_for(evolve(part, inputs=frozenset({"create"})), gone) is None
    assert step_for(WHOLE, gone) == gone


def test_pods_that_belong_together_are_looked_for_only_where_nodes_are_scored_or_constraints_are_configured() -> (
    None
):
    """The default constraints that every release has are ScheduleAnyway."""
    spreads = frozenset({"PodTopologySpread"})
    service = Create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}})
    assert step_for(Part(frozenset({"filter"}), spreads), service) is None
    for capability in ("score", "config"):
        assert step_for(Part(frozenset({"filter", capability}), spreads), service) is not None


def test_who_has_a_part_is_given_the_namespace_of_what_is_deleted_as_of_what_is_created() -> None:
    pod_of_default, a_node = Delete(Reference("Pod", "p")), Delete(Reference("Node", "n"))
    assert step_for(FITS, pod_of_default) == Delete(Reference("Pod", "p", "v1", "default"))
    assert step_for(FITS, a_node) == a_node
    assert step_for(WHOLE, pod_of_default) == pod_of_default


def test_time_passes_without_being_reported_to_who_has_no_use_for_it() -> None:
    assert not FITS.keeps_time
    assert Part(frozenset({"queue"})).keeps_time
    assert step_for(FITS, Advance(1.0)) == Advance(1.0), "the specification beside it keeps time in any case"


def test_without_scripted_plugins_no_pod_has_a_script_and_none_is_decided_on() -> None:
    part = Part(frozenset({"preemption"}))
    profile = history_for(part, History((), SCRIPTED)).config["profiles"][0]
    assert profile["plugins"]["multiPoint"]["enabled"] == []
    step = step_for(part, Create(pod("p", script={"ScriptedA": {"permit": "Wait"}})))
    assert isinstance(step, Create)
    assert step.object["metadata"]["annotations"] == {}
    assert step_for(part, Permit("default/p", "allow")) is None


def test_a_scheduler_whose_scripted_plugins_cannot_hold_is_not_asked_to() -> None:
    script = {"ScriptedA": {"reserve": "Hold", "permit": "Wait"}}
    step = step_for(Part(frozenset({"scripted"})), Create(pod("p", script=script)))
    assert isinstance(step, Create)
    left = json.loads(step.object["metadata"]["annotations"]["refsched.dev/script"])
    assert left == {"ScriptedA": {"permit": "Wait"}}


@pytest.mark.parametrize("step", [Schedule(), Create(node("n")), Create(pod("p"))])
def test_a_step_that_everybody_needs_stays(step: Schedule | Create) -> None:
    assert step_for(FITS, step) == step


# --- Records --------------------------------------------------------------------------------------


def test_what_belongs_to_no_capability_is_not_compared() -> None:
    status = {"n": NodeStatus("Success")}
    record = Attempt("default/p", "scheduled", "n", 3, 2, filter=status, scores={"n": {"Mine": 7}})
    judged = compared(FITS, record)
    assert (judged.node, judged.filter, judged.scores, judged.evaluated) == ("n", status, None, None)
    assert compared(WHOLE, record) is record


def test_without_score_any_feasible_node_is_right() -> None:
    status = {"n1": NodeStatus("Success"), "n2": NodeStatus("Unschedulable", "NodePorts", ("no",))}
    specified = Attempt("default/p", "scheduled", "n1", filter=status)
    nodes = ["n1", "n2", "n3"]

    def is_free(member: str, record: Attempt) -> bool:
        return may_choose(FITS, Disagreement(member, None, None), record, specified, nodes)

    chosen = {node: Attempt("default/p", "scheduled", node) for node in ("n1", "n2", "n3", "n4")}
    assert [is_free("node", record) for record in chosen.values()] == [True, False, True, False]
    assert [is_free(f"filter.{node}", chosen["n1"]) for node in chosen] == [False, False, True, False]
    filtered = Attempt("default/p", "scheduled", "n1", filter={"n1": status["n1"], "n2": status["n1"]})
    assert [is_free(f"filter.{node}", filtered) for node in ("n1", "n2")] == [True, False]
    assert is_free("filter", filtered)
    assert is_free("feasible", chosen["n1"])
    assert not is_free("result", chosen["n1"])
    assert not may_choose(WHOLE, Disagreement("node", "n1", "n3"), chosen["n3"], specified, nodes)


def test_a_part_with_scores_may_reject_more_nodes_than_are_looked_at() -> None:
    rejected, passed = NodeStatus("Unschedulable", "NodePorts", ("no",)), NodeStatus("Success")
    specified = Attempt("default/p", "scheduled", "n1", filter={"n1": passed, "n2": passed})
    record = Attempt(
        "default/p", "scheduled", "n1", filter=dict.fromkeys(("n2", "n3", "n9"), rejected) | {"n4": passed}
    )
    part = evolve(FITS, capabilities=FITS.capabilities | {"score"})
    free = [
        node
        for node in ("n2", "n3", "n4", "n9")
        if may_choose(part, Disagreement(f"filter.{node}", None, None), record, specified, ["n2", "n3", "n4"])
    ]
    assert free == ["n3"]
    assert not may_choose(part, Disagreement("scores.n3", None, 7), record, specified, ["n2", "n3", "n4"])
    assert part.lacks("R-BATCH-01") == "config"
    assert not evolve(part, capabilities=part.capabilities | {"config"}).lacks("R-BATCH-01")


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        ("R-CHANGE-06", "the input update"),
        ("R-CURE-TaintToleration-Pod-UpdatePodToleration", "the input update"),
        ("R-CURE-NodePorts-Pod-Delete", "the input delete"),
        ("R-CURE-NodePorts-Node-Add+UpdateNodeLabel", ""),
        ("R-TAINT-01", ""),
    ],
)
def test_a_rule_that_only_an_update_or_a_deletion_brings_about_needs_this_input(
    rule: str, needs: str
) -> None:
    assert evolve(WHOLE, inputs=frozenset({"create"})).lacks(rule) == needs
    assert WHOLE.lacks(rule) == ""


def test_a_rule_of_a_plugin_that_is_not_there_is_shown_by_nothing() -> None:
    assert FITS.lacks("R-TAINT-01") == ""
    assert FITS.lacks("R-SPREAD-01") == "PodTopologySpread"
    assert FITS.lacks("R-QUEUE-07") == "queue"
    assert FITS.lacks("R-SEARCH-02") == "score"
    assert FITS.lacks("R-NODE-01") == FITS.lacks("R-NOT-KNOWN-01") == ""


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        ("R-TAINT-04", "score"),
        ("R-TAINT-05", "queue"),
        ("R-CURE-TaintToleration-Pod-UpdatePodToleration", "queue"),
        ("R-FIT-06", "score"),
        ("R-EVENT-03", "queue"),
        ("R-BIND-01", "scripted"),
        ("R-CONFIG-10", "config"),
        ("R-INV-07", "queue"),
        ("R-DEFAULTS-01", "a whole scheduler"),
        ("R-PORTS-02", "NodePorts"),
        ("R-SELECTOR-04", "NodeAffinity"),
        ("R-REQUEST-02", ""),
        ("R-TAINT-07", ""),
        ("R-INV-08", ""),
    ],
)
def test_a_rule_is_shown_by_what_its_place_decides(rule: str, needs: str) -> None:
    assert FITS.lacks(rule) == needs
    assert WHOLE.lacks(rule) == ""


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        ("R-SPREAD-02", "score"),
        ("R-SPREAD-09", "nominations"),
        ("R-NOM-01", "nominations"),
        ("R-PODAFF-03", "preemption"),
        ("R-NODEAFF-03", "config"),
        ("R-FIT-04", "config"),
        ("R-PODAFF-11", "score"),
    ],
)
def test_a_rule_is_not_claimed_if_nothing_that_is_claimed_brings_it_about(rule: str, needs: str) -> None:
    plugins = frozenset({"NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity"})
    assert Part(frozenset({"filter"}), plugins).lacks(rule) == needs
    assert Part(frozenset({"filter", needs}), plugins).lacks(rule) == ""


@pytest.mark.parametrize("rule", ["R-FAIL-03", "R-FLIGHT-01", "R-FLIGHT-02", "R-QUEUE-10", "R-QUEUE-17"])
def test_what_happens_while_an_attempt_goes_on_or_after_it_needs_something_that_takes_time(rule: str) -> None:
    queues = read_selection("queue", ()).capabilities or frozenset()
    assert Part(queues).lacks(rule) == "scripted"
    assert Part(queues | {"scripted"}).lacks(rule) == Part(queues | {"devices"}).lacks(rule) == ""


def test_a_rule_of_a_method_needs_what_the_method_shows_besides_what_the_plugin_needs() -> None:
    """PreEnqueue of DynamicResources: who has devices and no queue is never asked by it."""
    assert Part(frozenset({"filter", "devices"})).lacks("R-DRA-01") == "queue"
    assert Part(frozenset({"filter", "devices", "queue"})).lacks("R-DRA-01") == ""


@pytest.mark.parametrize(
    ("rule", "needs"),
    [
        ("R-ALLOC-01", "score"),
        ("R-MOST-01", "score"),
        ("R-SELSPREAD-05", "score"),
        ("R-EVICT-01", "preemption"),
        ("R-CYCLE-52", "preemption"),
        ("R-BASIC-01", "volumes"),
        ("R-NODELABEL-01", "NodeLabel"),
        ("R-SVCAFF-04", "ServiceAffinity"),
    ],
)
def test_a_rule_of_an_earlier_release_is_not_claimed_by_who_cannot_show_it(rule: str, needs: str) -> None:
    assert Part(frozenset({"filter"}), frozenset({"NodePorts"}), kubernetes="1.19").lacks(rule) == needs
    assert Part(ALL, kubernetes="1.19").lacks(rule) == ""


def test_what_counts_on_a_node_shows_there_or_in_plugins_that_look_at_other_pods() -> None:
    taints = frozenset({"TaintToleration"})
    assert Part(frozenset({"filter"}), taints).lacks("R-ASSUME-01") == "NodeResourcesFit"
    assert Part(frozenset({"filter", "cache"}), taints).lacks("R-ASSUME-01") == ""


# --- Hello and --only -----------------------------------------------------------------------------


def test_a_plugin_that_is_no_default_one_is_the_implementations_own() -> None:
    part = part_of(Hello("x", "1", "1.34", ALL, frozenset({"NodePorts", "MyPlugin"})))
    assert part.plugins == {"NodePorts"}
    assert part.own == {"MyPlugin"}


def test_only_names_profiles_capabilities_and_plugins() -> None:
    hello = Hello("x", "1", "1.34", ALL)
    selection = read_selection("predicates, queue,NodePorts", ["NodePorts"])
    assert selection.of(hello).capabilities == {"filter", "queue", "cache", "api"}
    assert selection.of(hello).plugins == {"NodePorts"}
    assert EVERYTHING.of(hello) == hello


def test_only_never_adds_to_what_the_implementation_says_it_can_do() -> None:
    hello = Hello("x", "1", "1.34", frozenset({"filter"}), frozenset({"NodePorts"}))
    limited = read_selection("full,NodePorts,NodeName", ["NodePorts", "NodeName"]).of(hello)
    assert (limited.capabilities, limited.plugins) == (frozenset({"filter"}), frozenset({"NodePorts"}))


@pytest.mark.parametrize("text", ["", ",", "predicate", "filter;score"])
def test_only_refuses_what_it_does_not_know(text: str) -> None:
    with pytest.raises(InputError, match="--only"):
        read_selection(text, ["NodePorts"])


def test_only_says_what_a_word_may_mean() -> None:
    with pytest.raises(InputError, match=r"^--only: there is no 'predicate'; did you mean predicates\?$"):
        read_selection("predicate", ["NodePorts"])
    with pytest.raises(InputError, match=r"^--only: 'xyzzy' is none of predicates, filter, .*, NodePorts$"):
        read_selection("xyzzy", ["NodePorts"])


# --- Plugins of its own ---------------------------------------------------------------------------

EVERY = frozenset(plugin.name for plugin in default_plugins())


def test_who_has_every_default_plugin_is_whole_with_plugins_of_its_own_too() -> None:
    part = part_of(Hello("x", "1", "1.34", ALL, EVERY | {"Mine"}))
    assert part.is_whole
    assert part.may_have_own
    assert part.is_foreign("Mine")
    assert not part.is_foreign("NodePorts")
    assert not WHOLE.may_have_own


def test_who_has_none_of_the_plugins_that_score_is_not_judged_by_scores() -> None:
    hello = Hello("x", "1", "1.34", frozenset({"filter", "score"}), frozenset({"NodePorts", "Mine"}))
    assert part_of(hello).capabilities == {"filter"}


def test_who_claims_preemption_has_default_preemption_unless_there_is_a_plugin_of_its_own() -> None:
    capabilities = frozenset({"filter", "preemption"})
    fits, mine = frozenset({"NodeResourcesFit"}), frozenset({"NodeResourcesFit", "Mine"})
    assert part_of(Hello("x", "1", "1.34", capabilities, fits)).plugins == fits | {"DefaultPreemption"}
    assert part_of(Hello("x", "1", "1.34", capabilities, mine)).plugins == fits
    assert part_of(Hello("x", "1", "1.34", frozenset({"filter"}), fits)).plugins == fits


def test_rules_of_the_way_back_show_where_a_plugin_of_its_own_can_reject() -> None:
    assert FITS.lacks("R-ROLLBACK-02") == "scripted"
    assert evolve(FITS, own=frozenset({"Mine"})).lacks("R-ROLLBACK-02") == ""


def test_a_choice_is_free_where_scores_of_its_own_may_not_be_reported() -> None:
    mine = Part(ALL, own=frozenset({"Mine"}))
    statuses = dict.fromkeys(("n1", "n2"), NodeStatus("Success"))
    hidden = Attempt(
        "default/p", "scheduled", "n2", scores={"n1": {"X": 5}, "n2": {"X": 3}}, totals={"n2": 7}
    )
    found = Disagreement("node", ["n1"], "n2")
    specified = Attempt("default/p", "scheduled", "n2", filter=statuses)
    assert compared(mine, hidden).totals is None
    assert may_choose(mine, found, hidden, specified, statuses)
    assert not may_choose(mine, Disagreement("scores.n2.X", 3, 4), hidden, specified, statuses)
    shown = evolve(hidden, totals={"n1": 5, "n2": 3})
    assert compared(mine, shown) is shown
    assert not may_choose(mine, found, shown, specified, statuses)
    reported = evolve(hidden, scores={"n1": {"X": 5, "Mine": 1}, "n2": {"X": 3, "Mine": 4}})
    assert not may_choose(mine, found, reported, specified, statuses)


def test_a_nomination_stays_where_it_is_not_judged() -> None:
    nominated = Attempt("default/p", "unschedulable", nominated_node="n1", victims=("default/x",))
    assert compared(FITS, nominated) == evolve(nominated, victims=None)
    assert compared(FITS, evolve(nominated, nominated_node="")).nominated_node is None


@pytest.mark.parametrize("answer", ["Pending", "Hold:Pending"])
def test_a_plugin_of_a_release_without_the_code_pending_answers_unschedulable(answer: str) -> None:
    value = pod("p", script={"ScriptedA": {"reserve": answer}, "ScriptedB": {"preBind": "Error"}})
    rejecting = pod(
        "p",
        script={
            "ScriptedA": {"reserve": answer.replace("Pending", "Unschedulable")},
            "ScriptedB": {"preBind": "Error"},
        },
    )
    assert step_for(Part(ALL, kubernetes="1.19"), Create(value)) == Create(rejecting)
    assert step_for(Part(ALL, kubernetes="1.34"), Create(value)) == Create(value)


def test_what_is_not_shown_is_not_missing_and_still_decides() -> None:
    given = part_of(Hello("n", "", "1.34", frozenset({"score"}), not_shown=frozenset({"scores"})))
    attempt = Attempt("default/p", "scheduled", "n1")
    specified = evolve(attempt, scores={"n1": {"ImageLocality": 1}}, totals={"n1": 1})
    assert list(missing_members(given, attempt, specified)) == []
    shows = evolve(given, not_shown=frozenset())
    assert [member for member, _ in missing_members(shows, attempt, specified)] == ["scores"]


@pytest.mark.parametrize("plugins", [None, frozenset({"NodePorts"})])
def test_who_has_the_default_configuration_is_judged_by_no_other(plugins: frozenset[str] | None) -> None:
    config = {"kind": "K", "percentageOfNodesToScore": 10, "profiles": [{"schedulerName": "a"}]}
    part = part_of(Hello("n", "", "1.37", ALL - {"config"}, plugins, has_default_config=True))
    given = history_for(part, History((), config, feature_gates={"OpportunisticBatching": False}))
    assert "percentageOfNodesToScore" not in given.config
    assert [each["schedulerName"] for each in given.config.get("profiles", [])] in ([], ["default-scheduler"])
    assert given.feature_gates == {}
