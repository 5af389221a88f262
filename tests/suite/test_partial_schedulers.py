# SPDX-License-Identifier: Apache-2.0
"""Parts of a scheduler, in three languages: right ones are green, and wrong ones fail by a rule of theirs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from forked_pytest import run_pytest

from conformance.vocabulary.objects import node, pod
from refsched.records import Reference
from refsched.suite.adapters.connecting import connect
from refsched.suite.findings import Finding
from refsched.suite.histories.history import Delete, History, Schedule, creating
from refsched.suite.histories.trial import try_history
from refsched.suite.histories.wording import said

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "partial"
SERVE = f"{sys.executable} -c 'import {{0}}; from refsched.processes.serving import serve; import sys;"
SERVE += " serve({0}.create, sys.stdin.buffer, sys.stdout.buffer)'"
PROGRAMS = {
    "js": ("fits.js", "node"),
    "packs": ("fullest.js", "node"),
    "py": ("ports.py", sys.executable),
    "own": ("quota.py", sys.executable),
    "pl": ("cordons.pl", "perl"),
}


def judged(impl: str, selected: str, *options: str, folder: Path = ROOT) -> tuple[int, str]:
    asked = ["-p", "no:cacheprovider", "--examples", "12", "-k", selected, f"--impl={impl}", *options]
    done = run_pytest(folder, str(ROOT / "conformance"), "-q", "-n", "0", *asked)
    return int(done.ret), done.stdout.str()


def built(language: str, folder: Path, edits: Sequence[tuple[str, str]] = ()) -> str:
    """What ``--impl`` names, of a copy with these edits."""
    name, tool = PROGRAMS[language]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not on this machine")
    text = (EXAMPLES / name).read_text("utf-8")
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    (folder / name).write_text(text, "utf-8")
    if language == "own":
        shutil.copy(EXAMPLES / "ports.py", folder)
    if tool in ("node", "perl"):
        return f"exec:{tool} {folder / name}"
    return f"exec:{SERVE.format(Path(name).stem)}"


SELECTED = {
    "js": "resource or taint or node_affinity",
    "packs": "port or taint",
    "py": "port or cordon",
    "own": "port or cordon",
    "pl": "taint or any_two",
}


@pytest.mark.parametrize("language", SELECTED)
def test_a_part_that_is_right_about_what_it_says_it_does_is_green(language: str, tmp_path: Path) -> None:
    code, report = judged(built(language, tmp_path), SELECTED[language], folder=tmp_path)
    assert code == 0, report
    assert "none broken" in report
    if (
        language == "pl"
    ):  # it says that it takes only what is created, and so no history ends at anything else
        assert "not completed" not in report


def test_a_part_that_is_wrong_fails_by_a_rule_of_its_own(tmp_path: Path) -> None:
    impl = built("js", tmp_path, [("return combine(total, largest, larger);", "return total;")])
    code, report = judged(impl, "test_resources", "-x", "--examples=40", folder=tmp_path)
    assert code == 1, report
    assert "FAILED  R-REQUEST-0" in report


TAINTED = node("n1", taints=[{"key": "a", "effect": "NoSchedule"}])
CORDONED = node("n1", unschedulable=True)


@pytest.mark.parametrize(
    ("language", "before", "after", "objects", "rule"),
    [
        (
            "packs",
            'filter((node) => filter[node].code === "Success")',
            "filter(() => true)",
            (TAINTED, node("n2"), pod("p0", nodeName="n1"), pod("p1")),
            "R-INV-02",
        ),
        (
            "py",
            'return rejected("NodeUnschedulable",',
            'return FREE or rejected("NodeUnschedulable",',
            (CORDONED, pod("p1")),
            "R-CORDON-0",
        ),
        (
            "pl",
            "return 0 if ( $toleration->{key}",
            "return 0 if 0 && ( $toleration->{key}",
            (CORDONED, pod("p1", tolerations=[{"key": "b", "operator": "Exists"}])),
            "R-TAINT-07",
        ),
    ],
)
def test_what_is_wrong_in_a_part_is_found_where_it_decides(
    language: str,
    before: str,
    after: str,
    objects: Sequence[Json],
    rule: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    history = History((*creating(*objects), Schedule()))

    def rules(*edits: tuple[str, str]) -> list[str]:
        with connect(built(language, tmp_path, edits)) as adapter:
            return [found.rule for found in try_history(adapter, history).findings]

    assert not rules()
    assert rules((before, after))[0].startswith(rule)


def test_a_history_of_who_does_not_say_that_it_takes_only_what_is_created_ends_at_a_deletion(
    tmp_path: Path,
) -> None:
    undeclared = built("pl", tmp_path, [('    inputs       => ["create"],\n', "")])
    with connect(undeclared) as adapter:
        gone = Delete(Reference("Pod", "p1", namespace="default"))
        done = try_history(adapter, History((*creating(node("n1"), pod("p1")), gone)))
    assert done.ended.endswith("unsupported: there is only create")


def test_who_does_not_forget_a_pod_that_a_plugin_of_its_own_rejects_fails_by_the_way_back(
    tmp_path: Path,
) -> None:
    """The port of that pod stays taken. The rule of the way back is among those that may be broken."""
    impl = built("own", tmp_path, [("self.forget(pod)\n            attempt |=", "attempt |=")])
    code, report = judged(impl, SELECTED["own"], "-x", folder=tmp_path)
    assert code == 1, report
    assert "didn't have free ports" in report
    assert "R-ROLLBACK-0" in report.partition("test:")[0]


def test_who_does_not_forget_a_pod_that_is_not_bound_after_all_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ports = [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]
    pods = (pod(name, containers=ports) for name in ("p1", "p2"))
    history = History((*creating(node("n1"), *pods), Schedule(2)))

    def findings(*edits: tuple[str, str]) -> list[Finding]:
        with connect(built("own", tmp_path, edits)) as adapter:
            return try_history(adapter, history).findings

    assert not findings()
    [found, *_] = findings(("self.forget(pod)\n            failed =", "failed ="))
    assert (found.member, found.pod) == ("filter.n1", "default/p2")
    assert "didn't have free ports" in said(found.got)


def test_only_narrows_what_is_judged_to_what_it_names(tmp_path: Path) -> None:
    wrong = built("js", tmp_path, [("return combine(total, largest, larger);", "return total;")])
    code, report = judged(wrong, SELECTED["js"], "--only=predicates,TaintToleration", folder=tmp_path)
    assert code == 0, report
    assert "needs NodeResourcesFit" in " ".join(report.split())


NOMINATED = "test_nominated_pods or gated_pod_is_nominated_and_sought"


def test_a_filter_that_reads_nominations_need_not_preempt(tmp_path: Path) -> None:
    code, report = judged("refsched.reference", NOMINATED, "--only=filter,nominations", folder=tmp_path)
    assert code == 0, report
    code, report = judged("refsched.reference", NOMINATED, "--only=filter", folder=tmp_path)
    assert code == 2, report
    wrong = f"exec:{sys.executable} -m refsched.mistakes nominations-mean-nothing"
    code, report = judged(
        wrong, "gated_pod_is_nominated_and_sought", "--only=filter,nominations", folder=tmp_path
    )
    assert code == 1, report
    assert "FAILED  R-NOM-0" in report


# --- A plugin of one's own in the real kube-scheduler ---------------------------------------------


@pytest.fixture(scope="module")
def licences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kube-scheduler with the plugin of traces/recorder/v1.34/example."""
    if shutil.which("go") is None:
        pytest.skip("go is not on this machine")
    program = tmp_path_factory.mktemp("licences") / "licences"
    folder = ROOT / "traces" / "recorder" / "v1.34"
    # with the flags of the recorder, or Go would compile Kubernetes once more
    flags = ["-trimpath", "-buildvcs=false", "-o", str(program)]
    subprocess.run(["go", "build", *flags, "./example"], cwd=folder, check=True, timeout=900)
    return program


ROLLED_BACK = "again_and_again or waiting_on_permit"


def test_a_plugin_that_keeps_what_it_took_fails_by_the_rules_of_the_way_back(
    licences: Path, tmp_path: Path
) -> None:
    code, report = judged(f"exec:{licences}", "again_and_again", folder=tmp_path)
    assert code == 1, report
    assert "FAILED  R-ROLLBACK-02" in report
    assert "FAILED  R-ROLLBACK-03" in report


def test_the_same_plugin_is_green_once_it_gives_back_what_it_took(licences: Path, tmp_path: Path) -> None:
    """What it rejects at Reserve and at Permit, and its scores, are taken as given."""
    code, report = judged(f"exec:{licences} -gives-back", ROLLED_BACK, folder=tmp_path)
    assert code == 0, report
