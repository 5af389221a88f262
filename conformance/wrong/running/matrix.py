# SPDX-License-Identifier: Apache-2.0
"""The kill matrix: which test killed which wrong scheduler, kept as JSON and shown on a page in ``docs/``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from cattrs.preconf.json import make_converter

from conformance.wrong import configured
from conformance.wrong.historic import NOT_PLANTED, PLANTED
from conformance.wrong.running.killing import Attack, Fate
from conformance.wrong.running.parts import SEED, file_of, that_can_be
from conformance.wrong.running.tables import share, table
from refsched.mistakes.wrong import Wrong, all_wrong, areas
from refsched.suite.adapters.selection import PROFILES
from refsched.suite.catalogue.rules import all_rules

FILE = Path(__file__).parents[3] / "docs" / "evidence" / "kill_matrix.json"
PAGE = "docs/kill_matrix.md"
"""Under the root of a checkout."""

_CONVERTER = make_converter()


def read(path: Path = FILE) -> dict[str, Fate]:
    rows: list[Any] = json.loads(path.read_text("utf-8"))
    return {row["name"]: _CONVERTER.structure(row, Fate) for row in rows}


def write(fates: Iterable[Fate], path: Path = FILE) -> None:
    """The results are in the order of the tables; schedulers that are in no table are omitted."""
    by_name = {fate.name: fate for fate in fates}
    names = (*all_wrong(), *configured.all_configured())
    rows = [_CONVERTER.unstructure(by_name[name]) for name in names if name in by_name]
    lines = ",\n".join(json.dumps(row) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")


# --- The page -------------------------------------------------------------------------------------

_INTRODUCTION = """# The kill matrix

Each row is a wrong scheduler: the specification with one edit, served by `python -m conformance.wrong NAME` and
judged by the specification without the edit. The default profile is run against it with seed 0, beginning with
the tests that are nearest to the edit, until something is found wrong. *Examples* counts the examples of the
test that found it; *seconds* counts from the first example of all, with two wrong schedulers tried at a time on
two cores. The wrong schedulers of the areas *earlier queue*, *earlier cycle* and *earlier plugins* decide by
v1.19, and are judged by it.

Two more columns say what finds it within the first hundred histories of the nearest tests: the **invariants**
alone, which use no specification, and the **recordings** of kube-scheduler alone. A crash or a timeout does not
count as a kill.

