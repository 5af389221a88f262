# SPDX-License-Identifier: Apache-2.0
"""How long one decision takes, by the number of nodes: ``python benchmarks/decide.py``.

Each cluster has three zones, ten running pods a node, and one pending pod after the other: a plain one, one that
spreads over zones and hosts, and one with required anti-affinity to its own kind. All nodes are evaluated
(percentageOfNodesToScore 100) and nothing is remembered from one decision to the next but the snapshot. Times are
CPU seconds of this process, the middle of several decisions.
"""

from __future__ import annotations

import json
import statistics
import sys
import time

from clusters import APART, PLAIN, SPREAD, Json, node, pod
from clusters import SHAPES as SPECS

from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.records import SCHEDULED, Attempt, Create

SIZES = (250, 500, 1000, 2000)
PODS_PER_NODE = 10
DECISIONS = 7
CONFIG: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 100,
}
SHAPES = (PLAIN, SPREAD, APART)


def milliseconds(nodes: int, shape: str) -> float:
    """The middle of the times that ``DECISIONS`` pods of this shape took, each from Pop to its binding."""
    machine = scheduler_of(read_config(CONFIG), SeededChoices(0))
    inputs = InputReader(machine)
    for number in range(nodes):
        inputs.apply(Create(node(number)))
    for number in range(nodes * PODS_PER_NODE):
        inputs.apply(Create(pod(f"r{number}", f"a{number % 20}", {"nodeName": f"n{number % nodes}"})))
    times = []
    for number in range(DECISIONS + 1):
        inputs.apply(Create(pod(f"p{number}", "new", SPECS[shape]("new"))))
        start = time.process_time()
        machine.schedule()
        times.append(time.process_time() - start)
        attempt = next(record for record in machine.take_records() if isinstance(record, Attempt))
        assert attempt.result == SCHEDULED, attempt
    return statistics.median(times[1:]) * 1000


def main() -> None:
    figures = {shape: {nodes: round(milliseconds(nodes, shape), 1) for nodes in SIZES} for shape in SHAPES}
    if "--json" in sys.argv:
        print(json.dumps(figures))
        return
    print("ms a decision  " + "".join(f"{nodes:>10} nodes" for nodes in SIZES))
    for shape, by_size in figures.items():
        print(f"{shape:<15}" + "".join(f"{by_size[nodes]:>16}" for nodes in SIZES))


if __name__ == "__main__":
    main()
