# SPDX-License-Identifier: Apache-2.0
"""Fuzz: whatever is given, it is answered, or refused with the one error for bad input, and soon.

``python -m conformance.campaigns.fuzz --examples 2000`` draws this many clusters, configurations, traces and
answers of adapters from their own types, and prints figures. A cluster is not only read: its pods are
scheduled, and one is explained. Exit codes as everywhere: 0 nothing was found, 1 something was.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click
from attrs import define
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.campaigns.typed import Json, api_objects, of_class, records
from refsched.checking.replay import judge_file
from refsched.config.types import KubeSchedulerConfiguration
from refsched.errors import InputError
from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.objects.kinds import KINDS
from refsched.objects.pod import Pod
from refsched.reading.configuration.read import read_config
from refsched.reading.manifests import read_manifests
from refsched.suite.adapters.answers import CAPABILITIES, read_answer
from refsched.suite.adapters.module import time_limit
from refsched.tools.planner.cluster import check_is_to_place, latest_time
from refsched.tools.planner.dry_extenders import reach
from refsched.tools.planner.explain import explain
from refsched.tools.planner.planning import plan

PATIENCE = 30.0
"""Seconds after which something hangs."""

TYPE = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
_ONLY = {name: tuple(kind for kind in KINDS if kind.name == name) for name in ("Node", "Pod")}
_NODE = {"status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}

_REACH = partial(reach, remember=True)

Drawn = Any


# --- What is drawn, and what is asked of it -------------------------------------------------------


@st.composite
def clusters(draw: st.DrawFn) -> list[Json]:
    """Draws nodes, pods, and whatever else there is; mostly a node has room."""
    nodes = draw(st.lists(api_objects(_ONLY["Node"]), min_size=1, max_size=2))
    roomy = [{**node, **_NODE} if draw(st.booleans()) else node for node in nodes]
    pods = draw(st.lists(api_objects(_ONLY["Pod"]), min_size=1, max_size=2))
    return [*roomy, *pods, *draw(st.lists(api_objects(), max_size=4))]


def ask_cluster(objects: list[Json], folder: Path) -> None:
    """Schedules the pods of the cluster, and explains one of them."""
    path = folder / "cluster.json"
    by_name = {(each["kind"], each["metadata"]["name"]): each for each in objects}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(by_name.values())}))
    found = read_manifests([path]).objects

    def scheduler() -> Any:
        return scheduler_of(read_config(TYPE), SeededChoices(0), start=latest_time(found), reach=_REACH)

    str(plan(scheduler(), found))
    for pod in [shown for shown in found if isinstance(shown, Pod)][:1]:
        asked = scheduler()
        check_is_to_place(asked, pod)
        str(explain(asked, found, pod))


def configurations() -> SearchStrategy[Json]:
    return of_class(KubeSchedulerConfiguration).map(lambda drawn: {**drawn, **TYPE})


def ask_configuration(config: Json, folder: Path) -> None:
    """Reads the configuration, and builds a scheduler by it. As in each that asks, bad input raises InputError."""
    scheduler_of(read_config(config), SeededChoices(0), reach=_REACH)


def traces() -> SearchStrategy[list[Json]]:
    """Draws the entries of a trace, without their times."""
    return st.lists(records(), max_size=5)


def ask_trace(entries: list[Json], folder: Path) -> None:
    """Replays the trace. Raises AssertionError if the replay itself fails."""
    header = {"trace": "refsched.trace/v1", "scheduler": {"name": "s", "version": "1"}, "config": TYPE}
    lines = [header, *({"at": float(at), **entry} for at, entry in enumerate(entries))]
    path = folder / "trace.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    error = judge_file(path).error or ""
    if "itself fails" in error:
        raise AssertionError(error)
    if error:
        raise InputError(error)


def answers() -> SearchStrategy[tuple[str, Json]]:
    """Draws a request by its name, and an answer to it."""
    asked = st.sampled_from(("schedule", "observe", "create", "advance"))
    return st.tuples(asked, st.fixed_dictionaries({"records": st.lists(records(), max_size=3)}))


def ask_answer(drawn: tuple[str, Json], folder: Path) -> None:
    request, answer = drawn
    read_answer({request: {}}, answer, frozenset(CAPABILITIES))


KINDS_OF_INPUT: Mapping[str, tuple[Callable[[], SearchStrategy[Drawn]], Callable[[Drawn, Path], None]]] = {
    "clusters": (clusters, ask_cluster),
    "configurations": (configurations, ask_configuration),
    "traces": (traces, ask_trace),
    "answers": (answers, ask_answer),
}

# --- A run ----------------------------------------------------------------------------------------


@define
class Figures:
    """``answered`` of those that were ``tried`` were answered, and all others were refused as bad input."""

    tried: int = 0
    answered: int = 0
    slowest: float = 0.0


def fuzz(name: str, examples: int, number: int = 0) -> Figures:
    """Draws this many of one kind of input. Raises whatever the smallest input raises that is not an
    InputError."""
    strategy, ask = KINDS_OF_INPUT[name]
    figures = Figures()

    with tempfile.TemporaryDirectory() as folder:

        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy())
        def run(drawn: Drawn) -> None:
            figures.tried += 1
            began = time.monotonic()
            try:
                with time_limit(PATIENCE):
                    ask(drawn, Path(folder))
                figures.answered += 1
            except InputError:
                pass
            figures.slowest = max(figures.slowest, time.monotonic() - began)

        run()
    return figures


@click.command()
@click.option("--examples", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--seed", "number", type=click.IntRange(0), default=0, show_default=True)
@click.option("--only", type=click.Choice(list(KINDS_OF_INPUT)), help="One kind of input.")
def main(examples: int, number: int, only: str | None) -> None:
    """Draw input of every kind, and see that it is answered or refused."""
    finds = 0
    for name in [only] if only else KINDS_OF_INPUT:
        began = time.monotonic()
        try:
            figures = fuzz(name, examples, number)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            finds += 1
            click.echo(f"{name}: found\n{''.join(traceback.format_exception(error)[-12:])}")
            continue
        seconds = time.monotonic() - began
        click.echo(
            f"{name}: {figures.tried:,} tried, {figures.answered:,} answered, {figures.tried - figures.answered:,}"
            f" refused, {seconds:.0f} s, the slowest {figures.slowest:.1f} s"
        )
    sys.exit(1 if finds else 0)


if __name__ == "__main__":
    main()
