# SPDX-License-Identifier: Apache-2.0
"""Run pictures: the scores of an attempt as a heat map, and the timeline of a trace, as SVG.

The heat map is drawn from an explanation, the timeline from the records of a trace, as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from refsched.checking.trace import Entry, read_trace
from refsched.records import BOUND, SCHEDULED, Advance, Attempt, Bind, Create, Delete, Queues
from refsched.releases import DEFAULT
from refsched.tools.cluster import Cluster
from refsched.tools.planner.explanation import Explanation
from refsched.tools.shipped_files import data_folder
from refsched.tools.site.pictures import document, written

_ROW = 34
_TOP = 66
_LEFT = 110.0
_RIGHT = 940.0

SCORED = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: large, labels: {kubernetes.io/hostname: large, disk: hdd}}
  status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110"}}
- apiVersion: v1
  kind: Node
  metadata: {name: fast, labels: {kubernetes.io/hostname: fast, disk: ssd}}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
- apiVersion: v1
  kind: Node
  metadata: {name: ready, labels: {kubernetes.io/hostname: ready, disk: hdd}}
  status:
    allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
    images: [{names: ["shop:1"], sizeBytes: 1200000000}]
- apiVersion: v1
  kind: Node
  metadata: {name: spot, labels: {kubernetes.io/hostname: spot, disk: ssd}}
  spec: {taints: [{key: spot, effect: PreferNoSchedule}]}
  status: {allocatable: {cpu: "8", memory: 16Gi, pods: "110"}}
- apiVersion: v1
  kind: Pod
  metadata: {name: shop-0, labels: {app: shop}}
  spec:
    nodeName: fast
    containers: [{name: app, image: "shop:1", resources: {requests: {cpu: "2", memory: 2Gi}}}]
- apiVersion: v1
  kind: Pod
  metadata: {name: shop-1, labels: {app: shop}}
  spec:
    containers: [{name: app, image: "shop:1", resources: {requests: {cpu: "1", memory: 2Gi}}}]
    affinity:
      nodeAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 1, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}
    topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: {matchLabels: {app: shop}}
"""
"""In this cluster the plugins disagree on where ``shop-1`` should run."""

TRACE = f"scenarios-{DEFAULT.tag}/rollout-with-preemption.jsonl.gz"
"""The timeline of this recording is drawn."""

# --- Scores ---------------------------------------------------------------------------------------


def score_picture(explained: Explanation, title: str) -> str:
    """Returns a row for each feasible node, with a column for each plugin: the stronger the colour, the more of
    what the plugin can add at most. A cell has what it adds, and the last one the total."""
    nodes = [node for node in explained.nodes if node.scores]
    plugins = list(explained.weights)
    wide = (_RIGHT - _LEFT) / (len(plugins) + 1)
    drawn = [written(20, 44, "node", "strong")]
    for column, plugin in enumerate([*plugins, "total"]):
        x = _LEFT + wide * column + wide / 2
        weight = f"weight {explained.weights[plugin]}" if plugin in explained.weights else ""
        drawn += [
            written(x, 28 + 16 * line, text, "strong small middle")
            for line, text in enumerate((*_halves(plugin), weight))
            if text
        ]
    for number, node in enumerate(nodes):
        y = _TOP + _ROW * number
        drawn.append(written(20, y + 22, node.node, "strong" if node.verdict == "chosen" else ""))
        for column, plugin in enumerate(plugins):
            added = node.scores[plugin].weighted
            share = added / (100 * explained.weights[plugin])
            x = _LEFT + wide * column
            drawn.append(
                f'<rect class="heat" x="{x:.0f}" y="{y}" width="{wide - 4:.0f}" height="{_ROW - 4}"'
                f' style="fill-opacity:{0.04 + 0.46 * share:.2f}"/>'
            )
            drawn.append(written(x + wide / 2, y + 20, str(added), "middle"))
        chosen = " ✓" if node.verdict == "chosen" else ""
        drawn.append(written(_RIGHT - wide / 2, y + 20, f"{node.total}{chosen}", "strong middle"))
    return document(_TOP + _ROW * len(nodes) + 10, title, drawn)


def scores_drawn() -> str:
    return score_picture(Cluster(SCORED).explain("shop-1"), "The scores of four nodes, plugin by plugin")


def _halves(name: str) -> tuple[str, str]:
    """Returns a plugin's name on two lines, broken before a capital letter."""
    if len(name) <= 15:
        return name, ""
    breaks = [at for at in range(1, len(name)) if name[at].isupper()]
    middle = min(breaks, key=lambda at: abs(at - len(name) / 2))
    return name[:middle], name[middle:]


