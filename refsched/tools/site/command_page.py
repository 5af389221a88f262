# SPDX-License-Identifier: Apache-2.0
"""Command page: what each command says of itself."""

from __future__ import annotations

from collections.abc import Iterator

import click

from refsched.tools.cli.main import cli
from refsched.tools.site.markdown import block, page

WIDTH = 100


def command_page() -> str:
    return page(
        "# The command line",
        "`refsched` has these commands. Exit codes: 0 agreed, passed or placed; 1 disagreed, failed or not placed;"
        " 2 if something could not be judged, such as bad input.",
        *_commands(),
    )


def _commands() -> Iterator[str]:
    group = click.Context(cli, info_name="refsched", max_content_width=WIDTH, terminal_width=WIDTH)
    for name in cli.list_commands(group):
        command = cli.get_command(group, name)
        if command is not None:
            inner = click.Context(
                command, info_name=name, parent=group, max_content_width=WIDTH, terminal_width=WIDTH
            )
            yield f"## refsched {name}"
            yield block(command.get_help(inner))
