# SPDX-License-Identifier: Apache-2.0
"""The specification beside the real kube-scheduler: ``python benchmarks/versus.py``.

Both place the same pending pods on the same nodes, in turns, as children of this process, and so do commands on
dumps as large as kubectl prints them:

- The real one is the program that the suite builds (``--impl=kube-scheduler``), asked over its wire. What is
  counted is its run with the pending pods less its run without them, so that neither its start nor the reading of
  the cluster counts; that it reports each attempt over the wire does.
- The specification is ``refsched schedule``, the whole command, less the same command without pending pods.

Counted are seconds of a core, user and system, of all threads: on a machine that others use too the clock says
little. A ratio above 1 says that the specification takes less. Each row is measured at least once, and again, up
to ``--rounds``, as long as its share of ``--minutes`` lasts. ``--profile`` shows instead where the time of one
``refsched schedule`` goes.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import frozen

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.clusters import APART, PLAIN, PREEMPTION, ZONE_SPREAD, cluster
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

LARGEST_YAML = 2000
"""Nodes. To write a dump of more as YAML takes longer than all else here."""

MIB = 1024 * 1024


# --- Running --------------------------------------------------------------------------------------


@frozen
class Cost:
    """Seconds of a core, and bytes at the most."""

    seconds: float
    memory: int


def cost(command: Sequence[str | Path], stdin: Path | None = None) -> Cost:
    """What a command takes, with all that it starts and waits for. It may end with 0 or 1."""
    with Path(stdin or os.devnull).open("rb") as file:
        child = subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert child.stderr is not None
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stderr.close()
    if child.returncode not in (0, 1) or b"Traceback" in said:
        raise SystemExit(f"{' '.join(map(str, command))}: {said.decode(errors='replace')}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


def refsched(*arguments: str | Path) -> Cost:
    return cost([sys.executable, "-m", "refsched", *arguments])


# --- Pods a second --------------------------------------------------------------------------------


def _requests(objects: Iterable[dict[str, Any]], pending: int) -> Iterable[dict[str, Any]]:
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


def files(folder: Path, nodes: int, pending: int, shape: str, running: int) -> Files:
    manifests, requests = [], []
    for count in (pending, 0):
        objects = list(cluster(nodes, count, shape, running))
        manifests.append(folder / f"manifests-{count}.json")
        manifests[-1].write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        requests.append(folder / f"requests-{count}.jsonl")
        requests[-1].write_text("".join(f"{json.dumps(each)}\n" for each in _requests(objects, count)))
    return Files((manifests[0], manifests[1]), (requests[0], requests[1]))


def ours(given: Files) -> float:
    whole, empty = (refsched("schedule", "-o", "json", "-f", path) for path in given.manifests)
    return whole.seconds - empty.seconds


def theirs(given: Files, program: Sequence[str]) -> float:
    whole, empty = (cost(program, path) for path in given.requests)
    return whole.seconds - empty.seconds


def pending_of(workload: str, nodes: int, most: int) -> int:
    shape, _, of_workload = WORKLOADS[workload]
    return min(most, of_workload, *([nodes] if shape in ONE_A_NODE else []))


def rates(
    nodes: int, pending: int, workload: str, rounds: int, seconds: float, program: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Pods a second of a core, of the specification and of the real one, by round. No round begins after so many
    seconds, but the first."""
    shape, running, _ = WORKLOADS[workload]
    pairs: list[tuple[float, float]] = []
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        given = files(Path(folder), nodes, pending, shape, running)
        while not pairs or (len(pairs) < rounds and time.monotonic() < until):
            pairs.append((ours(given), theirs(given, program)))
    return [pending / mine for mine, _ in pairs], [pending / real for _, real in pairs]


