# SPDX-License-Identifier: Apache-2.0
"""The options that campaigns share."""

from __future__ import annotations

import click

from conformance.strategies import AREAS

NO_SEEDS = "{!r} is neither a seed, such as 7, nor a range of seeds, such as 100-199"

of_areas = click.option(
    "--area",
    "areas",
    multiple=True,
    type=click.Choice(tuple(AREAS)),
    metavar="AREA",
    help="Only tests about these areas.  [default: all]",
)


def seeds_in(text: str) -> list[int]:
    """Returns the seeds of ``7`` or ``100-199``, and none if the text is neither."""
    first, dash, last = text.partition("-")
    try:
        return list(range(int(first), int(last if dash else first) + 1))
    except ValueError:
        return []


def read_seeds(context: click.Context, option: click.Parameter, value: str) -> list[int]:
    """Reads seeds. Raises BadParameter if there are none."""
    found = seeds_in(value)
    if not found:
        raise click.BadParameter(NO_SEEDS.format(value))
    return found
