# SPDX-License-Identifier: Apache-2.0
"""How often Python looks for garbage, and where it does not look any more."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc
from refsched.processes.garbage_collection import YOUNG, keep_what_there_is
before = gc.get_freeze_count()
keep_what_there_is()
kept = gc.get_freeze_count()
assert gc.get_threshold()[0] == YOUNG, gc.get_threshold()
class Other: pass
one, two = Other(), Other()
one.two, two.one = two, one
del one, two
assert gc.collect() >= 2
print(before, kept)
"""


def test_what_there_is_is_kept_and_what_comes_later_is_collected() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    before, kept = map(int, run.stdout.split())
    assert before == 0
    assert kept > 1000
