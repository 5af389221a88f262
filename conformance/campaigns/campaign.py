# SPDX-License-Identifier: Apache-2.0
"""The campaign: how ``traces/recorded-v1.34.2`` and ``traces/recorded-v1.19.16`` were recorded, area by area.

    python -m conformance.campaigns.campaign --impl kube-scheduler:v1.34 --output traces/recorded-v1.34.2
    python -m conformance.campaigns.campaign --impl kube-scheduler:v1.19 --seed 11916 --examples 40 \\
        --output traces/recorded-v1.19.16

Areas of what only later releases do are not in the plan; recording.py records them, one at a time. Histories that
come to few attempts are left out; of those that are kept, most go on for a while. Areas of
devices are for who claims them.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from attrs import frozen

from conformance.campaigns.recording import record_area
from conformance.wrong.options import number_from
from refsched.suite.adapters.connecting import connect

SEED = 1342


@frozen
class Part:
    """A Part is an area of which a number of histories is drawn; those with ``at_least`` as many attempts are
    kept."""

    area: str
    examples: int
    at_least: int
    start: str = ""


PLAN = (
    Part("resources", 250, 4),
    Part("taints", 250, 3),
    Part("node_affinity", 250, 4),
    Part("pod_affinity", 300, 3),
    Part("spread", 300, 4),
    Part("ports", 250, 4),
    Part("images", 250, 3),
    Part("config", 300, 3),
    Part("nominated", 120, 8),
    Part("queue", 250, 7, start="2026-06-15T12:34:56.250Z"),
    Part("preemption", 250, 6),
    Part("volumes", 250, 4),
    Part("attached", 250, 4),
    Part("devices", 250, 3),
    Part("many", 60, 5),
    Part("faults", 250, 8),
    Part("permit", 300, 8),
    Part("lifecycle", 300, 6),
    Part("mixed", 250, 8),
    Part("gates", 60, 3),
    Part("pending", 40, 2),
    Part("narrowed", 30, 3),
    Part("left_over", 25, 4),
    Part("wide", 15, 3),
    Part("gone_victims", 40, 3),
    Part("waiting_victims", 30, 4),
    Part("claims", 80, 3),
    Part("features", 400, 3),
    Part("extenders", 220, 4),
    Part("sparing", 60, 4),
    Part("silent", 120, 3),
    Part("workloads", 200, 3),
    Part("classes", 60, 3),
    Part("elsewhere", 30, 3),
    Part("points", 120, 1),
)


OF_DEVICES = frozenset({"devices", "claims", "classes", "elsewhere"})


def main() -> None:
    parser = ArgumentParser(prog="conformance.campaigns.campaign", description="Record all areas.")
    parser.add_argument("--impl", default="kube-scheduler")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--examples", type=number_from(1), help="of each area at the most")
    given = parser.parse_args()
    with connect(given.impl) as adapter:
        claims_devices = "devices" in adapter.hello.capabilities
    for part in PLAN:
        if part.area in OF_DEVICES and not claims_devices:
            continue
        record_area(
            given.impl,
            part.area,
            given.output / part.area,
            lambda line: print(line, flush=True),
            seed=given.seed,
            examples=min(part.examples, given.examples or part.examples),
            at_least=part.at_least,
            start=part.start,
        )


if __name__ == "__main__":
    main()
