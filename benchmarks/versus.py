# SPDX-License-Identifier: Apache-2.0
"""The specification beside the real kube-scheduler: ``python benchmarks/versus.py``.

Both place the same pending pods on the same nodes, in turns, as children of this process, and so do commands on
dumps as large as kubectl prints them:

- The real one is the program that the suite builds (``--impl=kube-scheduler``), asked over its wire. What is
  counted is its run with the pending pods less its run without them, so that neither its start nor the reading of
  the cluster counts; that it reports each attempt over the wire does.
- The specification is ``refsched schedule``, the whole command, less the same command without pending pods.

Counted are seconds of a core, user and system, of all threads: on a machine that others use too the clock says
little. A ratio above 1 says that the specification takes less.

All is over after ``--minutes`` (and after the real one is built, if it is not yet). Two thirds of them are for
the rows beside the real one, the smallest clusters first, once each and again up to ``--rounds`` times; what is
left is for dumps. What there was no time for is listed. Standard error has a line for whatever is begun.
``--profile`` shows instead where the time of one ``refsched schedule`` goes.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout, suppress
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from attrs import frozen

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.clusters import APART, PLAIN, PREEMPTION, ZONE_SPREAD, Json, cluster
from refsched.suite.adapters.kube_scheduler import kube_scheduler

HERE = Path(__file__).parent
WORKLOADS = {
    "plain": (PLAIN, 0, 1000),
    "zone spread": (ZONE_SPREAD, 0, 1000),
    "anti-affinity": (APART, 0, 1000),
    "preemption": (PREEMPTION, 1, 50),
    "30 pods a node": (PLAIN, 30, 1000),
}
"""The shape of the pending pods, how many pods run on each node, and how many are pending at the most."""

ONE_A_NODE = (APART, PREEMPTION)
"""Shapes of which no node takes two pods."""

MANY_NODES, MOST_ON_MANY = 5000, 300
"""From this many nodes on at most this many pods are pending, since the real one needs a second for thirty of
them."""

FOR_ROWS = 2 / 3
"""The share of the time that is for the rows beside the real one."""

LARGEST_YAML = 2000
"""Nodes. To write a dump of more as YAML takes longer than all else here."""

MIB = 1024 * 1024


# --- Running --------------------------------------------------------------------------------------


class OutOfTimeError(Exception):
    """A command was ended since there was no time left for it."""


_began = time.monotonic()


def note(text: str) -> None:
    print(f"{time.monotonic() - _began:6.0f} s  {text}", file=sys.stderr, flush=True)


@frozen
class Cost:
    """Seconds of a core, and bytes at the most."""

    seconds: float
    memory: int


def cost(command: Sequence[str | Path], until: float, stdin: Path | None = None) -> Cost:
    """What a command takes, with all that it starts and waits for. It may end with 0 or 1. OutOfTimeError where it
    has not ended ``until`` then, on the monotonic clock."""
    with Path(stdin or os.devnull).open("rb") as file:
        child = subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    alarm = threading.Timer(max(until - time.monotonic(), 0), child.kill)
    alarm.start()
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    alarm.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode == -signal.SIGKILL and time.monotonic() >= until:
        raise OutOfTimeError
    if child.returncode not in (0, 1) or b"Traceback" in said:
        raise SystemExit(f"{' '.join(map(str, command))}: {said.decode(errors='replace')}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


def refsched(until: float, *arguments: str | Path) -> Cost:
    return cost([sys.executable, "-m", "refsched", *arguments], until)


# --- Pods a second --------------------------------------------------------------------------------


def _requests(objects: Iterable[Json], pending: int) -> Iterable[Json]:
    """What a driver asks: the cluster, an attempt for each pending pod, and when it was requeued another."""
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    yield {"hello": {"protocol": 1}}
    yield {"reset": {"config": config}}
    for each in objects:
        yield {"create": each}
    yield from [{"schedule": {}}] * pending
    yield {"advance": 30}
    yield from [{"schedule": {}}] * pending


@frozen
class Files:
    """The same cluster as both read it, with its pending pods and without them."""

    manifests: tuple[Path, Path]
    requests: tuple[Path, Path]


@frozen
class Row:
    nodes: int
    workload: str
    pods: int

    @property
    def objects(self) -> int:
        return self.nodes * (1 + WORKLOADS[self.workload][1]) + self.pods


def row(nodes: int, workload: str, most: int) -> Row:
    shape, _, of_workload = WORKLOADS[workload]
    limits = [most, of_workload]
    if shape in ONE_A_NODE:
        limits.append(nodes)
    if nodes >= MANY_NODES:
        limits.append(MOST_ON_MANY)
    return Row(nodes, workload, min(limits))


def files(folder: Path, given: Row) -> Files:
    """Nothing is held whole, since what this process takes at the most is counted as a child's, too."""
    shape, running, _ = WORKLOADS[given.workload]
    manifests, requests = [], []
    for count in (given.pods, 0):
        manifests.append(folder / f"manifests-{count}.json")
        _write_list(manifests[-1], cluster(given.nodes, count, shape, running))
        requests.append(folder / f"requests-{count}.jsonl")
        with requests[-1].open("w") as file:
            for each in _requests(cluster(given.nodes, count, shape, running), count):
                file.write(f"{json.dumps(each)}\n")
    return Files((manifests[0], manifests[1]), (requests[0], requests[1]))


