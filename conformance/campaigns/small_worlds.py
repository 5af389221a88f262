# SPDX-License-Identifier: Apache-2.0
"""Small worlds, searched exhaustively: every choice of the specification, and every order of events.

    python -m conformance.campaigns.small_worlds [--depth N] [WORLD ...]

A world is two nodes, three pods, one fault and their possible events. From each state every possible input is
tried, with every outcome of every choice, up to a number of inputs. In every state the invariants hold. From
every state every pod that fits on a node is bound, once held calls are released, waiting pods are allowed, and
time passes until nothing more happens.

A state is reached by repeating its inputs from the start, because cycles are generators, which cannot be
copied. Two states are the same if they do not differ in anything that the specification reads
(``Run.fingerprint``).
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from attrs import Factory, define, frozen

from conformance.campaigns.worlds import World, worlds
from conformance.wrong.options import number_from
from refsched.framework.reserve_and_bind import Held, OnPermit
from refsched.machine.profiles import scheduler_of
from refsched.objects.pod import Pod
from refsched.processes.http.over_http import over_http
from refsched.queue.queued_pod import QueuedPod
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.records import (
    Advance,
    Attempt,
    Delete,
    Input,
    Permit,
    Reference,
    Release,
    Write,
)
from refsched.suite.findings import Finding
from refsched.suite.histories.history import creating, deleting
from refsched.suite.invariants import Invariants
from refsched.suite.scripts import SCRIPT

T = TypeVar("T")
Json = dict[str, Any]

DEPTH = 3
"""Inputs, after those that set the world up."""
SETTLING = (11.0, 11.0, 346.0)
"""Seconds: past each backoff, and past the time after which pods that are left over are tried in any case."""


@frozen
class Schedule:
    """A Schedule pops a pod, whichever of those that may be."""


Move = Input | Schedule


# --- One run --------------------------------------------------------------------------------------


@define
class Enumerating:
    """``script`` numbers the options that are taken, one question after the other, before the first ones are;
    ``sizes`` says how many options there were each time."""

    script: Sequence[int] = ()
    sizes: list[int] = Factory(list)

    def choose(self, question: str, options: Sequence[T]) -> T:
        """Returns the option that the script names, or the first one after its end."""
        number = self.script[len(self.sizes)] if len(self.sizes) < len(self.script) else 0
        self.sizes.append(len(options))
        return options[number]


Step = tuple[Move, tuple[int, ...]]
"""An input, and which options were taken on the way."""


class Run:
    """A Run is the specification, from the start up to a state."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._choices = Enumerating()
        config = read_config(world.config)
        self._machine = scheduler_of(config, self._choices, reach=over_http)
        self._inputs = InputReader(self._machine)
        self._invariants = Invariants(world.config, {})
        self._happened: set[int] = set()
        self._victims: dict[str, Delete] = {}
        self.findings: list[Finding] = []
        for created in creating(*world.there):
            self._put_in(created)
        self._look()

    def do(self, move: Move, script: Sequence[int] = ()) -> tuple[int, ...]:
        """Returns how many options there were for each choice that was met."""
        self._choices.script = script
        self._choices.sizes = []
        if isinstance(move, Schedule):
            if not self._machine.schedule():
                self.findings += self._invariants.idle()
        else:
            self._put_in(move)
        self._look()
        return tuple(self._choices.sizes)

    def _put_in(self, move: Input) -> None:
        if move in self._world.meanwhile:
            self._happened.add(self._world.meanwhile.index(move))
        if isinstance(move, Delete):
            self._victims.pop(_key(move), None)
        self.findings += self._invariants.take(move)
        self._inputs.apply(move)

    def _look(self) -> None:
        records = self._machine.take_records()
        began = self._machine.take_held()
        if began is not None and not any(isinstance(record, Attempt) for record in records):
            self._invariants.begin(began[0])
        for record in records:
            self.findings += self._invariants.take(record)
            if isinstance(record, Write) and record.verb == "delete":
                metadata = record.object["metadata"]
                victim = Delete(Reference("Pod", metadata["name"], "v1", metadata["namespace"]))
                self._victims[_key(victim)] = victim
        for seen in (self._machine.queues(), self._machine.nodes()):
            self.findings += self._invariants.take(seen)

    # --- What may come next -----------------------------------------------------------------------

    def moves(self) -> Iterator[Move]:
        """Yields each input that may come next."""
        if not self.is_held and self._machine.state.queue.heads():
            yield Schedule()
        yield from self._going_on()
        for waiting in self._waiting():
            yield Permit(waiting, "reject")
        for number, move in enumerate(self._world.meanwhile):
            if number not in self._happened and self._is_there(move):
                yield move
        yield from map(Advance, self._world.seconds)

    def _going_on(self) -> Iterator[Move]:
        """Yields the pending inputs of others: held calls are released, waiting pods are allowed, and pods to
        delete are deleted."""
        held = {running.cycle.queued.key for running in self._running if isinstance(running.stop, Held)}
        yield from map(Release, sorted(held))
        for waiting in self._waiting():
            yield Permit(waiting, "allow")
        yield from (victim for victim in list(self._victims.values()) if self._is_there(victim))

    def _is_there(self, move: Input) -> bool:
        if not isinstance(move, Delete) or move.object.kind != "Pod":
            return True
        return self._machine.state.objects.get(Pod, move.object.name, "default") is not None

    def _waiting(self) -> list[str]:
        return sorted({waiting.pod.key for waiting in self._machine.state.waiting_pods.undecided()})

    @property
    def _running(self) -> Sequence[Any]:
        return self._machine._running

    @property
    def has_settled(self) -> bool:
        """Returns whether it came to the point where each pod that fits must be bound."""
        return self._invariants.decisive["R-INV-09"] > 0

    @property
    def is_held(self) -> bool:
        """Returns whether a scheduling cycle is under way, so that no other may begin."""
        return any(not running.cycle.is_binding for running in self._running)

    def settle(self) -> None:
        """Lets time pass without further inputs, and then deletes the pods that no plugin would ever admit."""
        self._pass_time()
        for faulty in self._world.there:
            deletion = deleting(faulty)
            if SCRIPT in faulty["metadata"].get("annotations", {}) and self._is_there(deletion):
                self.do(deletion)
        self._pass_time()

    def _pass_time(self) -> None:
        for seconds in SETTLING:
            self._let_go()
            self.do(Advance(seconds))
            self._let_go()
            while not self.is_held and self._machine.state.queue.heads():
                self.do(Schedule())
                self._let_go()
        self.do(Schedule())

    def _let_go(self) -> None:
        while (move := next(self._going_on(), None)) is not None:
            self.do(move)

    # --- Which state this is ----------------------------------------------------------------------

    @property
    def fingerprint(self) -> Hashable:
        """Returns all that decides what comes next: time, places, nominations, what counts on each node, in
        which order nodes are looked at, where each cycle stands, and what happened while it was under way."""
        scheduler = self._machine.state
        queue = scheduler.queue
        places = tuple(
            (place.value, tuple(_known(pod) for pod in pods)) for place, pods in queue._queues.items()
        )
        nodes = tuple(
            (name, tuple(each.pod.key for each in info.pods))
            for name, info in scheduler.cache.usage().items()
        )
        nominated = tuple(
            (name, tuple(pod.uid for pod in queue.nominator.nominated_to(name))) for name, _ in nodes
        )
        pods = tuple(
            (each.key, each.uid, each.spec.node_name, each.status.nominated_node_name)
            for each in scheduler.objects.list(Pod)
        )
        return (
            scheduler.clock.now,
            scheduler.next_start_node_index,
            places,
            nodes,
            nominated,
            pods,
            tuple(self._running_cycle(running) for running in self._running),
            frozenset(self._happened),
            tuple(self._victims),
        )

    def _running_cycle(self, running: Any) -> Hashable:
        cycle, stop = running.cycle, running.stop
        uid = cycle.queued.pod.uid
        in_flight = self._machine.state.queue.in_flight
        meanwhile = in_flight.since_pop(uid) if uid in in_flight else ()
        where = tuple(stop.waiting.deadlines.items()) if isinstance(stop, OnPermit) else stop
        on = cycle.node.name if cycle.node is not None else ""
        return _known(cycle.queued), cycle.is_binding, on, where, tuple(str(each.event) for each in meanwhile)


