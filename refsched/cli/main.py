# SPDX-License-Identifier: Apache-2.0
"""``refsched``: the commands, and the exit codes that they share.

0 agreed or passed, 1 disagreed or failed, 2 could not be judged (bad input).
"""

from __future__ import annotations

import sys

import click

from refsched.errors import InputError

AGREED = 0
DISAGREED = 1
NOT_JUDGED = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="refsched")
def cli() -> None:
    """How kube-scheduler decides, as a specification that runs."""


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of a line for each file."
)
def replay(paths: tuple[str, ...], as_json: bool) -> None:
    """Replay recorded traces: does the specification allow what was recorded?

    FILE is a trace (.jsonl or .jsonl.gz), or a folder with traces below it.
    """
    from refsched.cli.replay import replay as run

    sys.exit(run(paths, as_json=as_json))


def main() -> None:
    """The entry point: an InputError is told in one line."""
    try:
        cli.main(standalone_mode=True)
    except InputError as error:
        click.echo(f"refsched: {error}", err=True)
        sys.exit(NOT_JUDGED)
