# SPDX-License-Identifier: Apache-2.0
"""``kubectl refsched``, with a kubectl that prints a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import node, pod

from refsched.tools.cli.kubectl import kubectl_plugin, plugin

KUBECTL = f"""#!{sys.executable}
import sys
from pathlib import Path

folder = Path(__file__).parent
with open(folder / "asked", "a") as asked:
    print(*sys.argv[1:], file=asked)
if "--context=gone" in sys.argv:
    sys.exit('error: context "gone" does not exist')
if "--context=silent" in sys.argv:
    sys.exit(3)
if "api-resources" in sys.argv:
    print("nodes", "pods", "replicasets.apps", "events", sep="\\n")
elif "config" in sys.argv:
    print("shop", end="")
else:
    print((folder / "cluster.json").read_text())
"""


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of programs, in which there is a kubectl."""
    web = pod("web", cpu="9")
    web["metadata"]["namespace"] = "shop"
    items = [node("n1"), web, pod("small")]
    (tmp_path / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    program = tmp_path / "kubectl"
    program.write_text(KUBECTL)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def asked(programs: Path) -> list[str]:
    return (programs / "asked").read_text().splitlines()


def test_the_cluster_of_the_context_is_read_as_far_as_it_serves_the_kinds(programs: Path) -> None:
    done = CliRunner().invoke(plugin, ["explain", "web", "--context", "prod", "-o", "json"])
    assert (done.exit_code, json.loads(done.stdout)["pod"]) == (1, "shop/web")
    assert asked(programs) == [
        "--context=prod config view --minify -o jsonpath={..namespace}",
        "--context=prod api-resources -o name",
        "--context=prod get nodes,pods,replicasets --all-namespaces -o json",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["schedule", "--kubeconfig", "f"], 1),
        (["capacity", "--pod", "small", "-n", "default"], 0),
        (["what-if", "--cordon", "n1", "--seeds", "1"], 1),
        (["upgrade", "--from", "1.36", "--to", "1.37"], 0),
    ],
)
def test_each_command_reads_it(arguments: list[str], code: int, programs: Path) -> None:
    done = CliRunner().invoke(plugin, arguments)
    assert done.exit_code == code, done.output


@pytest.mark.parametrize(
    ("context", "problem"),
    [
        ("gone", 'kubectl api-resources: error: context "gone" does not exist'),
        ("silent", "kubectl api-resources: ended with exit code 3"),
    ],
)
def test_what_kubectl_cannot_do_is_one_error(
    context: str, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failed(["explain", "web", "--context", context], monkeypatch, capsys) == f"refsched: {problem}\n"


def test_where_there_is_no_kubectl_one_error_says_so(
    programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (programs / "kubectl").unlink()
    said = failed(["schedule"], monkeypatch, capsys)
    assert said == "refsched: kubectl: there is no such program on the PATH\n"


def failed(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(sys, "argv", ["kubectl-refsched", *arguments])
    with pytest.raises(SystemExit) as left:
        kubectl_plugin()
    printed = capsys.readouterr()
    assert (left.value.code, printed.out) == (2, "")
    return printed.err
