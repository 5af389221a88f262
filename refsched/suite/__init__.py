# SPDX-License-Identifier: Apache-2.0
"""The pytest side of the suite: options, property tests, verdicts by rule, and reports.

A test says ``@conforms(area=..., rules=...)`` and hands each history to ``check``; with ``cases=...`` it hands
over the history of each case. What it stands on (rules, areas, adapters, the judge) is one ``Bench``; everything
else here is how a run is reported.
"""
