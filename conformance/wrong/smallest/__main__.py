# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong.smallest [RULE...]``: the example of each rule is computed and written.

With ids only those are computed, from the tests that name them. What is found for each rule is written at once,
so that a run that was stopped can go on with ``--missing``.
"""

from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from attrs import evolve

from conformance.wrong.smallest import configured, finding, recorded, written
from conformance.wrong.smallest.finding import Candidates, Found
from conformance.wrong.smallest.recorded import Recorded
from refsched.releases import DEFAULT, RELEASES
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.extender_address import as_written
from refsched.suite.reports.wording import said
from refsched.tools.rulebook.examples import Broken, Example, Recording, example_of, read_example, text_of

Find = Callable[[str], Found | None]

FOLDER = Path("docs/examples/rules")


def main(arguments: Sequence[str]) -> int:
    """2 where there is no such rule."""
    options = _options(arguments)
    unknown = [rule for rule in options.rules if rule not in all_rules()]
    if unknown:
        print(f"there is no rule {unknown[0]!r}", file=sys.stderr)
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    has_all = options.rules and all(_path(rule, options.folder).exists() for rule in options.rules)
    recordings = {} if has_all else recorded.shortest(options.jobs)
    stand = (
        Found(rule, history, None, kubernetes)
        for rule, history, kubernetes in written.as_they_stand(options.rules)
    )
    for found in chain(configured.examples(options.rules), stand, _decided(options)):
        _write(found, recordings, options.folder)
    return 0


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m conformance.wrong.smallest", description=__doc__)
    parser.add_argument("rules", nargs="*", metavar="RULE", help="a rule; all without any")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes (default: 2)")
    parser.add_argument("--missing", action="store_true", help="only those that have no example yet")
    parser.add_argument("--again", action="store_true", help="make those that there are smaller")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"default: {FOLDER}")
    parser.add_argument(
        "--breakers", type=int, default=finding.BREAKERS, help="schedulers that are tried for each rule"
    )
    return parser.parse_args(arguments)


def _decided(options: Namespace) -> Iterator[Found]:
    """In the newest release, and what only an older one decides in that."""
    for kubernetes in sorted(RELEASES, key=lambda name: name != DEFAULT.name):
        wanted = [rule for rule in options.rules or all_rules() if _is_shown_in(rule, kubernetes)]
        if options.missing:
            wanted = [rule for rule in wanted if not _path(rule, options.folder).exists()]
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
    histories = finding.candidates(kubernetes, wanted if options.rules else ())
    return partial(_found, histories=histories, breakers=options.breakers, kubernetes=kubernetes)


def _smaller(rule: str) -> Found | None:
    example = example_of(rule)
    return finding.smaller(all_rules()[rule], example) if example is not None else None


def _is_shown_in(rule: str, kubernetes: str) -> bool:
    releases = all_rules()[rule].releases
    return kubernetes == DEFAULT.name if DEFAULT.name in releases else kubernetes in releases


def _found(rule: str, histories: Candidates, breakers: int, kubernetes: str) -> Found | None:
    return finding.example_of(all_rules()[rule], histories.get(rule, ()), breakers, kubernetes)


def _path(rule: str, folder: Path) -> Path:
    return folder / f"{rule}.yaml"


def _write(found: Found, recordings: Mapping[str, Recorded], folder: Path) -> None:
    """Not where the example that there is shows a difference, and this one none. Where no recording was searched
    it keeps that of the other."""
    path = _path(found.rule, folder)
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
    """What is found, in words."""
    one, recording = found.difference, recordings.get(found.rule)
    return Example(
        found.rule,
        found.history,
        found.kubernetes,
        Broken(
            one.breaker,
            one.says,
            as_written(one.member),
            as_written(said(one.expected)),
            as_written(said(one.got)),
            one.pod,
            one.step,
        )
        if one is not None
        else None,
        Recording(recording.trace, recording.line, recording.lines) if recording is not None else None,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