def _write_list(path: Path, objects: Iterable[Json]) -> None:
    with path.open("w") as file:
        file.write('{"apiVersion": "v1", "kind": "List", "items": [')
        for number, each in enumerate(objects):
            file.write(f"{',' if number else ''}{json.dumps(each)}")
        file.write("]}")


def ours(given: Files, until: float) -> float:
    whole, empty = (refsched(until, "schedule", "-o", "json", "-f", path) for path in given.manifests)
    return whole.seconds - empty.seconds


def theirs(given: Files, program: Sequence[str], until: float) -> float:
    whole, empty = (cost(program, until, path) for path in given.requests)
    return whole.seconds - empty.seconds


def versus(rows: Sequence[Row], rounds: int, until: float, program: Sequence[str]) -> None:
    """Pods a second of a core, of the specification and of the real one, in turns."""
    measured: dict[Row, list[tuple[float, float]]] = {
        each: [] for each in sorted(rows, key=lambda row: row.objects)
    }
    with suppress(OutOfTimeError):
        for number, each in product(range(rounds), measured):
            note(f"round {number + 1}: {each.workload}, {each.pods:,} pods on {each.nodes:,} nodes")
            with tempfile.TemporaryDirectory() as folder:
                given = files(Path(folder), each)
                mine, real = ours(given, until), theirs(given, program, until)
            measured[each].append((each.pods / mine, each.pods / real))
    print(
        "| nodes | workload | pods | refsched, pods/s | kube-scheduler, pods/s | ratio | least | most | rounds |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for each, pairs in measured.items():
        cells = [f"{each.nodes:,}", each.workload, f"{each.pods:,}", *_figures(pairs), str(len(pairs))]
        print(f"| {' | '.join(cells)} |", flush=True)


def _figures(pairs: Sequence[tuple[float, float]]) -> list[str]:
    if not pairs:
        return ["no time left", "", "", "", ""]
    ratios = [mine / real for mine, real in pairs]
    middle = [statistics.median(each) for each in zip(*pairs, strict=True)]
    return [
        *(f"{each:.0f}" for each in middle),
        *(f"{each:.2f}" for each in (statistics.median(ratios), min(ratios), max(ratios))),
    ]


# --- Dumps ----------------------------------------------------------------------------------------


def dump(path: Path, nodes: int, pending: int, running: int, output: str, until: float) -> Path:
    arguments = [str(nodes), str(pending), "--running", str(running), "--as-kubectl", "-o", output]
    with path.open("wb") as file:
        try:
            subprocess.run(
                [sys.executable, HERE / "clusters.py", *arguments],
                stdout=file,
                check=True,
                timeout=max(until - time.monotonic(), 0),
            )
        except subprocess.TimeoutExpired:
            raise OutOfTimeError from None
    return path


def recording(folder: Path, nodes: int, pending: int, running: int, until: float) -> Path:
    """What the specification does on such a cluster, as a trace."""
    steps = [
        {"create": f"{each['kind']} {'default/' if each['kind'] == 'Pod' else ''}{each['metadata']['name']}"}
        for each in cluster(nodes, pending, PLAIN, running)
    ]
    written = json.dumps([*steps, {"schedule": pending}])
    scenario = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "refsched-scenario", "labels": {"refsched.dev/scenario": "steps"}},
        "data": {"steps": written},
    }
    path, trace = folder / "scenario.yaml", folder / "trace.jsonl.gz"
    with path.open("w") as file:
        for each in chain([scenario], cluster(nodes, pending, PLAIN, running)):
            file.write(f"---\n{json.dumps(each)}\n")
    refsched(until, "record", "--impl", "refsched.reference", "--scenario", path, "--output", trace)
    return trace


