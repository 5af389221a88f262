# SPDX-License-Identifier: Apache-2.0
"""Cases of extenders: which of two extenders binds, and what an extender leaves of the victims."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.extenders import FILTERS, answered, extender
from conformance.vocabulary.objects import (
    cpu,
    node,
    pod,
    profile_config,
    with_metadata,
    with_status,
)
from conformance.vocabulary.scripted import ONLY_BINDING_SCRIPTED, release_all
from refsched.suite.histories.extender_server import ANNOTATION
from refsched.suite.histories.history import History
from refsched.suite.session.cases import Case

Json = dict[str, Any]


def _binding(verbs_of_both: tuple[Json, Json], answers: Json) -> History:
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(answered(pod("", cpu("1")), answers))
    cluster.schedule()
    cluster.wait()
    cluster.schedule()  # once more, if the extender failed
    named = [extender(name, **verbs) for name, verbs in zip("ab", verbs_of_both, strict=True)]
    return cluster.history(profile_config(extenders=named))


def _binding_of_a_managed_resource(place: int, more: Json, answers: Json) -> History:
    """One of two extenders binds, and manages a resource that only the first pod requests."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "example.com/a": "4", "pods": "9"}))
    for requests in ({"cpu": "1", "example.com/a": "1"}, cpu("1")):
        cluster.add_pod(answered(pod("", requests), answers))
    cluster.schedule()
    binds = {"bindVerb": "bind", "managedResources": [{"name": "example.com/a"}], **more}
    verbs = [{"filterVerb": "filter"}]
    verbs.insert(place, binds)
    named = [extender(name, **each) for name, each in zip("ab", verbs, strict=True)]
    return cluster.history(profile_config(extenders=named))


def _managing_what_an_init_container_requests() -> History:
    """The extender refuses the only node to a pod of which only an init container requests what it manages."""
    asking = {"name": "i", "image": "i", "resources": {"requests": {"example.com/a": "1"}}}
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "example.com/a": "4", "pods": "9"}))
    answers = {"a": {"filter": {"n1": "Unschedulable"}}}
    coming = pod("", cpu("1"), initContainers=[asking])
    cluster.add_pod(answered(coming, answers))
    cluster.schedule()
    managed = [{"name": "example.com/a"}]
    return cluster.history(
        profile_config(extenders=[extender(filterVerb="filter", managedResources=managed)])
    )


def _managing_two_resources(requested: str) -> History:
    """The extender manages two resources, and refuses the only node to a pod that requests one of them."""
    resources = ("example.com/a", "example.com/b")
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9", **dict.fromkeys(resources, "4")}))
    answers = {"a": {"filter": {"n1": "Unschedulable"}}}
    cluster.add_pod(answered(pod("", {requested: "1"}), answers))
    cluster.schedule()
    managed = [{"name": name} for name in resources]
    return cluster.history(
        profile_config(extenders=[extender(filterVerb="filter", managedResources=managed)])
    )


