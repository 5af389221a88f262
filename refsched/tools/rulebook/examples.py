# SPDX-License-Identifier: Apache-2.0
"""Examples: for each rule a file with the smallest history that shows it.

A file is a scenario (docs/scenarios.md), which any scheduler can be given: its objects, which ``kubectl apply``
accepts, and a ConfigMap with the steps. The ConfigMap also says what a scheduler that breaks the rule does
instead, and which recording of kube-scheduler shows the rule.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from refsched.objects.reading import read_as
from refsched.reading.shipped_files import examples_folder
from refsched.reading.short_yaml import documents, short_yaml
from refsched.releases import DEFAULT
from refsched.suite.histories.history import DEFAULT_CONFIG, Create, History
from refsched.suite.histories.scenario import as_people_write, read_history, scenario_data, scenario_text

Json = dict[str, Any]

IMAGE = "pause"
"""The API server requires an image of each container; no node reports this one."""


@frozen
class Broken:
    """A Broken is what a scheduler that breaks the rule does: ``member`` of a record of ``pod``, at this step,
    counted from 0, is ``got`` instead of ``expected``, in words. ``by`` names the scheduler, and ``says`` is
    what is wrong in it."""

    by: str
    says: str
    member: str
    expected: str
    got: str
    pod: str = ""
    step: int = 0


@frozen
class RuleRecording:
    """A RuleRecording is the shortest one of kube-scheduler in which the rule is applied. It has ``lines`` lines,
    and the rule is applied at ``line``."""

    trace: str
    line: int
    lines: int


@frozen
class Example:
    """An Example is a history that shows a rule, in this release of Kubernetes."""

    rule: str
    history: History
    kubernetes: str = DEFAULT.name
    broken: Broken | None = None
    recording: RuleRecording | None = None

    @property
    def manifests(self) -> str:
        """Returns the objects that the history creates, as YAML."""
        return documents(
            [as_people_write(step.object) for step in self.history.steps if isinstance(step, Create)]
        )


def settings_of(example: Example) -> str:
    """Returns the configuration, the feature gates and the release, as far as they are not the default ones, as
    YAML."""
    said: Json = {}
    if example.kubernetes != DEFAULT.name:
        said["kubernetes"] = example.kubernetes
    if example.history.feature_gates:
        said["featureGates"] = dict(example.history.feature_gates)
    config = {key: value for key, value in example.history.config.items() if key not in DEFAULT_CONFIG}
    return short_yaml(said | config) if said or config else ""


def path_of(rule: str) -> Path:
    return examples_folder() / f"{rule}.yaml"


@cache
def example_of(rule: str) -> Example | None:
    """Returns the example of this rule, or None if it has none. Raises InputError if its file is broken."""
    path = path_of(rule)
    return read_example(path) if path.exists() else None


def read_example(path: Path) -> Example:
    said, _ = scenario_data(path)
    return Example(
        path.stem,
        read_history(path),
        str(said.get("kubernetes", DEFAULT.name)),
        read_as(Broken, said["broken"]) if "broken" in said else None,
        read_as(RuleRecording, said["recording"]) if "recording" in said else None,
    )


def text_of(example: Example) -> str:
    """Returns the text of the file."""
    more: dict[str, object] = {} if example.kubernetes == DEFAULT.name else {"kubernetes": example.kubernetes}
    about = {"broken": example.broken, "recording": example.recording}
    more |= {name: asdict(value) for name, value in about.items() if value is not None}
    title = f"The smallest cluster that shows {example.rule}"
    return scenario_text(example.history, title=title, image=IMAGE, more=more)
