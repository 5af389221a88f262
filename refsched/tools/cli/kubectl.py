# SPDX-License-Identifier: Apache-2.0
"""``kubectl refsched``: the commands about a cluster, with the cluster of the current context.

What they read is what ``kubectl get -o json`` prints. Kinds that the cluster does not serve are left out, since
kubectl prints nothing if one of those asked for is unknown. Nothing is kept.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from refsched.errors import InputError
from refsched.tools.cli.about_clusters import ABOUT_CLUSTERS, capacity, explain
from refsched.tools.cli.main import main
from refsched.tools.cli.options import DUMPED
from refsched.tools.cli.progress import progress

KINDS = (*DUMPED.split(","), "devicetaintrules")
OF_ONE_POD = (explain, capacity)
"""These commands are about a pod, by default one of the namespace of the context."""


@frozen
class Kubectl:
    """A Kubectl is the program, with the options that say which cluster is meant."""

    options: Sequence[str]

    def dump(self, file: Path) -> None:
        """Writes all objects that can matter. Raises InputError, which says what kubectl said."""
        served = {line.partition(".")[0] for line in self.output("api-resources", "-o", "name").split()}
        kinds = ",".join(kind for kind in KINDS if kind in served)
        with file.open("wb") as into, progress("reading", "objects from the cluster") as show:
            show(0)
            self._run(into, "get", kinds or KINDS[0], "--all-namespaces", "-o", "json")

    def namespace(self) -> str:
        """Returns the namespace of the context, or ``""``: also where there is no context, as in a cluster."""
        try:
            return self.output("config", "view", "--minify", "-o", "jsonpath={..namespace}").strip()
        except InputError:
            return ""

    def output(self, *arguments: str) -> str:
        return self._run(subprocess.PIPE, *arguments).decode(errors="replace")

    def _run(self, stdout: Any, *arguments: str) -> bytes:
        program = shutil.which("kubectl")
        if program is None:
            raise InputError("there is no such program on the PATH", where="kubectl")
        command = [program, *self.options, *arguments]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip() or f"ended with exit code {done.returncode}"
            raise InputError(said, where=f"kubectl {arguments[0]}")
        return done.stdout or b""


@contextmanager
def dumped(kubectl: Kubectl) -> Iterator[str]:
    """Returns the path of a file with the cluster, which is removed in the end."""
    with tempfile.TemporaryDirectory(prefix="refsched-") as folder:
        file = Path(folder, "cluster.json")
        kubectl.dump(file)
        yield str(file)


@click.group(
    help="How kube-scheduler decides, asked about the cluster of the current context. Needs the right to list the"
    " kinds that scheduling reads, in all namespaces. Nothing is written.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="refsched")
def plugin() -> None: ...


def _of_the_context(command: click.Command) -> click.Command:
    """Returns the command, which reads the cluster instead of files."""
    ask = command.callback
    assert ask is not None

    @click.pass_context
    def run(called: click.Context, /, context: str, kubeconfig: str, **given: Any) -> None:
        named = {"--context": context, "--kubeconfig": kubeconfig}
        kubectl = Kubectl([f"{option}={value}" for option, value in named.items() if value])
        if command in OF_ONE_POD and not given["namespace"]:
            given["namespace"] = kubectl.namespace()
        with dumped(kubectl) as file:
            called.invoke(ask, files=(file,), **given)

    options = (
        click.Option(["--context"], default="", metavar="NAME", help="As in kubectl."),
        click.Option(["--kubeconfig"], default="", metavar="FILE", help="As in kubectl."),
    )
    params = [param for param in command.params if param.name != "files"]
    return click.Command(command.name, callback=run, params=[*params, *options], help=command.help)


for _command in ABOUT_CLUSTERS:
    plugin.add_command(_of_the_context(_command))


def kubectl_plugin() -> None:
    main(plugin)