def _on_both_lists(why: str) -> History:
    """The extender names the only node among those that failed, and among those where preemption does not help."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
    cluster.add_pod(pod("", cpu("1")), 0)
    lists = {"FailedNodes": {"n1": "not now"}, "FailedAndUnresolvableNodes": {"n1": why}}
    answers = {"a": {"filter": {"answer": {"NodeNames": [], "Error": "", **lists}}}}
    coming = pod("", {"pods": "1"}, priority=10)
    cluster.add_pod(answered(coming, answers))
    cluster.schedule()
    return cluster.history(profile_config(extenders=[FILTERS]))


def _refused_again_and_again() -> History:
    """An extender refuses three nodes on which the pod would fit without a victim, so that preemption reports an
    error for each of them. The pod is tried again after an event, which may be the update of its own status."""
    cluster = HistoryBuilder()
    answers = {"a": {"filter": dict.fromkeys(("n1", "n2", "n3"), "Unschedulable")}}
    for index in range(3):
        cluster.add_node(node("", {"cpu": "2", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1")), index)
    coming = pod("", cpu("1"), priority=10)
    cluster.add_pod(answered(coming, answers))
    for _ in range(4):
        cluster.schedule(1)
        cluster.wait()
    return cluster.history(profile_config(extenders=[FILTERS]))


def _rejected_again() -> History:
    """Filter rejects the first node for good, and each of the two others is feasible; both extenders reject all.
    A pod of low priority runs on each node."""
    cluster = HistoryBuilder()
    for home, labels in enumerate(({}, {"a": ""}, {"a": ""})):
        cluster.add_node(node("", {"cpu": "4", "pods": "9"}, labels))
        cluster.add_pod(pod("", cpu("1")), home)
    answers = {
        name: {
            "filter": {"answer": {"NodeNames": left, "FailedNodes": dict.fromkeys(failed, why), "Error": ""}}
        }
        for name, left, failed, why in (
            ("a", ["n2"], ("n1", "n3"), "first"),
            ("b", [], ("n1", "n2", "n3"), "second"),
        )
    }
    coming = pod("", cpu("1"), priority=10, nodeSelector={"a": ""})
    cluster.add_pod(answered(coming, answers))
    cluster.schedule()
    both = [extender(name, filterVerb="filter", nodeCacheCapable=True) for name in "ab"]
    return cluster.history(profile_config(extenders=both))


def _on_a_node_of_its_own() -> History:
    """The extender sends back a node that nobody else knows. The binding of the pod, which is nominated to another
    one, is held while a second pod needs the place that it was nominated for."""
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "1"}))
    own = with_metadata(node("", {"cpu": "4", "pods": "9"}), name="own")
    answers = {"a": {"filter": {"answer": {"Nodes": {"items": [own]}, "Error": ""}}}}
    held = pod("", cpu("1"), priority=10, script={"ScriptedBinder": {"bind": "Hold"}})
    annotations = {**held["metadata"]["annotations"], ANNOTATION: json.dumps(answers)}
    cluster.add_pod(with_status(with_metadata(held, annotations=annotations), nominatedNodeName="n1"))
    cluster.schedule(1)
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule(1)
    release_all(cluster)
    return cluster.history({**ONLY_BINDING_SCRIPTED, "extenders": [extender(filterVerb="filter")]})


def _nominated_to_the_last_of_many() -> History:
    """The extender rejects each of 110 nodes. The pod is nominated to the last one, which the search does not
    reach, since it has found enough feasible ones before."""
    cluster = HistoryBuilder()
    for _ in range(110):
        cluster.add_node(node(""))
    answers = {"a": {"filter": dict.fromkeys((f"n{number}" for number in range(1, 111)), "Unschedulable")}}
    coming = answered(pod("", cpu("1")), answers)
    cluster.add_pod(with_status(coming, nominatedNodeName="n110"))
    cluster.schedule()
    return cluster.history(profile_config(parallelism=1, extenders=[FILTERS]))


def _two_full_nodes(answers: Json) -> HistoryBuilder:
    """A pod of higher priority comes for which the extenders answer so, and each of two nodes has no room."""
    cluster = HistoryBuilder()
    for home in range(2):
        cluster.add_node(node("", {"cpu": "1", "pods": "9"}))
        cluster.add_pod(pod("", cpu("1")), home)
    coming = pod("", cpu("1"), priority=10)
    cluster.add_pod(answered(coming, answers))
    cluster.schedule()
    return cluster


_REFUSES_BOTH: Json = {"preempt": {"n1": "Refuse", "n2": "Refuse"}}


def _two_asked_about_victims(answers: Json, **more: bool) -> History:
    cluster = _two_full_nodes(answers)
    both = [extender(name, preemptVerb="preempt", **more) for name in "ab"]
    return cluster.history(profile_config(extenders=both))


def _no_victims_left() -> History:
    return _two_asked_about_victims({"a": _REFUSES_BOTH, "b": {"preempt": "Fail"}})


def _one_fails_and_is_ignored() -> History:
    """The first of two extenders fails. Both are ignorable, since one that is not would be asked before it."""
    return _two_asked_about_victims({"a": {"preempt": "Fail"}, "b": _REFUSES_BOTH}, ignorable=True)


def _one_without_victims(ignorable: bool) -> History:
    """The extender leaves the first of two nodes without a victim."""
    cluster = _two_full_nodes({"a": {"preempt": {"n1": 0}}})
    return cluster.history(profile_config(extenders=[extender(preemptVerb="preempt", ignorable=ignorable)]))


def _cases() -> Iterator[Case]:
    for ignorable in (False, True):
        kind = "an_ignorable" if ignorable else "a_needed"
        yield Case(
            f"node_without_victims_of_{kind}_extender",
            "A node that an extender leaves without victims ends preemption with an error, unless the extender is"
            f" ignorable: then it is no candidate; here it is {kind.replace('_', ' ')} one.",
            _one_without_victims(ignorable),
            ("R-PREEMPT-12",),
            needs=("preemption",),
        )
    yield Case(
        "errors_of_dry_runs_in_any_order",
        "Errors of preemption's dry runs are reported in any order, and another order is another message.",
        _refused_again_and_again(),
    )
    for suffix, why in (("", "never"), ("_without_a_reason", "")):
        yield Case(
            f"extender_names_a_node_on_both_lists{suffix}",
            "A node that an extender names as failed and as unresolvable is rejected as"
            f" UnschedulableAndUnresolvable; the reason is {why or 'empty'}.",
            _on_both_lists(why),
            ("R-EXTENDER-04",),
        )
    for rule, what in (
        ("R-EXTENDER-15", "takes the place of the status that the node has"),
        ("R-EXTENDER-54", "is in v1.19 added to the reasons that the node has"),
    ):
        yield Case(
            f"extenders_reject_a_node_again_{'as_in_v1_19' if rule.endswith('54') else 'and_the_last_counts'}",
            f"What an extender says of a node that Filter or another extender rejected {what}.",
            _rejected_again(),
            (rule,),
        )
    yield Case(
        "ignorable_extender_fails_before_another_is_asked_about_victims",
        "After an ignorable extender failed, the second one is asked about the candidates, and removes both.",
        _one_fails_and_is_ignored(),
        ("R-PREEMPT-12",),
        needs=("preemption",),
    )
    yield Case(
        "extender_leaves_no_candidate",
        "Once the first extender has removed every candidate, the second one, which would fail, is not asked.",
        _no_victims_left(),
        needs=("preemption",),
    )


def _first_fails(*, ignorable: bool) -> History:
    """The first of three extenders fails to filter, and each of the others rejects one of three nodes."""
    cluster = HistoryBuilder()
    for amount in ("8", "4", "2"):
        cluster.add_node(node("", {"cpu": amount, "pods": "9"}))
    answers = {
        "a": {"filter": {"answer": {"Error": "fails"}}},
        "b": {"filter": {"n1": "Unschedulable"}},
        "c": {"filter": {"n2": "Unschedulable"}},
    }
    cluster.add_pod(answered(pod("", cpu("1")), answers))
    cluster.schedule()
    named = [extender(name, filterVerb="filter", ignorable=ignorable) for name in "abc"]
    return cluster.history(profile_config(extenders=named))


def _both_reject(**more: Any) -> History:
    """Each of two extenders rejects the only node, the second one for good."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    answers = {
        "a": {"filter": {"n1": "Unschedulable"}},
        "b": {"filter": {"n1": "UnschedulableAndUnresolvable"}},
    }
    cluster.add_pod(answered(pod("", cpu("1")), answers))
    cluster.schedule()
    named = [extender(name, filterVerb="filter", **more) for name in "ab"]
    return cluster.history(profile_config(extenders=named))


