# SPDX-License-Identifier: Apache-2.0
"""Odd values: which of them have met in a decision that could have been another.

``python -m conformance.campaigns.odd_values`` draws what the default profile draws, and runs each history that has
odd values with them and without: if the attempts differ, the odd value has decided something. ``--missing`` lists
those that were drawn and have decided nothing, and the fields that rules read and for which there are none.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import click
from attrs import Factory, define

from conformance.campaigns.options import of_areas
from conformance.campaigns.pairs import fields_of
from conformance.strategies.odd_values import Odd, listener
from conformance.vocabulary.odd_values import has_row
from conformance.wrong.fields import EACH
from conformance.wrong.profile import histories_of, suite_tests
from refsched.objects.kinds import KINDS
from refsched.records import Attempt
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.adapters.connecting import connect
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import try_history


@define
class OddValueCounts:
    """OddValueCounts count by odd value the histories in which it was drawn, and in which it decided something."""

    drawn: Counter[Odd] = Factory(Counter)
    decided: Counter[Odd] = Factory(Counter)

    def count(self, adapter: Adapter, plain: History, odd: History, odds: Sequence[Odd]) -> None:
        """Runs a history without its odd values and with them, and counts these."""
        self.drawn.update(set(odds))
        if list(_attempts(adapter, plain)) != list(_attempts(adapter, odd)):
            self.decided.update(set(odds))


def _attempts(adapter: Adapter, history: History) -> Iterator[Attempt]:
    return (each.record for each in try_history(adapter, history).seen if isinstance(each.record, Attempt))


def without_row() -> list[str]:
    """Returns the fields that rules read and that have no odd values, nor any that holds them."""
    names = (
        ".".join((kind.name, *path)).replace(f".{EACH}", EACH)
        for kind in KINDS
        for path in fields_of(kind.name)
    )
    return sorted({name for name in names if not has_row(name)})


@click.command()
@of_areas
@click.option("--seed", default="0", show_default=True, help="As pytest's --hypothesis-seed.")
@click.option("--missing", is_flag=True, help="List what has decided nothing.")
def main(areas: tuple[str, ...], seed: str, missing: bool) -> None:
    """Counts the odd values that decide something in histories of the default profile."""
    tests = [test for test in suite_tests() if test.draws and (test.area in areas or not areas)]
    if not tests:
        raise click.UsageError("no test of these areas draws a history")
    met, heard = OddValueCounts(), list[tuple[History, History, Sequence[Odd]]]()
    listener.set(lambda plain, odd, odds: heard.append((plain, odd, odds)))
    with connect("refsched.reference", in_process=True) as adapter:
        for test in tests:
            histories_of(test, seed)
            for plain, odd, odds in heard:
                met.count(adapter, plain, odd, odds)
            heard.clear()
    for each in sorted(met.drawn, key=lambda odd: (odd.field, odd.name)):
        if not missing or not met.decided[each]:
            click.echo(f"{met.decided[each]:5} of {met.drawn[each]:5}  {each.field} {each.name}")
    click.echo(f"{len(+met.decided)} of {len(met.drawn)} odd values that were drawn have decided something")
    if missing:
        click.echo("no odd values: " + ", ".join(without_row()))


if __name__ == "__main__":
    sys.exit(main())