def versus(
    sizes: Sequence[int],
    workloads: Sequence[str],
    pending: int,
    rounds: int,
    seconds: float,
    program: Sequence[str],
) -> None:
    """``seconds`` are those of all rows; what one leaves is for the others."""
    print(
        "| nodes | workload | pods | refsched, pods/s | kube-scheduler, pods/s | ratio | least | most | rounds |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    until = time.monotonic() + seconds
    rows = [(nodes, workload) for nodes in sizes for workload in workloads]
    for left, (nodes, workload) in zip(range(len(rows), 0, -1), rows, strict=True):
        count = pending_of(workload, nodes, pending)
        share = (until - time.monotonic()) / left
        mine, real = rates(nodes, count, workload, rounds, share, program)
        ratios = [a / b for a, b in zip(mine, real, strict=True)]
        middle = (statistics.median(each) for each in (mine, real))
        cells = [f"{nodes:,}", workload, f"{count:,}", *(f"{each:.0f}" for each in middle)]
        cells += [f"{each:.2f}" for each in (statistics.median(ratios), min(ratios), max(ratios))]
        print(f"| {' | '.join(cells)} | {len(ratios)} |", flush=True)


# --- Dumps ----------------------------------------------------------------------------------------


def dump(path: Path, nodes: int, pending: int, running: int, output: str) -> Path:
    arguments = [str(nodes), str(pending), "--running", str(running), "--as-kubectl", "-o", output]
    with path.open("wb") as file:
        subprocess.run([sys.executable, HERE / "clusters.py", *arguments], stdout=file, check=True)
    return path


def recording(folder: Path, nodes: int, pending: int, running: int) -> Path:
    """What the specification does on such a cluster, as a trace."""
    objects = [{"apiVersion": "v1", "kind": "List", "items": list(cluster(nodes, pending, PLAIN, running))}]
    steps = [
        {"create": f"{each['kind']} {'default/' if each['kind'] == 'Pod' else ''}{each['metadata']['name']}"}
        for each in objects[0]["items"]
    ]
    written = json.dumps([*steps, {"schedule": pending}])
    scenario = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "refsched-scenario", "labels": {"refsched.dev/scenario": "steps"}},
        "data": {"steps": written},
    }
    path, trace = folder / "scenario.yaml", folder / "trace.jsonl.gz"
    path.write_text("".join(f"---\n{json.dumps(each)}\n" for each in (scenario, *objects[0]["items"])))
    refsched("record", "--impl", "refsched.reference", "--scenario", path, "--output", trace)
    return trace


def dumps(sizes: Sequence[int], pending: int, running: int) -> None:
    print("| nodes | objects | command | file | MB | s | MiB at most |")
    print("|---|---|---|---|---|---|---|")
    for nodes in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for output in ("json", "yaml") if nodes <= LARGEST_YAML else ("json",):
                path = dump(folder / f"dump.{output}", nodes, pending, running, output)
                _print_row(
                    nodes, running, pending, "schedule", path, refsched("schedule", "-o", "json", "-f", path)
                )
                explained = refsched("explain", "default/p0", "-o", "json", "-f", path)
                _print_row(nodes, running, pending, "explain", path, explained)
                path.unlink()
            trace = recording(folder, nodes, min(pending, 50), running)
            _print_row(nodes, running, min(pending, 50), "replay", trace, refsched("replay", trace))


def _print_row(nodes: int, running: int, pending: int, command: str, path: Path, found: Cost) -> None:
    objects = nodes * (1 + running) + pending
    size = path.stat().st_size / 1e6
    kind = path.name.partition(".")[2]
    cells = [f"{nodes:,}", f"{objects:,}", command, kind, f"{size:.0f}", f"{found.seconds:.1f}"]
    print(f"| {' | '.join(cells)} | {found.memory // MIB:,} |", flush=True)


# --- Where the time goes --------------------------------------------------------------------------


def profile(nodes: int, pending: int, workload: str) -> None:
    """Functions by their own time, of ``refsched schedule`` on such a cluster."""
    from refsched.tools.cli.main import cli

    shape, running, _ = WORKLOADS[workload]
    with tempfile.TemporaryDirectory() as folder:
        given = files(Path(folder), nodes, pending, shape, running)
        profiler = cProfile.Profile()
        arguments = ["schedule", "-o", "json", "-f", str(given.manifests[0])]
        with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing), suppress(SystemExit):
            profiler.runcall(cli, arguments, standalone_mode=False)
    stats: Any = pstats.Stats(profiler)
    whole = stats.total_tt
    print(f"{nodes:,} nodes, {pending:,} pods, {workload}: {whole:.1f} s under the profiler")
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
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=4, help="for all rows but those of dumps")
    parser.add_argument("--dumps", type=int, nargs="*", default=[300, 2000, 5000], metavar="NODES")
    parser.add_argument("--running", type=int, default=10, help="pods on each node of a dump")
    parser.add_argument("--pending", type=int, default=500, help="pods of a dump without a node")
    parser.add_argument("--against", metavar="COMMAND", help="that speaks the protocol; else the real one")
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    if given.profile:
        for nodes in given.nodes:
            for workload in given.workloads:
                profile(nodes, pending_of(workload, nodes, given.pods), workload)
        return
    if given.nodes:
        program = shlex.split(given.against) if given.against else [str(kube_scheduler())]
        versus(given.nodes, given.workloads, given.pods, given.rounds, given.minutes * 60, program)
    if given.dumps:
        dumps(given.dumps, given.pending, given.running)


if __name__ == "__main__":
    main()
