# SPDX-License-Identifier: Apache-2.0
"""Mutants: the specification, changed in one place by an operator (``refsched/mistakes/operators.py``)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from conformance.wrong.forking import Forked, import_again
from conformance.wrong.profile import areas_about
from conformance.wrong.sampling import drawn_evenly
from refsched.mistakes.mutation import Mutant, compiled, mutants_of
from refsched.mistakes.planting import Change
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.catalogue.rules import all_rules

TIMEOUT = 10.0
"""The seconds within which an answer must arrive."""

PACKAGES = (
    *("cache", "cel", "cycle", "devices", "extenders", "framework", "machine", "objects", "oddities"),
    *("plugins", "preemption", "queue", "releases", "volumes"),
)
"""The packages of refsched that are mutated, each as much as any other."""

_ROOT = Path(__file__).parents[2]


# --- Which there are ------------------------------------------------------------------------------


def modules() -> Iterator[str]:
    """Yields the names of the modules that are mutated."""
    for package in PACKAGES:
        for path in sorted((_ROOT / "refsched" / package).rglob("*.py")):
            if path.name != "__init__.py":
                yield ".".join(path.relative_to(_ROOT).with_suffix("").parts)


@cache
def all_mutants() -> tuple[Mutant, ...]:
    """Returns every mutant of every module, in the order of modules."""
    return tuple(mutant for module in modules() for mutant in mutants_of(module, source_of(module)))


def source_of(module: str) -> str:
    return path_of(module).read_text("utf-8")


def path_of(module: str) -> Path:
    return _ROOT.joinpath(*module.split(".")).with_suffix(".py")


def sample() -> list[Mutant]:
    """Returns all mutants in the order of which a sample takes the first."""
    return drawn_evenly(all_mutants(), PACKAGES, package_of)


def package_of(name: str) -> str:
    """Returns the package of refsched to which the mutant of this name belongs."""
    return name.partition(".")[0]


def areas_near(module: str) -> tuple[str, ...]:
    """Returns the areas of the tests that are there to decide a rule of this module, or else of its package."""
    package = module.rpartition(".")[0]
    of_module = areas_about([rule.id for rule in all_rules().values() if rule.module == module])
    return of_module or areas_about(
        [rule.id for rule in all_rules().values() if rule.module.startswith(package)]
    )


# --- One mutant -----------------------------------------------------------------------------------


def mutant_named(name: str) -> Mutant | None:
    """Returns the mutant of this name, or None if there is none."""
    module = f"refsched.{name.partition(':')[0]}"
    if module not in modules():
        return None
    return next((one for one in mutants_of(module, source_of(module)) if one.name == name), None)


def change_to(mutant: Mutant) -> Change:
    """Returns what makes the mutant of the source of its module."""
    return lambda source: compiled(source, mutant.name, mutant.module, str(path_of(mutant.module)))


def kubernetes_of(mutant: Mutant) -> str:
    """Returns the name of the release to which the module of this mutant belongs, or of the newest."""
    parts = mutant.module.split(".")
    return next((name for name in RELEASES if f"v{name.replace('.', '_')}" in parts), DEFAULT.name)


def connect_mutant(mutant: Mutant) -> Adapter:
    """Returns the mutant in a process of its own. It decides by its release."""
    changes = {mutant.module: change_to(mutant)}
    serves = Forked(lambda: import_again(changes), TIMEOUT)
    return Adapter(mutant.name, serves, kubernetes_of(mutant))
