# SPDX-License-Identifier: Apache-2.0
"""What areas without volumes and devices draw, with exchanged values, with twins of names, or with longer lists.

It is for those who have neither, such as a part of a scheduler, or v1.19.
"""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from conformance.strategies.drawn import any_of
from conformance.strategies.exchanged import exchanging, of_areas
from conformance.strategies.longer import with_longer_lists
from conformance.strategies.twins import twinning
from refsched.suite.histories.history import History

OF_AREAS = ("mixed", "node_affinity", "pod_affinity", "ports", "resources", "spread", "taints")


def histories() -> SearchStrategy[History]:
    return any_of(*(varied(of_areas(OF_AREAS)) for varied in (exchanging, twinning, with_longer_lists)))
