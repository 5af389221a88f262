# SPDX-License-Identifier: Apache-2.0
"""The commands that make traces of what others have recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from refsched.tools.cli.scheduler_options import of_the_scheduler

if TYPE_CHECKING:
    from refsched.tools.running.setting_up import Options

of_the_cluster_before = click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    metavar="FILE",
    help="What kubectl printed of the cluster when the recording began. May be given more than once.",
)


@click.group("import")
def import_group() -> None:
    """Make a trace of what has been recorded already.

    The trace has what can be known from outside, as `refsched watch` writes it, and `refsched replay` judges it.
    What a recording does not show is left out, and said on standard error (docs/importing.md).
    """


@import_group.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@of_the_cluster_before
@of_the_scheduler
def audit(
    paths: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    output: str,
    options: Options,
) -> None:
    """Import audit logs of kube-apiserver.

    FILE has an Event of audit.k8s.io/v1 on each line (.gz if it is compressed); more than one file are one log.
    What scheduling reads, and pods/binding, should be logged at level RequestResponse. Exit code: 0 if the
    trace was written, 2 if it could not be.
    """
    from refsched.tools.cli import importing

    importing.audit(paths, files, output, options, as_json=form == "json")


@import_group.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@of_the_cluster_before
@of_the_scheduler
def simulator(
    paths: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    output: str,
    options: Options,
) -> None:
    """Import what kube-scheduler-simulator has written.

    FILE is what its recorder has written, an export, or what kubectl prints of its cluster. The results of filters
    and scores are in the trace, as far as annotations of the pods have them, and are judged too. Exit code: 0
    if the trace was written, 2 if it could not be.
    """
    from refsched.tools.cli import importing

    importing.simulator(paths, files, output, options, as_json=form == "json")


@import_group.command()
@click.argument("path", metavar="FILE")
@of_the_cluster_before
@click.option("--output", required=True, metavar="FILE", help="A scenario, as .yaml.")
def simkube(path: str, files: tuple[str, ...], output: str) -> None:
    """Import a trace of SimKube as a scenario.

    FILE is what sk-tracer has exported (needs refsched[simkube]), or the same as JSON. It has what was applied and
    deleted, but no node and no decision: `-f` gives the nodes, and `refsched record --scenario` shows what a
    scheduler decides. Exit code: 0 if the scenario was written, 2 if it could not be.
    """
    from refsched.tools.cli import importing

    importing.simkube(path, files, output)
