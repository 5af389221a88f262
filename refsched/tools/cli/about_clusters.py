# SPDX-License-Identifier: Apache-2.0
"""The commands about a cluster: schedule, explain, capacity, upgrade and what-if."""

from __future__ import annotations

import sys
from typing import Any

import click
from attrs import evolve

from refsched.tools.cli.options import (
    cluster_options,
    files_option,
    gates_from,
    namespace_option,
    nodes_options,
    output_option,
)


@click.command()
@cluster_options
@namespace_option
def schedule(output: str, namespace: str, **given: Any) -> None:
    """Place every pending pod of a cluster, or say why it fits nowhere.

    Pods that fail for the same reasons are listed together. With -n every pending pod is placed, and those of this
    namespace are listed.

    Pods are tried in the order of the queue: by priority, and then by age. Time moves on by itself until nothing
    changes any more. Victims of preemption are deleted, and nothing comes in their place; volumes are bound
    and provisioned. Exit code: 0 if every pending pod was placed, 1 if not, 2 if the input is bad.
    """
    from refsched.tools.cli.inputs import InputOptions
    from refsched.tools.cli.schedule import schedule as run

    sys.exit(run(InputOptions(**given), output, namespace))


@click.command()
@click.argument("pod", metavar="[NAMESPACE/]POD")
@cluster_options
@namespace_option
@nodes_options
def explain(pod: str, output: str, namespace: str, nodes: bool, node: str, **given: Any) -> None:
    """Explain why a pod goes where it goes, and why not elsewhere; or why it fits nowhere, and what would help.

    Of a pod that fits nowhere the first line after its name says why, then come the reasons with the number of
    nodes of each, and what would help: each change was tried, by deciding again.

    The pod is decided against the cluster as it is given: other pending pods are not placed first, but count
    where they are nominated. A pod that runs already is decided as if it did not run. Of a trace (.jsonl), as the
    suite writes one of each failure, the pod's last attempt is explained, with the trace's configuration. Exit
    code: 0 if the pod would be placed, 1 if not, 2 if the input is bad.
    """
    from refsched.tools.cli.explain import explain as run
    from refsched.tools.cli.inputs import InputOptions

    listed = node or ("*" if nodes else "")
    sys.exit(run(InputOptions(**given), pod, output, namespace=namespace, listed=listed))


@click.command()
@click.option(
    "--pod",
    required=True,
    metavar="FILE|[NAMESPACE/]POD",
    help="The pod: a file with its manifest or a workload's, or one of the cluster.",
)
@click.option(
    "--at-most", type=click.IntRange(1), default=10_000, show_default=True, help="Count no further than this."
)
@cluster_options
@namespace_option
def capacity(pod: str, at_most: int, output: str, namespace: str, **given: Any) -> None:
    """Say how many more pods like this one fit, on which nodes, and what stops the next one.

    One pod after the other is scheduled by the real rules, so that spread and affinity count. Other pending pods
    are not placed first, and no pod is evicted. Exit code: 0 if one more fits, 1 if none does, 2 if the
    input is bad.
    """
    from refsched.tools.cli.capacity import capacity as run
    from refsched.tools.cli.inputs import InputOptions

    sys.exit(run(InputOptions(**given), pod, output, namespace=namespace, at_most=at_most))


