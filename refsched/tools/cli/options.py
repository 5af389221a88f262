# SPDX-License-Identifier: Apache-2.0
"""Options that commands of ``refsched`` have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

DUMPED = (
    "nodes,pods,namespaces,services,replicationcontrollers,replicasets,statefulsets,priorityclasses,"
    "poddisruptionbudgets,persistentvolumes,persistentvolumeclaims,storageclasses,csinodes,csidrivers,"
    "csistoragecapacities,volumeattachments,resourceclaims,resourceclaimtemplates,resourceslices,deviceclasses"
)
"""These are the kinds that scheduling reads and that every release serves, as kubectl names them. DeviceTaintRule
is not among them: before 1.37 it is not served by default, and kubectl prints nothing if it does not know a
kind."""

KUBECTL = f"kubectl get {DUMPED} -A -o yaml"
"""This command prints all that can matter."""

Command = TypeVar("Command", bound=Callable[..., None])

of_implementation = click.option(
    "--impl",
    "implementation",
    required=True,
    metavar="WHAT",
    help="A Python module, exec:COMMAND, or kube-scheduler (docs/adapters.md).",
)

files_option = click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="What kubectl prints: a file, a folder, or - for standard input."
    f" {KUBECTL} prints all that can matter; objects of a kind that is left out do not count."
    " May be given more than once.",
)
namespace_option = click.option(
    "-n",
    "--namespace",
    default="",
    metavar="NAMESPACE",
    help="The namespace of the pod, or of the pods that are listed.",
)
gates_from = click.option(
    "--gate-from",
    "gates_now",
    multiple=True,
    metavar="G=false",
    help="A feature gate as it is set now. May be given more than once.",
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "json", "yaml"]),
    default="table",
    show_default=True,
)


kubernetes_option = click.option(
    "--kubernetes",
    default="",
    metavar="RELEASE",
    help="The release of Kubernetes whose rules decide; by default the newest one specified.",
)
feature_gates_option = click.option(
    "--feature-gates", default="", metavar="A=true,...", help="As in kube-scheduler's option of this name."
)
trace_option = click.option("--output", required=True, metavar="FILE", help="Ends in .jsonl or .jsonl.gz.")

what_is_printed = click.option(
    "-o",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="json: what was written, as a JSON object.",
)


def json_option(command: Command) -> Command:
    """Adds ``-o json``, and ``--json``, which says the same and is not shown any more."""
    flag = click.option("--json", "as_json", is_flag=True, hidden=True)
    output = click.option(
        "-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True
    )
    return flag(output(command))


def cluster_options(command: Command) -> Command:
    """Adds the options that the commands about a cluster have in common."""
    options = (
        files_option,
        click.option(
            "--config", metavar="FILE", help="The KubeSchedulerConfiguration; without it, the default one."
        ),
        click.option(
            "--seed",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="Which choice is made where kube-scheduler allows more than one; the same seed makes the"
            " same choices.",
        ),
        feature_gates_option,
        kubernetes_option,
        output_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


def nodes_options(command: Command) -> Command:
    """Adds the options that say which nodes are listed one by one."""
    by_name = click.option("--node", default="", metavar="GLOB", help="List the nodes of such a name only.")
    all_of_them = click.option("--nodes", is_flag=True, help="List every node.")
    return all_of_them(by_name(command))
