# SPDX-License-Identifier: Apache-2.0
"""The pytest side of the suite: options, property tests, verdicts by rule, and reports.

A test says ``@conforms(area=..., rules=...)`` and hands each history to ``check``; with ``cases=...`` it hands
over the history of each case. What it stands on (rules, areas, adapters, the judge) is one ``Bench``; everything
else here is how a run is reported.
"""

from refsched.suite.findings import Seen
from refsched.suite.histories.judgement import Judgement
from refsched.suite.results.rule import Rule
from refsched.suite.session.bench import Bench, Connection
from refsched.suite.session.cases import Case
from refsched.suite.session.check import Check
from refsched.suite.session.conforming import conforms

__all__ = ["Bench", "Case", "Check", "Connection", "Judgement", "Rule", "Seen", "conforms"]
