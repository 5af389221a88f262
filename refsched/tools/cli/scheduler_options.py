# SPDX-License-Identifier: Apache-2.0
"""The options of commands that write down what a scheduler has decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from refsched.tools.cli.options import (
    feature_gates_option,
    kubernetes_option,
    trace_option,
    what_is_printed,
)


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
        trace_option,
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
        kubernetes_option,
        feature_gates_option,
    )
    made: Callable[..., None] = with_options
    for option in reversed(options):
        made = option(made)
    return made
