# SPDX-License-Identifier: Apache-2.0
"""``refsched replay``: what agrees, what does not, and what cannot be judged."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from commands import CONFIG, Json, lines, node, pod, refusal, run

from refsched.checking.checker import Checker
from refsched.checking.replay import as_plain, replay_file
from refsched.objects.dra import DeviceAllocationConfiguration
from refsched.objects.meta import ObjectMeta
from refsched.oddities.known_defects import KNOWN_DEFECTS
from refsched.records import NodeStatus
from refsched.tools.cli.replay import worth_starting

HEADER: Json = {
    "trace": "refsched.trace/v1",
    "scheduler": {"name": "kube-scheduler", "version": "v1.34.2"},
    "config": CONFIG,
}


def _at(**record: Any) -> Json:
    return {"at": 0, **record}


def _scheduled(name: str, on: str) -> Json:
    return _at(attempt={"pod": f"default/{name}", "result": "scheduled", "node": on})


def _bound(name: str, on: str) -> Json:
    return _at(bind={"pod": f"default/{name}", "node": on, "result": "bound"})


def _refused(name: str) -> Json:
    return _at(attempt={"pod": f"default/{name}", "result": "unschedulable"})


def _trace(folder: Path, *records: Json, header: Json = HEADER, name: str = "a.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *records)))
    return path


ONE_POD = (_at(create=node("n")), _at(create=node("full", cpu="0")), _at(create=pod("a")))
AGREEING = (*ONE_POD, _scheduled("a", "n"), _bound("a", "n"))
DISAGREEING = (*ONE_POD, _scheduled("a", "full"), _bound("a", "full"))


def test_a_trace_that_agrees_is_exit_code_0(tmp_path: Path) -> None:
    path = _trace(tmp_path, *AGREEING)
    done = run("replay", str(path))
    assert done.exit_code == 0
    assert lines(done) == [f"agrees     {path}  1 attempt", "1 trace, 1 attempt: 1 agree, 0 disagree"]


def test_a_trace_that_disagrees_is_exit_code_1_and_where_it_first_does_is_reported(tmp_path: Path) -> None:
    path = _trace(tmp_path, *DISAGREEING)
    done = run("replay", str(path))
    assert done.exit_code == 1
    printed = lines(done)
    assert printed[0] == f"DISAGREES  {path}  1 of 1 attempts"
    assert printed[1] == "    line 5, node, default/a"
    assert printed[2].startswith("    expected  ")
    assert printed[3].startswith('    recorded  "full"')
    assert printed[4] == "1 trace, 1 attempt: 0 agree, 1 disagree"


def test_a_folder_stands_for_its_traces_and_each_attempt_counts(tmp_path: Path) -> None:
    second = (_at(create=pod("b", cpu="9")), _refused("b"))
    _trace(tmp_path, *AGREEING, *second, name="b/agrees.jsonl")
    _trace(tmp_path, *DISAGREEING, *second, name="a/disagrees.jsonl")
    _trace(tmp_path, *ONE_POD, name="b/none.jsonl")
    (tmp_path / "notes.txt").write_text("no trace")
    done = run("replay", str(tmp_path))
    assert done.exit_code == 1
    printed = [line for line in lines(done) if not line.startswith(" ")]
    assert printed == [
        f"DISAGREES  {tmp_path}/a/disagrees.jsonl  1 of 2 attempts",
        f"agrees     {tmp_path}/b/agrees.jsonl  2 attempts",
        f"agrees     {tmp_path}/b/none.jsonl  0 attempts",
        "3 traces, 4 attempts: 3 agree, 1 disagree",
    ]


def test_processes_that_share_the_traces_say_the_same(tmp_path: Path) -> None:
    _trace(tmp_path, *AGREEING, name="b.jsonl")
    _trace(tmp_path, *DISAGREEING, name="a.jsonl")
    (tmp_path / "c.jsonl").write_text("no trace")
    alone, shared = (run("replay", str(tmp_path), "-j", count) for count in ("1", "2"))
    assert alone.exit_code == shared.exit_code == 1
    assert alone.output == shared.output
    assert len(lines(shared)) == 7


@pytest.mark.parametrize(
    ("files", "cores", "processes"), [(1, 8, 1), (199, 8, 1), (200, 8, 2), (900, 2, 2), (900, None, 1)]
)
def test_many_traces_are_replayed_on_all_cores(
    monkeypatch: pytest.MonkeyPatch, files: int, cores: int | None, processes: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert worth_starting(files) == processes


def test_the_cores_share_many_traces_unless_it_is_said_how_many_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        _trace(tmp_path, *AGREEING, name=f"{number}.jsonl")
    monkeypatch.setattr("refsched.tools.cli.replay.WORTH_A_PROCESS", 1)
    shared, alone = run("replay", str(tmp_path)), run("replay", str(tmp_path), "-j", "1")
    assert shared.output == alone.output
    assert shared.exit_code == alone.exit_code == 0


TWO_PODS = (*AGREEING, _at(create=pod("b")), _scheduled("b", "n"), _bound("b", "n"))


def test_where_bindings_are_recorded_one_that_is_missing_disagrees(tmp_path: Path) -> None:
    path = _trace(tmp_path, *(record for record in TWO_PODS if record != _bound("a", "n")))
    done = run("replay", str(path))
    assert done.exit_code == 1
    assert lines(done)[:2] == [
        f"DISAGREES  {path}  1 of 2 attempts, 1 of 2 bindings recorded",
        "    line 5, bind, default/a, R-BIND-04",
    ]
    assert lines(done)[3] == "    recorded  null"


def test_where_no_binding_is_recorded_it_is_said_how_many_were_not_seen(tmp_path: Path) -> None:
    path = _trace(tmp_path, *(record for record in TWO_PODS if "bind" not in record))
    done = run("replay", str(path))
    assert done.exit_code == 0
    assert lines(done)[0] == f"agrees     {path}  2 attempts, 0 of 2 bindings recorded"


def test_of_two_statuses_the_member_that_differs_is_shown_and_the_rule_that_decides_it(
    tmp_path: Path,
) -> None:
    status: Json = {"plugin": "NodeResourcesFit", "reasons": ["Insufficient memory"]}
    status["code"] = "UnschedulableAndUnresolvable"
    found = _at(attempt={"pod": "default/a", "result": "scheduled", "node": "n", "filter": {"full": status}})
    path = _trace(tmp_path, *ONE_POD, found, _bound("a", "n"))
    printed = lines(run("replay", str(path)))
    assert printed[1].startswith("    line 5, filter.full, default/a, R-FIT-02")
    assert printed[2:4] == [
        '    expected  reasons: ["Insufficient cpu"]',
        '    recorded  reasons: ["Insufficient memory"]',
    ]


def test_what_differs_later_may_follow_from_the_first(tmp_path: Path) -> None:
    more = (_at(create=pod("b")), _scheduled("b", "full"), _bound("b", "full"))
    printed = lines(run("replay", str(_trace(tmp_path, *DISAGREEING, *more))))
    assert printed[4] == "    later differences may follow from this one"


def test_a_long_value_is_cut_in_what_is_shown(tmp_path: Path) -> None:
    found = _at(attempt={"pod": "default/a", "result": "unschedulable", "node": "x" * 5000})
    printed = lines(run("replay", str(_trace(tmp_path, *ONE_POD, found))))
    assert max(map(len, printed)) < 2200


def test_json_reports_the_same_in_one_object(tmp_path: Path) -> None:
    good, bad = _trace(tmp_path, *AGREEING), _trace(tmp_path, *DISAGREEING, name="b.jsonl")
    done = run("replay", "--json", str(good), str(bad))
    assert done.exit_code == 1
    value = json.loads(done.output)
    files = value.pop("files")
    assert value == {"traces": 2, "attempts": 2, "agree": 1, "disagree": 1, "unchecked": 0}
    assert files[0] == {
        "file": str(good),
        "attempts": 1,
        "agree": 1,
        "disagree": 0,
        "unchecked": 0,
        "first": None,
        "error": None,
        "without": [],
        "bindings": 1,
        "bindings_recorded": 1,
    }
    assert files[1]["file"] == str(bad)
    assert files[1]["first"]["line"] == 5
    assert (files[1]["first"]["member"], files[1]["first"]["got"]) == ("node", "full")


AVOIDS_WEB: Json = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
        ]
    }
}


def _repelled(*, again: bool) -> tuple[Json, ...]:
    """A pod is refused because another hates it, and that one is gone. Is it worth another try?"""
    zoned, db, web = node("n"), pod("db"), pod("web")
    zoned["metadata"]["labels"] = {"zone": "a"}
    db["spec"] |= {"nodeName": "n", "affinity": AVOIDS_WEB}
    web["metadata"]["labels"] = {"app": "web"}
    waits = {"active": [], "backoff": [], "unschedulable": []}
    deletion = {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "db"}
    return (
        *(_at(create=each) for each in (zoned, db, web)),
        _refused("web"),
        _at(delete=deletion),
        _at(queues=waits | {"backoff" if again else "unschedulable": ["default/web"]}),
    )


def test_a_scheduler_without_a_known_defect_agrees_and_that_is_reported(tmp_path: Path) -> None:
    as_released = _trace(tmp_path, *_repelled(again=False), name="a.jsonl")
    mended = _trace(tmp_path, *_repelled(again=True), name="b.jsonl")
    done = run("replay", str(as_released), str(mended))
    assert done.exit_code == 0
    ids = ", ".join(sorted(defect.id for defect in KNOWN_DEFECTS))
    assert lines(done)[:2] == [
        f"agrees     {as_released}  1 attempt",
        f"agrees     {mended}  1 attempt, without known defects: {ids}",
    ]


def test_no_known_defect_explains_a_trace_whose_inputs_do_not_fit_without_it(tmp_path: Path) -> None:
    deletion = _at(delete={"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "x"})
    done = run("replay", str(_trace(tmp_path, *_repelled(again=True), deletion)))
    assert done.exit_code == 1
    assert lines(done)[0].startswith("DISAGREES")


def test_after_a_disagreement_an_input_that_does_not_fit_is_passed_over(tmp_path: Path) -> None:
    deletion = _at(delete={"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "x"})
    report = replay_file(
        _trace(tmp_path, *DISAGREEING, deletion, _at(create=pod("b", cpu="9")), _refused("b"))
    )
    assert (report.attempts, report.agree, report.disagree) == (2, 1, 1)


# --- What cannot be judged ------------------------------------------------------------------------


def test_a_file_that_cannot_be_judged_does_not_keep_the_others_from_being_judged(tmp_path: Path) -> None:
    good = _trace(tmp_path, *AGREEING)
    old = _trace(tmp_path, *AGREEING, _refused("b"), {"at": 0, "guess": 1}, name="old.jsonl")
    done = run("replay", str(tmp_path))
    assert done.exit_code == 2
    assert lines(done)[-1] == "2 traces, 3 attempts: 1 agree, 0 disagree, 2 not judged (1 trace)"
    done = run("replay", "--json", str(old), str(good))
    assert done.exit_code == 2
    value = json.loads(done.stdout)
    assert (value["attempts"], value["agree"], value["unchecked"]) == (3, 1, 2)
    assert value["files"][0]["error"].startswith(f"{old}: line ")
    assert done.stderr.startswith(f"refsched: {old}: line ")


def test_a_defect_of_refsched_s_own_keeps_no_other_file_from_being_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _trace(tmp_path, *AGREEING)
    missing: dict[str, Any] = {}
    monkeypatch.setattr(Checker, "take", lambda *_: missing["rule"])
    done = run("replay", "--json", str(path))
    assert done.exit_code == 2
    [file] = json.loads(done.stdout)["files"]
    assert file["error"].startswith(f"{path}: refsched itself fails (test_cli_replay.py, line ")
    assert file["error"].endswith("KeyError('rule')")
    assert file["unchecked"] == 1


def test_what_disagrees_weighs_more_than_what_cannot_be_judged(tmp_path: Path) -> None:
    _trace(tmp_path, *DISAGREEING)
    (tmp_path / "empty.jsonl").touch()
    assert run("replay", str(tmp_path)).exit_code == 1


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"at": 0, "guess": 1}, "expected exactly one of "),
        ({"at": "x", "advance": 1}, "at: expected a number of seconds, 10,000,000,000 at most, found 'x'"),
        (_at(create=node("n")), "Node n: exists already"),
        (_at(create={"kind": "Pod"}), "Pod: apiVersion: is required and missing"),
    ],
)
def test_a_record_that_cannot_be_is_exit_code_2_with_its_line(
    record: Json,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = _trace(tmp_path, _at(create=node("n")), record)
    printed = refusal(monkeypatch, capsys, "replay", str(path))
    assert printed.startswith(f"{path}: line 3: {problem}")


def test_a_file_that_is_no_trace_or_is_cut_off_is_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(path: Path) -> str:
        return refusal(monkeypatch, capsys, "replay", str(path))

    assert refused(tmp_path / "gone.jsonl") == f"{tmp_path}/gone.jsonl: No such file or directory"
    assert refused(tmp_path) == f"{tmp_path}: there is no trace (.jsonl or .jsonl.gz) below it"
    whole = _trace(tmp_path, *AGREEING)
    text = whole.read_bytes()
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(text[:-20])
    last = refused(cut)
    assert last == f"{cut}: line 6: is cut off in the middle"
    packed = tmp_path / "cut.jsonl.gz"
    packed.write_bytes(gzip.compress(text)[:-30])
    assert "the compressed file is cut off" in refused(packed)


def test_a_configuration_that_cannot_be_used_stands_in_line_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _trace(tmp_path, header={**HEADER, "config": {"apiVersion": "v1"}})
    printed = refusal(monkeypatch, capsys, "replay", str(path))
    assert printed.startswith(f"{path}: line 1: apiVersion: expected kubescheduler.config.k8s.io/v1")


def test_what_was_expected_is_reported_without_empty_members() -> None:
    assert as_plain(NodeStatus("Success")) == {"code": "Success"}
    assert as_plain(3) == 3


def test_whatever_is_compared_can_be_reported_as_json() -> None:
    metadata = ObjectMeta("p", creation_timestamp=datetime(2026, 1, 1, tzinfo=UTC), labels={"app": "web"})
    shown = as_plain((DeviceAllocationConfiguration("FromClaim", ("gpu",)), {"p": metadata}))
    assert json.loads(json.dumps(shown)) == [
        {"source": "FromClaim", "requests": ["gpu"]},
        {
            "p": {
                "name": "p",
                "labels": {"app": "web"},
                "annotations": {},
                "creation_timestamp": "2026-01-01T00:00:00+00:00",
            }
        },
    ]
