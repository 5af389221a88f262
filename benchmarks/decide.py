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
from typing import Any

from refsched.config.read import read_config
from refsched.framework.choices import SeededChoices
from refsched.machine.inputs import InputReader
from refsched.machine.profiles import scheduler_of
from refsched.records import SCHEDULED, Attempt, Create

Json = dict[str, Any]

SIZES = (250, 500, 1000, 2000)
PODS_PER_NODE = 10
DECISIONS = 7
CONFIG: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 100,
}
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def node(number: int) -> Json:
    labels = {HOST: f"n{number}", ZONE: f"z{number % 3}"}
    resources = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": labels},
        "status": {"allocatable": resources, "capacity": resources},
    }


def pod(name: str, app: str, spec: Json) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": app}},
        "spec": {"containers": [container], **spec},
    }


def spread(app: str) -> Json:
    def over(key: str, action: str) -> Json:
        return {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": action,
            "labelSelector": {"matchLabels": {"app": app}},
        }

    return {"topologySpreadConstraints": [over(ZONE, "DoNotSchedule"), over(HOST, "ScheduleAnyway")]}


def apart(app: str) -> Json:
    term = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


SHAPES = {"plain": lambda app: {}, "spread": spread, "anti-affinity": apart}


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
        inputs.apply(Create(pod(f"p{number}", "new", SHAPES[shape]("new"))))
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
