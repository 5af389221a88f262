# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.mutating.mutants``: the specification, changed in one place by an operator.

With a NAME it serves that mutant over the wire; ``--list`` prints the names of all mutants; ``--run`` runs the
default profile against a sample, and writes the results to a file and to a page.
"""

from __future__ import annotations

import hashlib
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from types import CodeType

from refsched.mistakes.mutation import Mutant, compiled, mutants_of
from refsched.mistakes.planting import plant

SEED = "0"
"""Of the sample, unless another one is asked for."""

_ROOT = Path(__file__).parents[3]

GROUPS = {
    "plugins": ("plugins", "objects.resources", "objects.selectors", "objects.quantity"),
    "queue": ("queue", "machine.event_handlers"),
    "cache": ("cache", "framework.node_info", "framework.snapshot"),
    "cycle": ("cycle", "framework", "machine.scheduler"),
    "preemption": ("preemption", "oddities.fixed_orders", "oddities.go_sort"),
    "binding": ("binding",),
    "volumes": ("volumes",),
    "dra": ("devices", "cel"),
}
"""What is sampled evenly, and the modules and packages of refsched that belong to each; of two the longer one."""

_EARLIER = re.compile(r"\.v\d+_\d+\b")
_IN_ANOTHER_GROUP = {
    "plugins.default_preemption": "preemption",
    "plugins.default_binder": "binding",
    "plugins.node_volume_limits": "volumes",
    "plugins.volume_binding": "volumes",
    "plugins.volume_restrictions": "volumes",
    "plugins.volume_zone": "volumes",
    "plugins.dynamic_resources": "dra",
}

NEAREST: dict[str, tuple[str, ...]] = {
    "plugins": ("resources", "config", "spread", "pod_affinity", "requeued"),
    "queue": ("queue", "anything", "lifecycle", "faults", "events"),
    "cache": ("lifecycle", "anything", "many", "faults", "resources", "churn"),
    "cycle": ("config", "nominated", "faults", "mixed", "many"),
    "preemption": ("preemption", "nominated", "preempt_flow"),
    "binding": ("permit", "faults", "anything"),
    "volumes": ("volumes", "attached", "disks", "claims", "limits", "assumed_volumes"),
    "dra": ("devices", "multiple_claims", "dra", "allocations"),
    "plugins.node_affinity": ("node_affinity",),
    "plugins.node_name": ("node_affinity",),
    "plugins.inter_pod_affinity": ("pod_affinity",),
    "plugins.pod_topology_spread": ("spread", "spread_policies"),
    "plugins.topology_counts": ("spread",),
    "plugins.default_selector": ("spread",),
    "plugins.taint_toleration": ("taints",),
    "plugins.node_unschedulable": ("taints",),
    "plugins.node_ports": ("ports", "ports_ips"),
    "plugins.image_locality": ("images", "image_churn"),
    "plugins.node_volume_limits": ("limits",),
    "plugins.scheduling_gates": ("queue",),
    "plugins.priority_sort": ("queue",),
    "queue.cluster_events": ("queue", "extenders"),
    "queue.hint_table": ("queue", "extenders"),
    "plugins.default_preemption": ("preemption", "extenders"),
    "preemption.extenders": ("extenders",),
    "oddities.fixed_orders": ("preemption", "volumes"),
    "oddities.go_sort": ("preemption",),
    "preemption.pick": ("preemption", "extenders"),
    "objects.selectors": ("node_affinity", "spread", "pod_affinity"),
    "framework.node_info": ("ports", "ports_ips", "resources", "nominated"),
    "cache.cache": ("images", "image_churn"),
    "cycle.decide": ("node_affinity",),
}
"""Areas whose tests are tried first, by group or by the beginning of a module's name."""


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    if options.list:
        for mutant in all_mutants():
            print(f"{mutant.name}  {mutant.diff}")
        return 0
    if options.run:
        from conformance.wrong.running.mutant_runs import run

        return run(options)
    if len(options.names) == 1 and (module := module_of(options.names[0])) is not None:
        serve_mutant(module, options.names[0])
        return 0
    print(f"there is no mutant {' '.join(options.names)!r}", file=sys.stderr)
    return 2


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m conformance.wrong.mutating.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="the mutant to serve, or those to try")
    parser.add_argument("--list", action="store_true", help="list all mutants, each with what it changes")
    parser.add_argument("--run", action="store_true", help="try the default profile on mutants")
    parser.add_argument("--sample", type=int, default=500, help="how many of them (default: 500)")
    parser.add_argument("--seed", default=SEED, help=f"of the sample (default: {SEED})")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument(
        "--scheduler", metavar="tcp://…", help="share the work among the workers of this Dask scheduler"
    )
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds for one (default: 20)")
    parser.add_argument("--again", action="store_true", help="try those too that the file of --json knows")
    parser.add_argument(
        "--reach", type=Path, help="keep which lines each history runs here, for the next run"
    )
    parser.add_argument("--learn", action="store_true", help="learn which lines each history runs")
    parser.add_argument("--json", type=Path, help="keep what became of them here, beside what is there")
    parser.add_argument("--page", type=Path, help="write the results as a page here, as in docs/mutants.md")
    return parser.parse_args(arguments)


