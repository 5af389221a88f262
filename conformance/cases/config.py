# SPDX-License-Identifier: Apache-2.0
"""Cases of profiles: plugins that are enabled at all points, and at one of them once more; and which of
two Bind plugins is the last one that is called."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.devices import ONE, claim_user, device_class, resource_claim, resource_slice
from conformance.vocabulary.objects import cpu, default_profile, node, pod, profile_config
from conformance.vocabulary.scripted import SCRIPTED, script
from refsched.suite.histories.history import History, Permit
from refsched.suite.session.cases import Case


def _enabled_once_more(point: str, names: list[str]) -> History:
    config = deepcopy(SCRIPTED)
    config["profiles"][0]["plugins"][point] = {"enabled": [{"name": name} for name in names]}
    cluster = HistoryBuilder()
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", cpu("1")))
    cluster.add_pod(pod("", cpu("1"), script=script(("ScriptedA", point, "Unschedulable"))))
    cluster.schedule()
    return cluster.history(config)


def _bound_by_nobody() -> History:
    """No Bind plugin binds the pod, which is nominated to the first of two nodes and is tried twice."""
    config = deepcopy(SCRIPTED)
    config["profiles"][0]["plugins"]["bind"]["enabled"] = [{"name": "ScriptedBinder"}]
    cluster = HistoryBuilder()
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", cpu("1"), status={"nominatedNodeName": "n1"}))
    for _ in range(2):
        cluster.schedule()
        cluster.wait()
    return cluster.history(config)


def _rejected_by_a_binder(code: str) -> History:
    """The first of two Bind plugins answers so, and a node comes before the pod is tried again."""
    cluster = HistoryBuilder()
    cluster.add_node(node(""))
    cluster.add_pod(pod("", cpu("1"), script=script(("ScriptedBinder", "bind", code))))
    cluster.schedule()
    cluster.add_node(node(""))
    cluster.wait()
    cluster.schedule()
    return cluster.history(SCRIPTED)


def _cannot_say_whether_it_has_work() -> History:
    """DynamicResources is left out wherever it would look at the claims, but not at PreBind, where another plugin
    has work before it."""
    disabled = {"disabled": [{"name": "DynamicResources"}]}
    config = deepcopy(SCRIPTED)
    points = ("preEnqueue", "preFilter", "filter", "score", "reserve")
    first = {"preBind": {"enabled": [{"name": "ScriptedA"}]}}
    config["profiles"][0]["plugins"] |= dict.fromkeys(points, disabled) | first
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), resource_claim("c1", ONE))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1", script=script(("ScriptedA", "permit", "Wait"))))
    cluster.schedule()
    cluster.steps.append(Permit("default/p1", "allow"))
    return cluster.history(config)


def _weighed(*weights: int) -> History:
    """Two plugins at Score have these weights. NodeResourcesFit prefers the first of two nodes by 25, and
    ImageLocality the second one by 100."""
    names = ("NodeResourcesFit", "ImageLocality")
    enabled = [{"name": name, "weight": weight} for name, weight in zip(names, weights, strict=True)]
    plugins = {"score": {"enabled": enabled, "disabled": [{"name": name} for name in names]}}
    cluster = HistoryBuilder()
    cluster.add_node(node("", {"cpu": "4", "pods": "9"}))
    cluster.add_node(
        node("", {"cpu": "2", "pods": "9"}, images=[{"names": ["i:latest"], "sizeBytes": 2 * 1024**3}])
    )
    cluster.add_pod(pod("", cpu("1")))
    cluster.schedule()
    return cluster.history(profile_config(default_profile(plugins=plugins)))


def _search_for_devices_without_a_limit() -> History:
    args = ("DynamicResources", {"filterTimeout": "0s"})
    cluster = HistoryBuilder()
    cluster.add(device_class("any"), resource_slice("s1", [{"name": "d0"}]), resource_claim("c1", ONE))
    cluster.add_node(node(""))
    cluster.add_pod(claim_user("c1"))
    cluster.schedule()
    return cluster.history(profile_config(default_profile(args)))


def _cases() -> Iterator[Case]:
    yield Case(
        "every_bind_plugin_answers_skip",
        "A pod that every Bind plugin leaves to the next one keeps the nomination that its status shows, so that"
        " only that node is looked at again.",
        _bound_by_nobody(),
        ("R-FAIL-04",),
    )
    for code in ("Unschedulable", "UnschedulableAndUnresolvable", "Error"):
        yield Case(
            f"the_first_of_two_bind_plugins_answers_{code.lower()}",
            "A Bind plugin that does not answer Skip is the last one that is called, and the release says whether"
            f" its rejection is an error; it answers {code}.",
            _rejected_by_a_binder(code),
        )
    yield Case(
        "a_plugin_that_cannot_say_whether_it_has_work_at_pre_bind",
        "Each PreBind plugin is asked whether it has work, though one before it has some.",
        _cannot_say_whether_it_has_work(),
        needs=("devices",),
    )
    yield Case(
        "filter_timeout_of_zero",
        "A filterTimeout of 0 limits no search for devices.",
        _search_for_devices_without_a_limit(),
        needs=("devices",),
    )
    yield Case(
        "weights_above_a_hundred",
        "The weight of a plugin at Score counts as it is, though it is above 100.",
        _weighed(900, 200),
    )
    # v1.19, which has no R-FIT-06, adds up the weights in any order, and refuses a sum that is negative meanwhile.
    yield Case(
        "a_negative_weight",
        "The scores of a plugin with a negative weight count against a node.",
        _weighed(3, -1),
        ("R-FIT-06",),
    )
    for point, name in (("reserve", "reserve"), ("permit", "permit"), ("preBind", "pre_bind")):
        for plugins in (["ScriptedB"], ["ScriptedB", "ScriptedA"]):
            yield Case(
                f"{len(plugins)}_plugins_enabled_again_at_{name}",
                f"Plugins enabled at multiPoint and again at {point} are called there once, before the others.",
                _enabled_once_more(point, plugins),
            )


CASES: tuple[Case, ...] = tuple(_cases())
