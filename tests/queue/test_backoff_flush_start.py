# SPDX-License-Identifier: Apache-2.0
"""Seconds are those of the clock, whenever in one of them the scheduler was started."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from refsched.framework.choices import FirstChoice
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import read_config
from refsched.reading.inputs import InputReader
from refsched.records import Create

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}


def refused_at_a_quarter_past(*, pops_from_backoff: bool) -> Scheduler:
    """An error of this pod, in a cluster without nodes, in the first moment; its backoff is one second."""
    release = with_feature_gates({"SchedulerPopFromBackoffQ": pops_from_backoff})
    start = datetime(2026, 6, 15, 12, 34, 56, 250_000, tzinfo=UTC)
    machine = scheduler_of(read_config(CONFIG, release), FirstChoice(), release=release, start=start)
    InputReader(machine).apply(Create(POD))
    assert machine.schedule()
    assert machine.queues().backoff == ("default/p",)
    return machine


@pytest.mark.parametrize(("pops_from_backoff", "over"), [(True, 1.75), (False, 2.0)])
def test_a_backoff_is_over_at_a_second_of_the_clock(*, pops_from_backoff: bool, over: float) -> None:
    """From :56.25 to :57.25, which counts from :57 to the flush at :58. Without the gate it counts to the
    nanosecond, and the flush comes each second after the start; the one in which it ends is too early."""
    machine = refused_at_a_quarter_past(pops_from_backoff=pops_from_backoff)
    machine.advance(over - 0.01)
    assert machine.queues().backoff == ("default/p",)
    machine.advance(0.01)
    assert machine.queues().active == ("default/p",)
