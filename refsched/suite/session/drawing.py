# SPDX-License-Identifier: Apache-2.0
"""Drawing: how Hypothesis is used, so that one seed gives one set of histories, everywhere.

Inputs depend on the seed and the name of the test alone: not on the machine, the worker, the implementation or
what was drawn before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Protocol

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import engine, providers
from hypothesis.internal.conjecture.engine import ConjectureRunner
from hypothesis.internal.constants_ast import Constants
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from hypothesis.strategies import SearchStrategy

from refsched.suite.histories.history import History, Step

PROFILE = "refsched"
STEPS_OF_A_MACHINE = 50
"""A state machine makes at most this many inputs in one example."""

SUPPRESSED = (
    HealthCheck.too_slow,  # how fast an implementation answers says nothing of how its inputs are drawn
    HealthCheck.function_scoped_fixture,  # ``check`` gathers over all examples of its test, by intention
    HealthCheck.differing_executors,  # a parametrized test runs once for each of its parameters
    HealthCheck.large_base_example,  # some areas start from a cluster of many nodes
    HealthCheck.nested_given,  # which fields are taken is learned in the middle of a test, by what is drawn
    HealthCheck.data_too_large,  # long histories are cut off, and that is as it should be
)


class Steps(Protocol):
    """Steps take what a state machine draws, one step after the other."""

    def take(self, step: Step) -> None:
        """Takes the next step. Raises if it has shown that a rule is broken."""
        ...

    def end(self) -> None:
        """Says that no step follows."""
        ...


Begin = Callable[[History], Steps]
"""It begins with an empty cluster, and the configuration of this history, which has no steps yet."""


def load_profile() -> None:
    """Loads the suite's own profile. This is done explicitly, since Hypothesis loads a profile of its own, with
    derandomize, if ``CI`` is set."""
    settings.register_profile(
        PROFILE,
        parent=settings.get_profile("default"),
        derandomize=False,
        deadline=None,
        database=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.explicit, Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=SUPPRESSED,
    )
    settings.load_profile(PROFILE)
    _leave_local_constants_alone()
    _draw_each_anew()


def allow_shrinking(seconds: float) -> None:
    """Limits how long a failing example is shrunk in the tests that run from now on in this process, in seconds.
    Hypothesis itself stops after five minutes."""
    engine.MAX_SHRINKING_SECONDS = seconds  # type: ignore[assignment]


def _leave_local_constants_alone() -> None:
    """Keeps constants of imported modules out of what is drawn. Hypothesis mixes in numbers and strings that it
    finds in their source, so that an implementation written in Python would choose its own inputs."""
    nothing = Constants()
    providers._get_local_constants = lambda: nothing


def _draw_each_anew() -> None:
    """Draws every history anew. Hypothesis follows each history by up to five that repeat parts of it. Few of
    them differ in what is decided: without them the same number of histories kills many times as many wrong
    schedulers."""
    ConjectureRunner.generate_mutations_from = lambda self, data: None  # type: ignore[method-assign]


def drawn(
    function: Callable[..., None], strategy: SearchStrategy[History], *, examples: int, seed: str, name: str
) -> Callable[..., None]:
    """Returns the property test that calls ``function`` with ``history`` drawn from ``strategy``."""
    test: Any = hypothesis.given(history=strategy)(function)
    test = hypothesis.seed(seed_of(seed, name))(test)
    drawing: Callable[..., None] = settings(settings.get_profile(PROFILE), max_examples=examples)(test)
    return drawing


def collected(strategy: SearchStrategy[History], *, examples: int, seed: str, name: str) -> list[History]:
    """Returns the histories that such a test runs."""
    histories: list[History] = []

    def collect(history: History) -> None:
        histories.append(history)

    drawn(collect, strategy, examples=examples, seed=seed, name=name)()
    return histories


def drawn_by(
    machine: Callable[..., RuleBasedStateMachine],
    begin: Begin,
    *,
    examples: int,
    seed: str,
    name: str,
) -> Callable[..., None]:
    """Returns the property test of a state machine, which is made anew for each example."""

    def test(**_: object) -> None:
        def made() -> RuleBasedStateMachine:
            return machine(begin)

        profile = settings(
            settings.get_profile(PROFILE), max_examples=examples, stateful_step_count=STEPS_OF_A_MACHINE
        )
        seeded: Any = hypothesis.seed(seed_of(seed, name))(made)
        run_state_machine_as_test(seeded, settings=profile)

    return test


def seed_of(seed: str, name: str) -> int:
    """Returns a seed of its own for each test, so that two tests of one area draw different histories."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8])
