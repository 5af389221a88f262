# SPDX-License-Identifier: Apache-2.0
"""What areas without devices draw, with exchanged values, with twins of names, or with longer lists.

It is for those who have no devices, such as a part of a scheduler, or v1.19.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis.strategies import SearchStrategy

from conformance.strategies.drawn import any_of
from conformance.strategies.exchanged import exchanging, of_areas
from conformance.strategies.longer import with_longer_lists
from conformance.strategies.twins import twinning
from refsched.suite.histories.history import History

OF_PODS = ("mixed", "node_affinity", "pod_affinity", "ports", "resources", "spread", "taints")
OF_VOLUMES = ("attached", "awaited_volumes", "claims", "disks", "limits", "volumes")


def pods() -> SearchStrategy[History]:
    """Draws what needs neither volumes nor devices."""
    return _varied(OF_PODS)


def volumes() -> SearchStrategy[History]:
    """Draws what needs volumes, and no devices."""
    return _varied(OF_VOLUMES)


def _varied(areas: Sequence[str]) -> SearchStrategy[History]:
    return any_of(*(varied(of_areas(areas)) for varied in (exchanging, twinning, with_longer_lists)))
