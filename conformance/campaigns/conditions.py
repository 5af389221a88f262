# SPDX-License-Identifier: Apache-2.0
"""Conditions: which of their parts decide alone in what the suite tries, which bounds are met exactly, and which
loops have a second item.

``python -m conformance.campaigns.conditions`` runs the cases, the chosen histories and what the default profile
draws. Who forgets a part of a condition is right wherever another part decides as well, and who takes "less" for
"at most" is right wherever two numbers differ; who takes the first item for all is right wherever there is no
other. Such a mistake is found only by a history in which the part decides alone, the bound is met, or the second
item is asked for. So it is with items that are left out, sets that are joined, members of which one is read for
another, and guards (``conformance/wrong/noting.py``). ``--missing`` lists the mutants for which there is none:
either nothing can show them, as where a part only guards another one, or they are a gap in what is drawn.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator

import click

from conformance.wrong.mutants import all_mutants
from conformance.wrong.noting import connect_noting, is_noted
from conformance.wrong.profile import SEED
from conformance.wrong.trying import applicable_tests, one_by_one
from refsched.mistakes.mutation import Mutant
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import try_history


def met_by(
    mutants: Iterable[Mutant], histories: Iterable[History] | None = None, seed: str = SEED
) -> Counter[str]:
    """Returns, by name of a mutant, in how many of these histories it would go another way; without any, of those
    of the default profile with this seed. Raises RuntimeError if the specification that notes decides otherwise,
    as where it calls what changes something (noting.py)."""
    adapter, take = connect_noting(mutants)
    met: Counter[str] = Counter()
    with adapter:
        for history in _of_the_profile(adapter, seed) if histories is None else histories:
            findings = try_history(adapter, history).findings
            if findings:
                raise RuntimeError(
                    f"what is noted changes what is decided: {findings[0].rule}, {findings[0].member}"
                )
            met.update(take())
    return met


def _of_the_profile(adapter: Adapter, seed: str) -> Iterator[History]:
    tests = [test for test in applicable_tests(adapter) if not test.recorded]
    return (history for _, history in one_by_one(tests, seed))


@click.command()
@click.option("--seed", default=SEED, show_default=True, help="As pytest's --hypothesis-seed.")
@click.option("--module", default="", metavar="PREFIX", help="Only modules of such a name, as plugins.taint.")
@click.option("--missing", is_flag=True, help="List the mutants that would never go another way.")
def main(seed: str, module: str, missing: bool) -> None:
    """Counts the mutants that would go another way in some history of the default profile."""
    mutants = [mutant for mutant in all_mutants() if is_noted(mutant) and mutant.name.startswith(module)]
    if not mutants:
        raise click.UsageError(f"there is no such mutant of a module {module!r}")
    met = met_by(mutants, seed=seed)
    for mutant in mutants if missing else ():
        if mutant.name not in met:
            click.echo(f"{mutant.name}  {mutant.diff}")
    click.echo(f"{len(met)} of {len(mutants)} mutants would go another way in some history")


if __name__ == "__main__":
    sys.exit(main())
