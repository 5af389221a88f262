# SPDX-License-Identifier: Apache-2.0
"""A function that two releases write otherwise is printed with the rules that name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from refsched.tools.rulebook import go_changes
from refsched.tools.rulebook.go_lines import GoLine

PATH = "pkg/scheduler/framework/plugins/nodeports/node_ports.go"
SOURCE = """\
func (pl *NodePorts) Filter(pod *v1.Pod) bool {
	return fits(pod)
}

func fits(pod *v1.Pod) bool {
	return WORD
}
"""


@pytest.fixture(autouse=True)
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for tag, word in (("v1.1.0", "true"), ("v1.2.0", "false")):
        file = tmp_path / f"k8s.io/kubernetes@{tag}" / PATH
        file.parent.mkdir(parents=True)
        file.write_text(SOURCE.replace("WORD", word), "utf-8")
    lines = {
        "R-PORTS-01": (GoLine("v1.2.0", PATH, "Filter", 1), GoLine("v1.2.0", PATH, "fits", 5)),
        "R-PORTS-02": (GoLine("v1.2.0", PATH, "fits", 5), GoLine("v1.2.0", PATH, "", 1)),
    }
    monkeypatch.setattr(go_changes, "all_go_lines", lambda: lines)
    monkeypatch.setattr(go_changes, "module_cache", lambda: tmp_path)
    return tmp_path


def test_a_changed_function_is_printed_with_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert go_changes.main(["v1.1.0", "v1.2.0"]) == 0
    assert capsys.readouterr().out == f"{PATH}\n  fits: R-PORTS-01, R-PORTS-02\n"


def test_a_release_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert go_changes.main(["v1.1.0", "v1.3.0"]) == 2
    assert capsys.readouterr().err.startswith("expected two releases of Kubernetes in Go's module cache")