# --- Which there are ------------------------------------------------------------------------------


def modules() -> Iterator[str]:
    """Those of refsched that are mutated."""
    for path in sorted((_ROOT / "refsched").rglob("*.py")):
        name = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
        if path.name != "__init__.py" and _owners(name):
            yield name


@cache
def all_mutants() -> tuple[Mutant, ...]:
    return tuple(mutant for module in modules() for mutant in mutants_of(module, source_of(module)))


def source_of(module: str) -> str:
    return path_of(module).read_text("utf-8")


def path_of(module: str) -> Path:
    return _ROOT.joinpath(*module.split(".")).with_suffix(".py")


def module_of(name: str) -> str | None:
    """The module of the mutant of this name."""
    module = f"refsched.{name.partition(':')[0]}"
    if module in modules() and any(one.name == name for one in mutants_of(module, source_of(module))):
        return module
    return None


def group_of(module: str) -> str:
    short = module.removeprefix("refsched.")
    return _IN_ANOTHER_GROUP.get(short) or max(_owners(module))[1]


def _owners(module: str) -> list[tuple[int, str]]:
    short = module.removeprefix("refsched.")
    return [
        (len(prefix), group)
        for group, prefixes in GROUPS.items()
        for prefix in prefixes
        if short == prefix or short.startswith(f"{prefix}.")
    ]


def areas_near(module: str) -> tuple[str, ...]:
    """Of a module of an earlier release those too that are near to the one of the same name."""
    short = module.removeprefix("refsched.")
    of_now = _EARLIER.sub("", short)
    nearest = [areas for prefix, areas in NEAREST.items() if "." in prefix and of_now.startswith(prefix)]
    if of_now != short:
        nearest.append(("earlier_plugins",))
    return (*(area for areas in nearest for area in areas), *NEAREST[group_of(module)])


def sample(size: int, seed: str = SEED) -> list[Mutant]:
    """As many of each group as of any other, where there are that many. A larger sample of one seed holds each
    smaller one."""
    drawn: dict[str, list[Mutant]] = {group: [] for group in GROUPS}
    for mutant in sorted(all_mutants(), key=partial(_lot, seed)):
        drawn[group_of(mutant.module)].append(mutant)
    turns = max(len(mutants) for mutants in drawn.values())
    evenly = [mutants[turn] for turn in range(turns) for mutants in drawn.values() if turn < len(mutants)]
    return evenly[:size]


def _lot(seed: str, mutant: Mutant) -> bytes:
    return hashlib.sha256(f"{seed} {mutant.name}".encode()).digest()


# --- Serving --------------------------------------------------------------------------------------


def plant_mutant(module: str, name: str) -> None:
    def change(source: str) -> CodeType:
        return compiled(source, name, module, str(path_of(module)))

    plant(module, change)


def serve_mutant(module: str, name: str) -> None:
    """Nothing of refsched is imported before the mutant is in place."""
    plant_mutant(module, name)
    from refsched import reference
    from refsched.tools.serving import serve

    serve(reference.create, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