def _known(queued: QueuedPod) -> Hashable:
    return (
        queued.key,
        queued.timestamp,
        queued.attempts,
        queued.unschedulable_count,
        queued.consecutive_errors_count,
        queued.backoff_expiration,
        queued.rejectors,
        queued.pending_plugins,
        queued.gating_plugin,
    )


def _key(deleted: Delete) -> str:
    return f"{deleted.object.kind} {deleted.object.name}"


# --- The search -----------------------------------------------------------------------------------


@define
class Searched:
    """``paths`` counts the paths that were tried, ``states`` the distinct states, and ``settled`` the states
    from which time passed until nothing more happened. ``broken`` is the first path on which an invariant did
    not hold."""

    world: str
    states: int = 0
    paths: int = 0
    settled: int = 0
    broken: tuple[Step, ...] = ()
    findings: Sequence[Finding] = ()


def search(world: World, depth: int = DEPTH) -> Searched:
    """Searches breadth first, so that what is found is found on a shortest way."""
    result = Searched(world.name)
    known: set[Hashable] = set()
    ways: list[tuple[Step, ...]] = []
    _visit(Run(world), (), result, known, ways)
    for _ in range(depth):
        further: list[tuple[Step, ...]] = []
        for way in ways:
            for step, run in _ends(world, way):
                _visit(run, (*way, step), result, known, further)
                if result.findings:
                    return result
        ways = further
    return result


