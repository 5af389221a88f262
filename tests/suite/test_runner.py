# SPDX-License-Identifier: Apache-2.0
"""What follows from who an implementation says it is is worked out once."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve
from toy_bench import Toy, ToyBench

from refsched.suite.session.bench import Connection
from refsched.suite.session.runner import Runner


class CountingBench(ToyBench):
    asked = 0

    def lacks(self, connection: Connection) -> Mapping[str, str]:
        self.asked += 1
        return super().lacks(connection)


def test_who_it_is_is_worked_out_again_only_for_another_hello() -> None:
    bench = CountingBench()
    runner = Runner(bench, "right", 1.0)
    about = runner.about()
    assert runner.about() is about
    assert bench.asked == 1
    connection = runner._connected()
    assert isinstance(connection, Toy)
    connection.hello = evolve(connection.hello, name="another")
    assert runner.about().name == "another"
    assert bench.asked == 2
