# SPDX-License-Identifier: Apache-2.0
"""Judging: which rule of a release an implementation breaks on a cluster, whichever release it decides by itself.

The implementation gets what it gets in the suite: the configuration and the objects of its own release. Beside it
stands the specification of the release that is asked about.
"""

from __future__ import annotations

from attrs import evolve

from refsched.releases.release import Release
from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.catalogue.rules import all_rules
from refsched.suite.histories.driver import Driver
from refsched.suite.histories.history import History
from refsched.suite.histories.judge import Judge
from refsched.suite.histories.part import part_of
from refsched.suite.session.dependence import by_cause


def broken_rule(adapter: Adapter, history: History, release: Release) -> str | None:
    """The rule of ``release`` that the implementation breaks first; empty where it decides the whole history as
    that release does, None where the history could not be run to its end.

    AdapterFault where it does not answer as docs/protocol.md says.
    """
    part = part_of(adapter.hello)
    own = part.history(history)
    judged = evolve(part, kubernetes=release.name)
    try:
        session = adapter.reset(own.config, own.feature_gates)
    except ResetRefused:
        return None
    driver = Driver(session, part, Judge(judged.history(history), judged))
    for step in history.steps:
        needed = part.step(step)
        if needed is not None:
            driver.take(needed)
    found = driver.transcript.findings
    if found:
        places = {rule: place for place, rule in enumerate(all_rules())}
        return min(found, key=lambda one: by_cause(one, places.get(one.rule, len(places)))).rule
    return None if driver.transcript.ended else ""
