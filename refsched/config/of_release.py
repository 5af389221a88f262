# SPDX-License-Identifier: Apache-2.0
"""ConfigOfRelease: the part of the configuration that a release defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import methodcaller

from attrs import frozen

from refsched.config.args import PluginArgs
from refsched.config.types import PluginSet


@frozen
class ConfigOfRelease:
    """``defaults`` has the numbers that a configuration may leave out. ``merged_set`` merges a profile's plugins
    at a point with the default ones there. ``not_yet`` has the paths of fields (``profiles[].plugins.multiPoint``)
    that only a later version of the API has, and ``unread`` names fields that this version has, each a string, and
    that do not concern scheduling.

    Arguments are checked when a configuration is read; those of the plugins ``checked_where_enabled`` only if the
    plugin is enabled, by ``check_enabled``. A configuration that names one of the ``removed_plugins`` is refused,
    and so are arguments under one of the names ``misnamed_args``.
    """

    defaults: Mapping[str, int]
    merged_set: Callable[[PluginSet, PluginSet], PluginSet]
    checked_where_enabled: frozenset[str]
    check_enabled: Callable[[PluginArgs], None] = methodcaller("validate")
    removed_plugins: frozenset[str] = frozenset()
    misnamed_args: frozenset[str] = frozenset()
    not_yet: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