def _of_failures() -> Iterator[Case]:
    for kind, more in (("ignorable", {"ignorable": True}), ("needed", {})):
        yield Case(
            f"two_{kind}_extenders_reject_a_node",
            f"Of two extenders that are {kind} the first that the configuration names is asked first.",
            _both_reject(**more),
        )
    for kind, says, ignorable in (
        ("ignorable", "asked all the same", True),
        ("needed", "not asked", False),
    ):
        yield Case(
            f"the_first_of_three_{kind}_extenders_fails",
            f"After the first of three extenders failed to filter, which are all {kind}, the others are {says}.",
            _first_fails(ignorable=ignorable),
            ("R-EXTENDER-11",),
        )


def _of_nominated_pods() -> Iterator[Case]:
    yield Case(
        "extender_sends_back_a_node_of_its_own",
        "A pod that is assumed on a node that only an extender knows is no longer nominated to another one.",
        _on_a_node_of_its_own(),
        ("R-ASSUME-02",),
        needs=("hold", "nominations"),
    )
    yield Case(
        "extender_rejects_the_node_that_is_nominated_and_enough_others",
        "What extenders said of the node to which the pod is nominated counts, although the search that follows"
        " does not reach it.",
        _nominated_to_the_last_of_many(),
        ("R-SEARCH-03",),
        needs=("nominations",),
    )


def _of_managed_resources() -> Iterator[Case]:
    yield Case(
        "extender_of_what_an_init_container_requests",
        "An extender is called for a pod of which only an init container requests the resource that it manages.",
        _managing_what_an_init_container_requests(),
        ("R-EXTENDER-01",),
    )
    for place, requested in (("first", "example.com/a"), ("second", "example.com/b")):
        yield Case(
            f"extender_of_two_resources_and_the_{place}_is_requested",
            "An extender that manages two resources is called for a pod that requests one of them; here it is the"
            f" {place}.",
            _managing_two_resources(requested),
            ("R-EXTENDER-01",),
        )


def _of_binding() -> Iterator[Case]:
    filters, binds = {"filterVerb": "filter"}, {"bindVerb": "bind", "filterVerb": "filter"}
    for kind, binder in (("", binds), ("ignorable_", {**binds, "ignorable": True})):
        for end, says, answers in (
            ("binds", "binds the pod", {}),
            ("fails", "fails to bind the pod", {"a": {"bind": "Fail"}, "b": {"bind": "Fail"}}),
        ):
            for place, order in (("first", (binder, filters)), ("second", (filters, binder))):
                yield Case(
                    f"{kind}extender_{end}_as_the_{place}",
                    f"The {place} of two extenders has the bind verb"
                    f"{', is ignorable,' if kind else ''} and {says}.",
                    _binding(order, answers),
                )
    for index, named in enumerate(("first", "second")):
        for end, answers in (("binds", {}), ("fails", {"ab"[index]: {"bind": "Fail"}})):
            for kind in ("", "ignorable_"):
                yield Case(
                    f"{kind}extender_of_a_managed_resource_{end}_as_the_{named}",
                    f"The {named} of two extenders binds only the pod that requests the resource that it manages,"
                    f" and {end}{', being ignorable' if kind else ''}.",
                    _binding_of_a_managed_resource(index, {"ignorable": True} if kind else {}, answers),
                    ("R-EXTENDER-13",),
                )


CASES: tuple[Case, ...] = (
    *_cases(),
    *_of_failures(),
    *_of_nominated_pods(),
    *_of_managed_resources(),
    *_of_binding(),
)