def dumps(sizes: Sequence[int], pending: int, running: int, until: float) -> None:
    print("| nodes | objects | command | file | MB | s | MiB at most |")
    print("|---|---|---|---|---|---|---|")
    for nodes in sizes:
        try:
            _measure_dumps(nodes, pending, running, until)
        except OutOfTimeError:
            print(f"| {nodes:,} | no time left for this, and what would follow | | | | | |", flush=True)
            return


def _measure_dumps(nodes: int, pending: int, running: int, until: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for output in ("json", "yaml") if nodes <= LARGEST_YAML else ("json",):
            note(f"a dump of {nodes:,} nodes is written as {output}")
            path = dump(folder / f"dump.{output}", nodes, pending, running, output, until)
            for command in (("schedule",), ("explain", "default/p0")):
                note(f"{command[0]} {path.name}")
                found = refsched(until, *command, "-o", "json", "-f", path)
                _print_row(nodes, running, pending, command[0], path, found)
            path.unlink()
        note(f"a recording of {nodes:,} nodes is made, and replayed")
        trace = recording(folder, nodes, min(pending, 50), running, until)
        _print_row(nodes, running, min(pending, 50), "replay", trace, refsched(until, "replay", trace))


def _print_row(nodes: int, running: int, pending: int, command: str, path: Path, found: Cost) -> None:
    objects = nodes * (1 + running) + pending
    size = path.stat().st_size / 1e6
    kind = path.name.partition(".")[2]
    cells = [f"{nodes:,}", f"{objects:,}", command, kind, f"{size:.0f}", f"{found.seconds:.1f}"]
    print(f"| {' | '.join(cells)} | {found.memory // MIB:,} |", flush=True)


# --- Where the time goes --------------------------------------------------------------------------


def profile(measured: Row) -> None:
    """Functions by their own time, of ``refsched schedule`` on such a cluster."""
    from refsched.tools.cli.main import cli

    with tempfile.TemporaryDirectory() as folder:
        given = files(Path(folder), measured)
        profiler = cProfile.Profile()
        arguments = ["schedule", "-o", "json", "-f", str(given.manifests[0])]
        with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), suppress(SystemExit):
            profiler.runcall(cli, arguments, standalone_mode=False)
    stats: Any = pstats.Stats(profiler)
    whole = stats.total_tt
    print(f"{measured.nodes:,} nodes, {measured.pods:,} pods, {measured.workload}: {whole:.1f} s profiled")
    print("| share | calls | function |\n|---|---|---|")
    for (file, _, function), (_, calls, own, _, _) in islice(_by_time(stats), 25):
        where = Path(file).stem if file != "~" else ""
        print(f"| {100 * own / whole:.1f} % | {calls:,} | {where} {function} |")


def _by_time(stats: Any) -> list[Any]:
    return sorted(stats.stats.items(), key=lambda entry: entry[1][2], reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="*", default=[100, 1000, 5000])
    parser.add_argument("--workloads", nargs="*", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--pods", type=int, default=1000, help="pending at the most")
    parser.add_argument("--rounds", type=int, default=3, help="at the most")
    parser.add_argument("--minutes", type=float, default=12, help="after which all is over")
    parser.add_argument("--dumps", type=int, nargs="*", default=[300, 2000, 5000], metavar="NODES")
    parser.add_argument("--running", type=int, default=10, help="pods on each node of a dump")
    parser.add_argument("--pending", type=int, default=500, help="pods of a dump without a node")
    parser.add_argument("--against", metavar="COMMAND", help="that speaks the protocol; else the real one")
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    rows = [row(nodes, workload, given.pods) for nodes in given.nodes for workload in given.workloads]
    if given.profile:
        for each in rows:
            profile(each)
        return
    program = shlex.split(given.against) if given.against else []
    if rows and not program:
        note("the real one is built, unless it was")
        program = [str(kube_scheduler())]
    seconds, start = given.minutes * 60, time.monotonic()
    if rows:
        versus(rows, given.rounds, start + seconds * (FOR_ROWS if given.dumps else 1), program)
    if given.dumps:
        dumps(given.dumps, given.pending, given.running, start + seconds)
    note("all is done")


if __name__ == "__main__":
    main()
