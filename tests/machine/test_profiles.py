# SPDX-License-Identifier: Apache-2.0
"""Profiles: which plugins a configuration makes, with which arguments, and in which order they are called."""

from __future__ import annotations

from typing import Any

import pytest
from world import configuration, profile

from refsched.errors import InputError
from refsched.framework.choices import FirstChoice, SeededChoices
from refsched.framework.runtime import Framework
from refsched.machine.profiles import scheduler_of
from refsched.reading.configuration.read import read_config
from refsched.releases import DEFAULT


def framework(config: dict[str, Any] | None = None, name: str = "default-scheduler") -> Framework:
    machine = scheduler_of(read_config(config or configuration({"schedulerName": name})), FirstChoice())
    return machine.state.profiles[name]


def test_each_plugin_bears_the_name_by_which_it_is_enabled() -> None:
    made = framework(configuration(profile()))
    assert {plugin.name for plugin in made.plugins} | {"PrioritySort"} == set(DEFAULT.plugins)


def test_a_plugin_is_made_once_and_stands_at_each_of_its_points() -> None:
    made = framework()
    at_filter = next(plugin for plugin in made.filter_plugins if plugin.name == "NodeAffinity")
    assert any(plugin is at_filter for plugin in made.score_plugins)


def test_a_plugin_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="NoSuchPlugin"):
        framework(configuration(profile(score={"enabled": [{"name": "NoSuchPlugin"}]})))


def test_choices_are_the_first_or_drawn_from_a_seed() -> None:
    assert FirstChoice().choose("node", ["a", "b"]) == "a"
    drawn = [SeededChoices(7).choose("node", range(100)) for _ in range(2)]
    assert drawn[0] == drawn[1]
