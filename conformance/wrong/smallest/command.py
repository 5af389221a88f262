# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong examples``: the example of each rule is computed and written.

With ids only those are computed, from the tests that name them and from the example that there is. Where no
history of the suite applies a rule, an example that was written by hand is enough to begin with: it is given to
schedulers that break the rule, and made small. What is found for each rule is written at once, so that a run
that was stopped can go on with ``--missing``.
"""

from __future__ import annotations

import gc
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from attrs import evolve

from conformance.wrong.options import check_names
from conformance.wrong.smallest import finding, recorded
from conformance.wrong.smallest.finding import Candidates, Found
from conformance.wrong.smallest.recorded import Recorded
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.extender_address import as_written
from refsched.suite.histories.wording import said
from refsched.tools.rulebook.examples import Broken, Example, RuleRecording, example_of, read_example, text_of

Find = Callable[[str], Found | None]

FOLDER = Path("docs/examples/rules")


def main(options: Namespace) -> int:
    """Returns 0. Raises InputError if there is no such rule."""
    check_names(options.names, all_rules(), "rule")
    has_all = options.names and all(_path(rule).exists() for rule in options.names)
    recordings = {} if has_all else recorded.shortest(options.jobs)
    for found in _found_in_each_release(options):
        _write(found, recordings)
    return 0


def _found_in_each_release(options: Namespace) -> Iterator[Found]:
    """Yields what shows each rule in the newest release, or in the only one that has it."""
    for kubernetes in sorted(RELEASES, key=lambda name: name != DEFAULT.name):
        wanted = [rule for rule in options.names or all_rules() if _is_shown_in(rule, kubernetes)]
        if options.missing:
            wanted = [rule for rule in wanted if not _path(rule).exists()]
        if not wanted:
            continue
        find = _smaller if options.again else _finding(options, kubernetes, wanted)
        gc.collect()
        gc.freeze()
        with get_context("fork").Pool(options.jobs) as pool:
            yield from (
                found for found in pool.imap_unordered(find, wanted, chunksize=1) if found is not None
            )


def _finding(options: Namespace, kubernetes: str, wanted: Sequence[str]) -> Find:
    histories = finding.candidates(kubernetes, wanted if options.names else ())
    return partial(_found, histories=histories, kubernetes=kubernetes)


def _smaller(rule: str) -> Found | None:
    example = example_of(rule)
    return finding.smaller(all_rules()[rule], example) if example is not None else None


def _is_shown_in(rule: str, kubernetes: str) -> bool:
    releases = all_rules()[rule].releases
    return kubernetes == DEFAULT.name if DEFAULT.name in releases else kubernetes in releases


def _found(rule: str, histories: Candidates, kubernetes: str) -> Found | None:
    return finding.example_of(all_rules()[rule], histories.get(rule, ()), kubernetes)


def _path(rule: str) -> Path:
    return FOLDER / f"{rule}.yaml"


def _write(found: Found, recordings: Mapping[str, Recorded]) -> None:
    """Writes the example, unless it shows no difference and the one that there is shows one. Where no recording
    was searched it keeps that of the other."""
    path = _path(found.rule)
    there = read_example(path) if path.exists() else None
    if found.difference is None and there is not None and there.broken is not None:
        print(found.rule, "stays as it is", flush=True)
        return
    made = example(found, recordings)
    if there is not None and made.recording is None:
        made = evolve(made, recording=there.recording)
    path.write_text(text_of(made), "utf-8")
    print(found.rule, found.difference.breaker if found.difference else "is applied", flush=True)


def example(found: Found, recordings: Mapping[str, Recorded]) -> Example:
    """Returns what is found, in words."""
    one, recording = found.difference, recordings.get(found.rule)
    broken = (
        None
        if one is None
        else Broken(
            one.breaker,
            one.says,
            as_written(one.finding.member),
            as_written(said(one.finding.expected)),
            as_written(said(one.finding.got)),
            one.finding.pod,
            one.finding.step,
        )
    )
    shown = None if recording is None else RuleRecording(recording.trace, recording.line, recording.lines)
    return Example(found.rule, found.history, found.kubernetes, broken, shown)
