# SPDX-License-Identifier: Apache-2.0
"""The options of commands that write down what a scheduler has decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from refsched.tools.cli.options import what_is_printed


def of_the_scheduler(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that say whose decisions are written down, and where. The command is given those that say
    by what a scheduler decides as ``options``."""

    @wraps(command)
    def with_options(
        *, scheduler_name: str, config: str | None, kubernetes: str, feature_gates: str, **others: Any
    ) -> None:
        from refsched.tools.cli.run import options_of

        command(**others, options=options_of(kubernetes, feature_gates, config, scheduler_name, 0))

    options = (
        what_is_printed,
        click.option("--output", required=True, metavar="FILE", help="Ends in .jsonl or .jsonl.gz."),
        click.option(
            "--scheduler-name",
            default="default-scheduler",
            show_default=True,
            metavar="NAME",
            help="The scheduler whose decisions are written down.",
        ),
        click.option(
            "--config",
            metavar="FILE",
            help="Its KubeSchedulerConfiguration, whose profiles name it; without it, the default one.",
        ),
        click.option("--kubernetes", default="", metavar="RELEASE", help="The release by which it decides."),
        click.option(
            "--feature-gates",
            default="",
            metavar="A=true,...",
            help="As in kube-scheduler's option of this name.",
        ),
    )
    made: Callable[..., None] = with_options
    for option in reversed(options):
        made = option(made)
    return made
