# SPDX-License-Identifier: Apache-2.0
"""Judging: the rule of a release that an implementation breaks on a cluster, whichever release it decides by
itself.

The implementation gets what it gets in the suite: the configuration and the objects of its own release. It is
judged by the specification of the other release.
"""

from __future__ import annotations

from refsched.releases.release import Release
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.histories.history import History
from refsched.suite.histories.trial import Trial
from refsched.suite.session.order_of_rules import by_cause, place_in_catalogue


def broken_rule(adapter: Adapter, history: History, release: Release) -> str | None:
    """Returns the rule of ``release`` that the implementation breaks first, "" if it decides the whole history as
    that release does, or None if the history could not be run to its end.

    Raises AdapterFault if it does not answer as docs/protocol.md says.
    """
    trial = Trial(adapter, history, kubernetes=release.name)
    if trial.was_refused:
        return None
    for step in history.steps:
        trial.take(step)
    found = trial.findings
    if found:
        return min(found, key=lambda one: by_cause(one, place_in_catalogue(one.rule))).rule
    return None if trial.judgement.ended else ""