def _visit(
    run: Run, way: tuple[Step, ...], result: Searched, known: set[Hashable], ways: list[tuple[Step, ...]]
) -> None:
    """Records the path of ``run``. From a new state time passes until nothing more happens, and the path is
    continued."""
    result.paths += 1
    here = run.fingerprint
    if here in known and not run.findings:
        return
    known.add(here)
    result.states = len(known)
    run.settle()
    result.settled += run.has_settled
    if run.findings:
        result.broken, result.findings = way, run.findings
    ways.append(way)


def _ends(world: World, way: Sequence[Step]) -> Iterator[tuple[Step, Run]]:
    """Yields each input that fits at the end of the way, with each outcome of each choice that it meets."""
    for move in list(_replayed(world, way).moves()):
        scripts: list[tuple[int, ...]] = [()]
        while scripts:
            script = scripts.pop()
            run = _replayed(world, way)
            sizes = run.do(move, script)
            taken = (*script, *[0] * (len(sizes) - len(script)))
            yield (move, taken), run
            for place in range(len(script), len(sizes)):
                scripts += [(*taken[:place], other) for other in range(1, sizes[place])]


def _replayed(world: World, way: Sequence[Step]) -> Run:
    run = Run(world)
    for move, taken in way:
        run.do(move, taken)
    return run


# --- The command ----------------------------------------------------------------------------------


def summary(result: Searched) -> str:
    """Returns a line of figures, and what was found, with the inputs that led to it."""
    line = f"{result.world}: {result.states:,} states, {result.paths:,} paths, {result.settled:,} settled"
    if not result.findings:
        return line
    first = result.findings[0]
    way = "".join(f"\n  {move} {list(script) or ''}" for move, script in result.broken)
    wrong = f"{first.rule} {first.pod} {first.member}: expected {first.expected}, got {first.got}"
    return f"{line}\n  {wrong}, after{way}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0, or 1 where an invariant does not hold."""
    known: Mapping[str, World] = {world.name: world for world in worlds()}
    parser = ArgumentParser(
        prog="conformance.campaigns.small_worlds", description="Search small worlds exhaustively."
    )
    parser.add_argument(
        "--depth", type=number_from(0), default=DEPTH, help="inputs, after the setup (default: %(default)s)"
    )
    parser.add_argument("world", nargs="*", help=", ".join(known))
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.world if name not in known]:
        parser.error(f"there is no world {unknown[0]!r}")
    results = [search(known[name], asked.depth) for name in asked.world or known]
    for result in results:
        print(summary(result))
    return int(any(result.findings for result in results))


if __name__ == "__main__":
    sys.exit(main())
