# SPDX-License-Identifier: Apache-2.0
"""Examples: for each rule a file with the smallest history that shows it.

A file is a scenario (docs/scenarios.md), which any scheduler can be given: its objects, which ``kubectl apply``
accepts, and a ConfigMap with the steps. The ConfigMap also says what a scheduler that breaks the rule does
instead, and which recording of kube-scheduler shows the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from refsched.errors import InputError
from refsched.objects.reading import read_as
from refsched.releases import DEFAULT
from refsched.suite.histories.history import DEFAULT_CONFIG, Create, History
from refsched.suite.histories.scenario import read_history, steps_as_json
from refsched.tools.reading.documents import read_documents, read_text
from refsched.tools.reading.manifests import SCENARIO, is_scenario
from refsched.tools.rulebook.short_yaml import documents, short_yaml
from refsched.tools.shipped_files import examples_folder

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
class Recording:
    """A Recording is the shortest one of kube-scheduler in which the rule is applied, in ``line`` of so many
    ``lines``."""

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
    recording: Recording | None = None

    @property
    def manifests(self) -> str:
        """Returns the objects that the history creates, as YAML."""
        return documents([_plain(step.object) for step in self.history.steps if isinstance(step, Create)])


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
    said = _said(path)
    return Example(
        path.stem,
        read_history(path),
        str(said.get("kubernetes", DEFAULT.name)),
        read_as(Broken, said["broken"]) if "broken" in said else None,
        read_as(Recording, said["recording"]) if "recording" in said else None,
    )


def _said(path: Path) -> Mapping[str, Any]:
    where = str(path)
    for document in read_documents(read_text(path.read_bytes(), where), where):
        value = document.value
        if is_scenario(value):
            return {
                name: next((each.value for each in read_documents(text, f"{where}: data.{name}")), None)
                for name, text in value["data"].items()
            }
    raise InputError(f"has no ConfigMap labelled {SCENARIO}", where=where)


# --- Writing --------------------------------------------------------------------------------------


def text_of(example: Example) -> str:
    """Returns the text of the file. Objects that no step creates are there before the first step."""
    history = example.history
    steps = steps_as_json(history)
    created = [isinstance(step, Create) for step in history.steps]
    if sum(created) == len(created[: sum(created)]) and all(created[: sum(created)]):
        steps = steps[sum(created) :]
    else:
        steps = [
            {"create": _called(step["create"])} if is_new else step
            for step, is_new in zip(steps, created, strict=True)
        ]
    data = {"steps": short_yaml(steps)}
    if history.config != DEFAULT_CONFIG:
        data["config"] = short_yaml(history.config)
    if history.feature_gates:
        data["featureGates"] = short_yaml(dict(history.feature_gates))
    if example.kubernetes != DEFAULT.name:
        data["kubernetes"] = short_yaml(example.kubernetes)
    for name, value in (("broken", example.broken), ("recording", example.recording)):
        if value is not None:
            data[name] = short_yaml(asdict(value))
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "refsched-scenario", "labels": {SCENARIO: "steps"}},
        "data": data,
    }
    objects = [_appliable(step.object) for step in history.steps if isinstance(step, Create)]
    return f"# The smallest cluster that shows {example.rule}\n" + documents([*objects, config_map])


def _called(value: Json) -> str:
    metadata = value["metadata"]
    name = "/".join(part for part in (metadata.get("namespace", ""), metadata["name"]) if part)
    return f"{value['kind']} {name}"


def _appliable(value: Json) -> Json:
    value = _plain(value)
    for member in ("initContainers", "containers"):
        for container in value.get("spec", {}).get(member, ()) if value.get("kind") == "Pod" else ():
            container.setdefault("image", IMAGE)
    return value


def _plain(value: Json) -> Json:
    """Returns an object as people write it: apiVersion, kind, name, and then the rest."""
    value = deepcopy(value)
    metadata = value.pop("metadata", {})
    first = {"name": metadata.pop("name", "")}
    head = {"apiVersion": value.pop("apiVersion"), "kind": value.pop("kind"), "metadata": first | metadata}
    return {**head, **value}
