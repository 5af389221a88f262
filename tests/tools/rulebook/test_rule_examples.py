# SPDX-License-Identifier: Apache-2.0
"""The example of each rule: it is run here, the rule decides in it, and its file is as it would be written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields

from refsched.errors import InputError
from refsched.objects.reading import json_name
from refsched.reading.shipped_files import data_folder, examples_folder
from refsched.records import Attempt, Bind, Nodes, Queues, Record
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.catalogue.untestable_rules import why_elsewhere
from refsched.suite.findings import Seen
from refsched.suite.histories.extender_address import as_written
from refsched.suite.histories.history import Advance, Create, History, Schedule
from refsched.suite.histories.wording import said
from refsched.tools.rulebook.differing import about, heading
from refsched.tools.rulebook.example_runs import run
from refsched.tools.rulebook.examples import (
    Broken,
    Example,
    RuleRecording,
    example_of,
    path_of,
    read_example,
    text_of,
)
from refsched.tools.rulebook.without_example import NOT_COMPUTED, WITHOUT_EXAMPLE, why_without_example
from refsched.tools.site.rule_pages import areas


def test_nearly_every_rule_has_an_example() -> None:
    rules = list(all_rules())
    shown = [rule for rule in rules if example_of(rule) is not None]
    assert len(shown) > 0.8 * len(rules)
    assert [rule for rule in WITHOUT_EXAMPLE if example_of(rule)] == []


def test_a_rule_without_an_example_says_why() -> None:
    assert why_without_example("R-FEATURE-03") == WITHOUT_EXAMPLE["R-FEATURE-03"]
    assert why_without_example("R-QUEUE-18").startswith("no default plugin activates a pod")
    assert why_without_example("R-DRA-15") == why_elsewhere("R-DRA-15")
    assert "conformance.wrong examples R-FIT-02" in why_without_example("R-FIT-02")


def test_every_rule_without_an_example_has_a_reason_of_its_own() -> None:
    missing = [rule for rule in all_rules() if example_of(rule) is None]
    assert [rule for rule in missing if why_without_example(rule) == NOT_COMPUTED.format(rule)] == []


def test_every_file_is_the_example_of_a_rule_and_every_reason_is_that_of_one() -> None:
    assert [path.name for path in sorted(examples_folder().iterdir()) if path.stem not in all_rules()] == []
    assert [
        start for start in WITHOUT_EXAMPLE if not any(rule.startswith(start) for rule in all_rules())
    ] == []


@pytest.mark.parametrize("area", areas())
def test_a_rule_decides_in_its_example_and_what_is_expected_comes_out(area: str) -> None:
    for rule in areas()[area]:
        example = example_of(rule.id)
        if example is None:
            continue
        done = run(example)
        assert rule.id in done.applied, rule.id
        if example.broken is not None and is_a_value(example.rule, example.broken.member):
            assert example.broken.expected in values(example.broken, done.seen), rule.id


OPEN = {
    "R-BATCH-08": "any of the equal nodes may be the one of the hint",
    "R-DRA-24": "the pools may be tried in any order",
    "R-REQUEST-06": "what is free on a node is expected, where the node is got",
    "R-SEARCH-05": "which nodes are evaluated depends on the node that is last",
    "R-SPREAD-15": "any of the scores is expected that some order of the nodes gives",
}
"""Examples whose rules allow more than what the specification does by itself."""

RECORDS: dict[str, type[Record]] = {"bind": Bind, "nodes": Nodes, "queues": Queues}
"""The records that have these members; all others are of an Attempt."""

SAID_BY_THE_JUDGE = re.compile(r"(write|claim|pod|victims\.).*|bind|queues|nodes\.[^.]*|scores.*(\.|http.*)")
"""Members of which the judge says more than a record does."""


def is_a_value(rule: str, member: str) -> bool:
    return rule not in OPEN and not SAID_BY_THE_JUDGE.fullmatch(member)


def values(broken: Broken, seen: Sequence[Seen]) -> list[str]:
    """The values that the member has in the records of the step, in words."""
    first, _, rest = broken.member.partition(".")
    kind = RECORDS.get(first, Attempt)
    path = rest if kind in (Bind, Queues) else broken.member
    found = []
    for one in seen:
        is_it = one.step == broken.step and isinstance(one.record, kind)
        if is_it and getattr(one.record, "pod", broken.pod) == broken.pod:
            value = member_of(one.record, path)
            if path in ("active", "backoff", "unschedulable", "victims", "unschedulablePlugins"):
                value = sorted(value or ())
            found.append(as_written(said(value)))
    return found


def member_of(value: Any, path: str) -> Any:
    while path and value is not None:
        if isinstance(value, Mapping):
            key = max((key for key in value if f"{path}.".startswith(f"{key}.")), key=len, default=path)
            value, path = value.get(key), path[len(key) + 1 :]
        else:
            name, _, path = path.partition(".")
            [attribute] = (each.name for each in fields(type(value)) if json_name(each.name) == name)
            value = getattr(value, attribute)
    return value


@pytest.mark.no_cover
def test_a_file_is_as_it_would_be_written() -> None:
    differ = [
        rule
        for rule in all_rules()
        if (example := example_of(rule)) and text_of(example) != path_of(rule).read_text("utf-8")
    ]
    assert differ == []


def test_a_recording_that_an_example_names_is_there() -> None:
    named = [example.recording for rule in all_rules() if (example := example_of(rule)) and example.recording]
    assert len(named) > 100
    assert [one for one in named if not (data_folder() / one.trace).exists() or one.line > one.lines] == []


# --- Files ----------------------------------------------------------------------------------------

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-a"},
    "status": {"allocatable": {"cpu": "1", "pods": "110"}},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "app", "image": "pause"}]},
}
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@pytest.mark.parametrize(
    "example",
    [
        Example("R-FIT-02", History((Create(NODE), Create(POD), Schedule()))),
        Example("R-FIT-02", History((Create(NODE), Schedule(), Create(POD), Advance(3)))),
        Example(
            "R-FIT-02",
            History((Schedule(2),), {**CONFIG, "parallelism": 2}, {"SchedulerPopFromBackoffQ": False}),
            broken=Broken("name", "It does.", "node", "a", "b: c", "default/web", 1),
            recording=RuleRecording("a.jsonl.gz", 2, 3),
        ),
        Example("R-FIT-51", History((), CONFIG), kubernetes="1.19"),
    ],
)
def test_an_example_that_is_written_is_read_again(example: Example, tmp_path: Path) -> None:
    path = tmp_path / f"{example.rule}.yaml"
    path.write_text(text_of(example), "utf-8")
    assert read_example(path) == example


def test_a_file_without_steps_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "R-FIT-02.yaml"
    path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "utf-8")
    with pytest.raises(InputError, match="expected one ConfigMap"):
        read_example(path)


# --- Running --------------------------------------------------------------------------------------


def test_a_run_says_what_came_of_each_step_and_explains_the_attempt() -> None:
    done = run(Example("R-FIT-02", History((Create(NODE), Create(POD), Schedule()))))
    assert done.steps[-2:] == ("3  schedule  →  web on node-a", "             →  web is bound to node-a")
    assert done.explanation is not None
    assert done.explanation.node == "node-a"


def test_what_is_decided_in_the_queue_is_shown_as_it_is_there() -> None:
    broken = Broken("name", "It does.", "queues.unschedulable", "web", "none", step=1)
    done = run(Example("R-QUEUE-07", History((Create(POD), Schedule())), broken=broken))
    assert done.steps[-1].startswith("then: ")
    assert done.steps[-1] == "then: backoff default/web"


def test_a_configuration_that_is_refused_is_shown_with_the_reason() -> None:
    done = run(Example("R-CONFIG-04", History((), {**CONFIG, "parallelism": 0})))
    assert done.steps[0].startswith("the configuration is refused: parallelism")
    assert "R-CONFIG-04" in done.applied
    assert done.explanation is None


def test_an_object_that_the_specification_does_not_follow_is_shown_with_the_reason() -> None:
    devices = [{"name": "gpu", "taints": [{"key": "k", "effect": "NoSchedule"}]}]
    pool = {"name": "pool", "generation": 1, "resourceSliceCount": 1}
    tainted = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "slice"},
        "spec": {"driver": "gpu.example.com", "allNodes": True, "pool": pool, "devices": devices},
    }
    done = run(Example("R-FEATURE-05", History((Create(tainted),)), kubernetes="1.35"))
    assert done.steps[0].startswith("the specification refuses it: ResourceSlice slice")
    assert "R-FEATURE-05" in done.applied


def test_a_selector_that_the_specification_does_not_follow_is_shown_with_the_reason() -> None:
    done = run(read_example(path_of("R-FEATURE-06")))
    assert done.steps[-1].startswith("the specification refuses it: ")
    assert "the CEL function isURL is not followed" in done.steps[-1]


def test_the_address_of_extenders_is_as_the_history_writes_it() -> None:
    example = read_example(path_of("R-EXTENDER-05"))
    assert not [line for line in run(example).steps if "127.0.0.1" in line]


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ("filter.node-a", "what Filter says of node-a"),
        ("scores.node-a.ImageLocality", "the score of node-a (ImageLocality)"),
        ("queues.backoff", "the pods in backoffQ"),
        ("nodes.node-a.memory", "what counts on node-a (memory)"),
        ("preFilter.code", "what PreFilter says (code)"),
        ("victims.default/db", "the victims (default/db)"),
        ("claimUsers.default/claim", "claimUsers.default/claim"),
    ],
)
def test_what_differs_is_said_in_words(member: str, words: str) -> None:
    assert about(member) == words


def test_what_differs_is_said_with_the_step_and_the_pod() -> None:
    broken = Broken("name", "It does.", "node", "a", "b", "default/web", 1)
    assert heading(broken) == "In step 2, for web: the node that is chosen"
    assert heading(evolve(broken, pod="")) == "In step 2: the node that is chosen"
