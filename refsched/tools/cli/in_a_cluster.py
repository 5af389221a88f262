# SPDX-License-Identifier: Apache-2.0
"""The commands that work in a real cluster: run and watch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from refsched.tools.cli.options import feature_gates_option, kubernetes_option
from refsched.tools.cli.scheduler_options import of_the_scheduler

if TYPE_CHECKING:
    from refsched.tools.running.setting_up import Options


@click.command()
@click.option("--kubeconfig", required=True, metavar="FILE", help="How the API server is reached.")
@click.option(
    "--scheduler-name",
    default="",
    metavar="NAME",
    help="The pods with this name in spec.schedulerName are scheduled; by default refsched. So is the lease"
    " called.",
)
@click.option(
    "--config",
    metavar="FILE",
    help="The KubeSchedulerConfiguration, whose profiles name the schedulers; without it, the default one.",
)
@kubernetes_option
@feature_gates_option
@click.option(
    "--shadow",
    is_flag=True,
    help="Say what the specification would decide beside the scheduler NAME (then by default default-scheduler),"
    " and where that differs. Nothing is written.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Which choice is made.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="json: a JSON object on each line, which is a record of docs/protocol.md, or a decision beside which the"
    " specification stood.",
)
def run(
    kubeconfig: str,
    scheduler_name: str,
    config: str | None,
    kubernetes: str,
    feature_gates: str,
    shadow: bool,
    seed: int,
    output: str,
) -> None:
    """Schedule pods in a real cluster, as the specification says.

    It reads the cluster by watches, binds pods, writes conditions and nominations, deletes victims, and binds
    volumes and devices. One process of each name does so at a time: it holds the lease NAME in the namespace
    kube-system, and ends when it cannot renew it, unless the configuration has leaderElect: false. Needs
    refsched[cluster]. Exit code: 0 if a signal has ended it, 1 if it lost its lease or a shadow saw a
    difference, 2 if the input is bad.
    """
    from refsched.objects.pod import DEFAULT_SCHEDULER_NAME
    from refsched.tools.cli import run as commands

    name = scheduler_name or (DEFAULT_SCHEDULER_NAME if shadow else "refsched")
    options = commands.options_of(kubernetes, feature_gates, config, name, seed)
    begin = commands.shadow if shadow else commands.run
    sys.exit(begin(kubeconfig, options, as_json=output == "json"))


@click.command()
@click.option("--kubeconfig", required=True, metavar="FILE", help="How the API server is reached.")
@of_the_scheduler
def watch(
    kubeconfig: str,
    form: str,
    output: str,
    options: Options,
) -> None:
    """Write down what can be seen of a scheduler's work in a cluster, as a trace.

    The objects that scheduling reads are written as watches show them, and of each attempt the node, or the
    reason and the nomination; what the scheduler thought of other nodes cannot be seen. An attempt that leaves a
    pod as it was is seen by its Event. `refsched replay` judges the trace. It ends with SIGINT or SIGTERM, and
    writes nothing to the cluster. Needs refsched[cluster]. Exit code: 0 if a signal has ended it, 2 if the
    input is bad.
    """
    from refsched.tools.cli import run as commands

    sys.exit(commands.watch(kubeconfig, output, options, as_json=form == "json"))