This page is written by `python -m conformance.wrong.running.kill`.
"""


def page(fates: Mapping[str, Fate]) -> str:
    """Survivors first."""
    parts = [_INTRODUCTION, _summary(fates)]
    parts += ["## Survivors\n", _survivors(fates), "## By area\n"]
    for name, area in areas().items():
        parts += [f"### {name.replace('_', ' ')}\n", _rows(area.planted, fates)]
    parts += ["## As parts of schedulers\n", _as_parts()]
    parts += ["## The real one, configured otherwise\n", _configured(read(configured.FILE))]
    parts += ["## By rule\n", _by_rule(fates), "## Historic reports\n", _historic()]
    return "\n".join(parts)


def _summary(fates: Mapping[str, Fate]) -> str:
    killed = [fate.suite.kill for fate in fates.values() if fate.suite.kill is not None]
    seconds = f"{median(kill.seconds for kill in killed):.1f}" if killed else "-"
    figures = (
        ("wrong schedulers", len(fates)),
        ("of them tried", sum(fate.suite.examples > 0 for fate in fates.values())),
        ("killed by the default profile", len(killed)),
        ("killed by the invariants alone", _killed(fate.invariants for fate in fates.values())),
        ("killed by the recordings alone", _killed(fate.recordings for fate in fates.values())),
        ("crashed or timed out at least once", sum(fate.suite.faults > 0 for fate in fates.values())),
        ("median seconds to the kill", seconds),
    )
    return table(("", ""), figures)


def _killed(attacks: Iterable[Attack]) -> str:
    tried = [attack for attack in attacks if attack.examples]
    return f"{sum(attack.kill is not None for attack in tried)} of {len(tried)} tried"


def _survivors(fates: Mapping[str, Fate]) -> str:
    known = all_wrong()
    tried = {name: fate.suite for name, fate in fates.items() if fate.suite.examples}
    alive = [name for name, suite in tried.items() if suite.kill is None]
    missing = [f"`{name}`" for name in fates if name not in tried]
    untried = f"Not tried since the tests last changed: {', '.join(missing)}.\n" if missing else ""
    if not alive:
        return f"None.\n\n{untried}" if untried else "None.\n"
    return (
        untried
        + "\n"
        + table(
            ("name", "what it does", "examples", "crashes"),
            ((f"`{n}`", known[n].says, fates[n].suite.examples, fates[n].suite.faults) for n in alive),
        )
    )


def _rows(planted: Iterable[Wrong], fates: Mapping[str, Fate]) -> str:
    return table(
        ("name", "what it does", "as in", "rule", "by", "examples", "seconds", "invariants", "recordings"),
        (
            (f"`{wrong.name}`", wrong.says, wrong.cites, *_of(fates[wrong.name]))
            for wrong in planted
            if wrong.name in fates
        ),
    )


def _of(fate: Fate) -> tuple[object, ...]:
    kill = fate.suite.kill
    if kill is None:
        came = "**survives**" if fate.suite.examples else "not tried"
        return (came, "", fate.suite.examples, fate.suite.seconds, *_alone(fate))
    return (kill.rule, kill.test.rpartition("::")[2], kill.examples, f"{kill.seconds:.1f}", *_alone(fate))


def _as_parts() -> str:
    """What was measured with ``--only``."""
    tried = {profile: read(file_of(profile)) for profile in PROFILES if file_of(profile).exists()}
    rows = []
    for profile, fates in tried.items():
        killed = sum(fate.suite.kill is not None for fate in fates.values())
        rows.append(
            (f"`{profile}`", len(that_can_be(profile)), len(fates), killed, share(killed, len(fates)))
        )
    alive = [
        (f"`{profile}`", f"`{name}`", all_wrong()[name].says)
        for profile, fates in tried.items()
        for name, fate in fates.items()
        if fate.suite.kill is None
    ]
    return "\n".join(
        (
            "Judged with `--only PROFILE`, as an implementation of a part is ([partial](partial.md)). A wrong"
            " scheduler can be such a part if its mistake, and every rule that it breaks, can show in what the"
            f" part reports; of those a random sample was tried (`--only PROFILE --most N`, seed {SEED}).\n",
            table(("profile", "can be one", "tried", "killed", "share"), rows),
            f"Survivors among them:{'' if alive else ' none.'}\n",
            table(("profile", "name", "what it does"), alive) if alive else "",
        )
    )


def _configured(fates: Mapping[str, Fate]) -> str:
    rows = (
        (f"`{each.name}`", each.says, *_of(fates[each.name])[:4])
        for each in configured.CONFIGURED
        if each.name in fates
    )
    return (
        "These are not planted in the specification. Each is kube-scheduler v1.34.2 itself, with one setting in"
        " its configuration that the history does not have."
        " `python -m conformance.wrong.running.kill --configured` needs Go.\n\n"
        + table(("name", "what is set", "rule", "by", "examples", "seconds"), rows)
    )


def _alone(fate: Fate) -> tuple[str, str]:
    def by(attack: Attack) -> str:
        if attack.kill is not None:
            return attack.kill.rule
        return "-" if attack.examples else "not tried"

    return by(fate.invariants), by(fate.recordings)


def _by_rule(fates: Mapping[str, Fate]) -> str:
    counts = Counter(fate.suite.kill.rule for fate in fates.values() if fate.suite.kill is not None)
    rules = all_rules()
    return table(
        ("rule", "kills", "what it says"),
        (
            (rule, count, rules[rule].sentence if rule in rules else "")
            for rule, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ),
    )


def _historic() -> str:
    planted = (
        (row, report, ", ".join(f"`{name}`" for name in names)) for row, (report, names) in PLANTED.items()
    )
    missing = ((row, report, why) for row, (report, why) in NOT_PLANTED.items())
    return "\n".join(
        (
            "Numbers are of kubernetes/kubernetes unless a repository is named.\n",
            table(("row", "report", "planted as"), planted),
            "Not planted, and why:\n",
            table(("row", "report", "reason"), missing),
        )
    )
