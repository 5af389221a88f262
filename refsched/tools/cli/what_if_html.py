# SPDX-License-Identifier: Apache-2.0
"""The page of ``refsched what-if -o html``: one file that needs no other, with a map of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
.map { display: flex; flex-wrap: wrap; gap: 2px; margin: .5rem 0 1.5rem; }
.map span { width: 14px; height: 14px; border-radius: 2px; } .absent { border: 1px dashed #999; }
"""


def html(value: Mapping[str, Any]) -> str:
    """Returns the page of what the command prints as JSON. Nothing in it is fetched from elsewhere."""
    used = value["usedInPercent"]
    names = sorted({*used["before"], *used["after"]})
    placed = value["placed"]
    parts = [
        f"<h1>What if {escape(value['changed'])}</h1>",
        f"<p>{value['seeds']} seeds, each with the same choices before and after.</p>",
        _table(
            ("Pods", "Before", "After"),
            (
                (f"placed {often}", placed["before"][often], placed["after"][often])
                for often in placed["before"]
            ),
        ),
        "<h2>Nodes</h2>",
        "<p>Each square is a node. The darker it is, the more of its cpu or memory is requested (under the first"
        " seed); its name and share are shown where the pointer rests.</p>",
        *(f"<h3>{side.title()}</h3>{_map(names, used[side])}" for side in ("before", "after")),
        _pods("Changed under every seed", value["certain"]),
        _pods("Changed under some seeds only", value["byLuck"]),
    ]
    if value["victims"]:
        rows = ((each["pod"], f"{each['lostInPercent']} %") for each in value["victims"])
        parts += ["<h2>Victims</h2>", _table(("Pod", "Seeds without a place again"), rows)]
    for cause in value.get("upgrade", {}).get("causes", ()):
        rules = (
            (side, rule, sentence) for side, held in cause["rules"].items() for rule, sentence in held.items()
        )
        parts += [
            f"<h2>{escape(cause['cause'])}: {len(cause['pods'])} pods</h2>",
            _table(("Release", "Rule", ""), rules),
            f"<p>{escape(cause['changedBy'])}</p><p>What to do: {escape(cause['whatToDo'])}</p>",
        ]
    body = "\n".join(parts)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>refsched what-if</title>'
        f"<style>{STYLE}</style><body>\n{body}\n</body></html>"
    )


def _map(names: Sequence[str], used: Mapping[str, int]) -> str:
    return f'<div class="map">{"".join(_square(name, used.get(name)) for name in names)}</div>'


def _square(name: str, share: int | None) -> str:
    if share is None:
        return f'<span class="absent" title="{escape(name)}: not there"></span>'
    light = 95 - min(share, 100) * 65 // 100
    return f'<span style="background: hsl(210 70% {light}%)" title="{escape(name)}: {share} %"></span>'


def _pods(title: str, pods: Sequence[Mapping[str, Any]]) -> str:
    if not pods:
        return ""
    rows = ((pod["pod"], _nodes(pod["before"]), _nodes(pod["after"]), pod["why"]) for pod in pods)
    return f"<h2>{title}</h2>{_table(('Pod', 'Before', 'After', 'Why'), rows)}"


def _nodes(nodes: Sequence[str | None]) -> str:
    return ", ".join("not there" if node is None else node or "nowhere" for node in dict.fromkeys(nodes))


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>" if body else ""
