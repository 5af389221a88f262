# SPDX-License-Identifier: Apache-2.0
"""The process from which runs are forked imports this. It reads the rules in the source, and how each is broken,
so that no run has to."""

from __future__ import annotations

from refsched.suite.breaking.detection import specification_modules
from refsched.suite.breaking.mistakes import mistakes
from refsched.suite.breaking.simplest import simplest_of
from refsched.suite.catalogue.rules import all_rules

all_rules()
mistakes()
for module in specification_modules():
    simplest_of(module)
