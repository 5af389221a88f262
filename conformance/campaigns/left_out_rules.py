# SPDX-License-Identifier: Apache-2.0
"""Left-out rules: whether a rule that a scheduler leaves out altogether is ever called kept.

``python -m conformance.campaigns.left_out_rules predicates,NodePorts filter,TaintToleration`` judges the
specification as each of these parts (what ``--only`` takes), and then, for each rule that was kept, the same part
without that rule. Each of these has to fail, or must not have the rule among those that are kept. What begins with
a hyphen, as ``--examples=5``, is an option of each run of the suite. Exit codes: 0 so it is, 1 a rule was called
kept, 2 it could not be judged.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import refsched.reference  # all of the specification  # noqa: F401
from refsched.suite.breaking.detection import specification_modules
from refsched.suite.breaking.simplest import source_without


def main(arguments: list[str]) -> int:
    """Judges each part, and returns the worst of the exit codes."""
    options = [argument for argument in arguments if argument.startswith("-")]
    parts = [argument for argument in arguments if argument not in options]
    if not parts:
        sys.stderr.write("which part? for example: NodePorts\n")
        return 2
    with TemporaryDirectory() as folder:
        return max(_of_part(part, options, Path(folder)) for part in parts)


def _of_part(part: str, options: list[str], folder: Path) -> int:
    whole = _report("refsched.reference", part, options, folder)
    if whole["exitCode"] != 0:
        sys.stderr.write(f"{part}: the specification itself: {whole['headline']}\n")
        return 2
    kept = [rule["id"] for rule in whole["rules"] if rule["verdict"] == "pass"]
    if not kept:
        sys.stderr.write(f"{part}: the specification itself keeps no rule that is judged\n")
        return 2
    failed, missed = 0, []
    for rule in kept:
        sources = {module: source_without(rule, module) for module in specification_modules()}
        changed = {module: source for module, source in sources.items() if source}
        if not changed:
            continue
        (folder / "sources.json").write_text(json.dumps(changed), "utf-8")
        command = f"{sys.executable} -m refsched.mistakes --sources {folder / 'sources.json'}"
        report = _report(f"exec:{command}", part, options, folder)
        verdict = next((each["verdict"] for each in report["rules"] if each["id"] == rule), "")
        failed += report["exitCode"] != 0
        if report["exitCode"] == 0 and verdict == "pass":
            missed.append(rule)
        print(f"{part} without {rule}: {report['verdict']}; {rule}: {verdict or 'not listed'}", flush=True)
    print(
        f"{part}: {len(kept)} rules kept by the specification; {failed} parts without one fail; missed: {missed}"
    )
    return int(bool(missed))


def _report(implementation: str, part: str, options: list[str], folder: Path) -> dict[str, Any]:
    path = folder / "report.json"
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-x", "conformance"]
    command += [f"--impl={implementation}", f"--only={part}", f"--report={path}", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if not path.exists():
        sys.stderr.write(f"{part}: {done.stdout}{done.stderr}")
        sys.exit(2)
    report: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