@click.command()
@files_option
@click.option("--from", "before", required=True, metavar="RELEASE", help="The release that runs now.")
@click.option("--to", "after", required=True, metavar="RELEASE", help="The release to upgrade to.")
@click.option(
    "--config-from", metavar="FILE", help="The KubeSchedulerConfiguration of the release that runs now."
)
@click.option("--config-to", metavar="FILE", help="The KubeSchedulerConfiguration of the other release.")
@gates_from
@click.option(
    "--gate",
    "gates",
    multiple=True,
    metavar="G=false",
    help="Set a feature gate of the release to upgrade to.",
)
@click.option("--pods", is_flag=True, help="List the pods of each cause.")
@output_option
def upgrade(
    files: tuple[str, ...],
    before: str,
    after: str,
    config_from: str | None,
    config_to: str | None,
    gates_now: tuple[str, ...],
    gates: tuple[str, ...],
    pods: bool,
    output: str,
) -> None:
    """Say why another release of Kubernetes would place pods of a cluster differently, cause by cause.

    Each pod is decided by itself against the cluster as it is given; a pod that runs is decided as if it did not
    run. What preemption would do is not compared. Every cause was confirmed: with it alone taken back, the pod
    goes where it went. Exit code: 0 if every pod may go to the same nodes, 1 if
    not, 2 if the input is bad.
    """
    from refsched.tools.cli.inputs import InputOptions
    from refsched.tools.cli.upgrade import upgrade as run

    now = InputOptions(files, config_from, ",".join(gates_now), before, 0, "--from", "--gate-from")
    then = InputOptions(files, config_to, ",".join(gates), after, 0, "--to", "--gate")
    sys.exit(run(now, then, output, pods=pods))


@click.command("what-if")
@files_option
@click.option("--from", "now", default="", metavar="RELEASE", help="The release that runs now.")
@click.option("--config-from", metavar="FILE", help="The KubeSchedulerConfiguration that is used now.")
@click.option("--kubernetes", default="", metavar="RELEASE", help="Upgrade to this release.")
@click.option("--config", metavar="FILE", help="Use this KubeSchedulerConfiguration.")
@gates_from
@click.option("--gate", "gates", multiple=True, metavar="G=false", help="Set a feature gate.")
@click.option("--cordon", multiple=True, metavar="NODE", help="Cordon a node.")
@click.option("--drain", multiple=True, metavar="NODE", help="Cordon a node, and move its pods.")
@click.option(
    "--delete-node", multiple=True, metavar="NODE", help="Delete a node; its pods are created anew."
)
@click.option("--add-node", multiple=True, metavar="FILE|like:NODE[:COUNT]", help="Add nodes.")
@click.option("--add-pod", multiple=True, metavar="FILE[:COUNT]", help="Add pods.")
@click.option("--scale", multiple=True, metavar="KIND/NAME=COUNT", help="Give a controller COUNT pods.")
@click.option(
    "--seeds", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many seeds are tried."
)
@click.option("--pods", is_flag=True, help="List all pods.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "json", "yaml", "html"]),
    default="table",
    show_default=True,
)
def what_if(
    files: tuple[str, ...],
    now: str,
    config_from: str | None,
    kubernetes: str,
    config: str | None,
    gates_now: tuple[str, ...],
    gates: tuple[str, ...],
    seeds: int,
    pods: bool,
    output: str,
    **edits: Any,
) -> None:
    """Say what a change does to a cluster, over many seeds: which pods are placed always, sometimes or never.

    For each seed every pending pod is placed, as by `refsched schedule`, before the change and after it, with the
    same choices among equals, and with searches that start at the same node. Pods that have to leave their node,
    and victims of preemption, ask for a place again. Each option may be given more than once. Exit code: 0 if
    no pod goes elsewhere under every seed, 1 if one does, 2 if the input is bad.
    """
    from refsched.releases import DEFAULT
    from refsched.tools.cli.inputs import InputOptions
    from refsched.tools.cli.what_if import Edits, run

    now = now or DEFAULT.name
    before = InputOptions(files, config_from, ",".join(gates_now), now, 0, "--from", "--gate-from")
    after = evolve(
        before,
        config=config or config_from,
        feature_gates=",".join((*gates_now, *gates)),
        kubernetes=kubernetes or now,
        release_option="--kubernetes",
        gates_option="--gate",
    )
    sys.exit(run(before, after, Edits(**edits), seeds, output, pods=pods))


ABOUT_CLUSTERS = (schedule, explain, capacity, upgrade, what_if)
