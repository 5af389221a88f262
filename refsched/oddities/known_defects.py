# SPDX-License-Identifier: Apache-2.0
"""The oddities of v1.34.2 and later releases, and how a plugin is given some of them.

Each is independent of the others: the specification can be built with any set of them, or with none.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from attrs import evolve

from refsched.oddities.dynamic_resources import (
    ALL_AGAINST_A_CONSTRAINT,
    ALL_OF_A_BROKEN_POOL,
    ALL_OF_AN_ALTERNATIVE,
    MATCHED_BY_AN_ALTERNATIVE,
    SLICES_OUT_OF_REACH,
)
from refsched.oddities.fixed_orders import ORDER_OF_CLAIMS, ORDER_OF_VICTIMS
from refsched.oddities.inter_pod_affinity import (
    EXCLUDED_NAMESPACES,
    FIRST_OF_ITS_KIND,
    NAMESPACES_OF_HINTS,
    ONE_TERM_OF_MANY,
    REQUIRED_APART_BY_A_DELETED_POD,
)
from refsched.oddities.known_defect import KnownDefect, Oddity
from refsched.oddities.node_ports import PORT_OF_TWO_PODS
from refsched.oddities.volume_restrictions import CLAIMS_OF_A_NODE_CREATED_ANEW

KNOWN_DEFECTS: tuple[KnownDefect, ...] = (
    MATCHED_BY_AN_ALTERNATIVE,
    ALL_OF_AN_ALTERNATIVE,
    ALL_OF_A_BROKEN_POOL,
    ALL_AGAINST_A_CONSTRAINT,
    SLICES_OUT_OF_REACH,
    EXCLUDED_NAMESPACES,
    REQUIRED_APART_BY_A_DELETED_POD,
    ONE_TERM_OF_MANY,
    FIRST_OF_ITS_KIND,
    NAMESPACES_OF_HINTS,
    CLAIMS_OF_A_NODE_CREATED_ANEW,
    PORT_OF_TWO_PODS,
)

LATER: frozenset[Oddity] = frozenset({CLAIMS_OF_A_NODE_CREATED_ANEW})
"""v1.34.2 does not have these defects yet."""

MENDED = frozenset(
    {
        MATCHED_BY_AN_ALTERNATIVE,
        ALL_OF_AN_ALTERNATIVE,
        SLICES_OUT_OF_REACH,
        EXCLUDED_NAMESPACES,
        ONE_TERM_OF_MANY,
        REQUIRED_APART_BY_A_DELETED_POD,
    }
)
"""The newest release does not have these defects any more."""

Oddities = frozenset[Oddity]
AS_RELEASED: Oddities = frozenset[Oddity]((*KNOWN_DEFECTS, ORDER_OF_VICTIMS, ORDER_OF_CLAIMS)) - LATER
AS_PROMISED: Oddities = frozenset()


def with_oddities(plugin: Any, oddities: Collection[Oddity]) -> Any:
    """Returns the same plugin with those of ``oddities`` that belong to it."""
    steps = {
        name: step for each in oddities if each.plugin == plugin.name for name, step in each.steps.items()
    }
    return evolve(plugin, steps=evolve(plugin.steps, **steps)) if steps else plugin