# --- A timeline -----------------------------------------------------------------------------------

ACTIVE, BACKOFF, UNSCHEDULABLE, ASSUMED, ON_NODE = "active", "backoff", "unschedulable", "assumed", "bound"
_PLACES = (ACTIVE, BACKOFF, UNSCHEDULABLE, ASSUMED, ON_NODE)
_MOMENTS = (Create, Delete, Advance, Attempt, Bind)


@frozen
class PlaceInterval:
    """A PlaceInterval says that a pod is in this place from one moment, counted from 0, until before another."""

    place: str
    begin: int
    end: int


def timeline_picture(entries: Sequence[Entry], title: str) -> str:
    """Returns a row for each pod that is to be placed: where it is after each thing that happens, from left to
    right, from the moment when the first of them was created."""
    rows = stretches(entries)
    first = min((parts[0].begin for parts in rows.values()), default=0)
    moments = [entry for entry in entries if isinstance(entry.record, _MOMENTS)][first:]
    step = (_RIGHT - _LEFT) / max(len(moments), 1)
    drawn: list[str] = []
    for number, place in enumerate(_PLACES):
        x = _LEFT + 130 * number
        drawn.append(f'<rect class="place {place}" x="{x:.0f}" y="14" width="16" height="16"/>')
        drawn.append(written(x + 22, 27, place))
    for row, (pod, parts) in enumerate(rows.items()):
        y = _TOP + _ROW * row
        drawn.append(written(20, y + 20, pod.rpartition("/")[2]))
        for part in parts:
            x, wide = _LEFT + step * (part.begin - first), step * (part.end - part.begin)
            drawn.append(
                f'<rect class="place {part.place}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{_ROW - 8}"/>'
            )
    bottom = _TOP + _ROW * len(rows)
    drawn += _times(moments, step, bottom)
    return document(bottom + 30, title, drawn)


def _times(moments: Sequence[Entry], step: float, bottom: int) -> Iterator[str]:
    """Yields a line wherever the clock moved, with the seconds since the beginning."""
    for number, entry in enumerate(moments):
        if isinstance(entry.record, Advance):
            x = _LEFT + step * number
            yield f'<path class="clock" d="M{x:.1f} {_TOP - 16}V{bottom}"/>'
            yield written(x, bottom + 18, f"{entry.at:g} s", "middle")


def timeline_drawn() -> str:
    entries = list(read_trace(data_folder() / TRACE).entries)
    return timeline_picture(entries, "Where each pod is, from the beginning of the trace to its end")


def stretches(entries: Sequence[Entry]) -> Mapping[str, Sequence[PlaceInterval]]:
    """Returns by pod the places in which it was, one after the other, as the records of the trace show them."""
    at: dict[str, str] = {}
    seen: dict[str, list[str]] = {}
    moment = 0
    for entry in entries:
        match entry.record:
            case Create(value) if value["kind"] == "Pod" and not value["spec"].get("nodeName"):
                metadata = value["metadata"]
                at[f"{metadata.get('namespace', 'default')}/{metadata['name']}"] = ACTIVE
            case Delete(named) if named.kind == "Pod":
                at.pop(f"{named.namespace or 'default'}/{named.name}", None)
            case Attempt(pod, result) if pod in at:
                at[pod] = ASSUMED if result == SCHEDULED else UNSCHEDULABLE
            case Bind(pod, _, result) if pod in at and result == BOUND:
                at[pod] = ON_NODE
            case Queues() as queues:
                for place in (ACTIVE, BACKOFF, UNSCHEDULABLE):
                    at.update({pod: place for pod in getattr(queues, place) if pod in at})
                for pod, place in at.items():
                    if seen.get(pod) and moment:
                        seen[pod][-1] = place
        if isinstance(entry.record, _MOMENTS):
            moment += 1
            for pod, place in at.items():
                seen.setdefault(pod, [""] * (moment - 1))
                seen[pod] += [""] * (moment - 1 - len(seen[pod])) + [place]
    return {pod: list(_joined(places)) for pod, places in seen.items()}


def _joined(places: Sequence[str]) -> Iterator[PlaceInterval]:
    begin = 0
    for number in range(1, len(places) + 1):
        if number == len(places) or places[number] != places[begin]:
            if places[begin]:
                yield PlaceInterval(places[begin], begin, number)
            begin = number
