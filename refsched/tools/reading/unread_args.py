# SPDX-License-Identifier: Apache-2.0
"""Unread arguments: the entries of pluginConfig that no plugin reads."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from refsched.config.types import KubeSchedulerConfiguration
from refsched.releases import DEFAULT
from refsched.releases.release import Release


def unread_args(config: KubeSchedulerConfiguration, release: Release = DEFAULT) -> Iterator[str]:
    """Returns a sentence for each entry of pluginConfig that is not read. kube-scheduler does not report it."""
    for number, profile in enumerate(config.profiles):
        for index, entry in enumerate(profile.plugin_config):
            place = f"profiles[{number}].pluginConfig[{index}]"
            if entry.name in release.args:
                continue
            if entry.name in release.plugins:
                yield f"{place} is ignored: {entry.name} takes no arguments"
                continue
            near = get_close_matches(entry.name[:100], release.args, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield f"{place} is ignored: there is no plugin {entry.name!r:.60}{hint}"
