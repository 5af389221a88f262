# SPDX-License-Identifier: Apache-2.0
"""Unread: fields of a KubeSchedulerConfiguration that do not concern scheduling, and arguments that nothing reads.

Source: k8s.io/kube-scheduler/config/v1/types.go; component-base/config/v1alpha1 types.go, defaults.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from refsched.config.scalars import Int32, Seconds
from refsched.config.types import EXTENSION_POINTS, MULTI_POINT, KubeSchedulerConfiguration
from refsched.errors import did_you_mean
from refsched.releases import DEFAULT
from refsched.releases.release import Release


@frozen
class LeaderElectionConfiguration:
    leader_elect: bool = True
    lease_duration: Seconds = Seconds(0.0)
    renew_deadline: Seconds = Seconds(0.0)
    retry_period: Seconds = Seconds(0.0)
    resource_lock: str = ""
    resource_name: str = ""
    resource_namespace: str = ""


@frozen
class ClientConnectionConfiguration:
    kubeconfig: str = ""
    accept_content_types: str = ""
    content_type: str = ""
    qps: float = 0.0
    burst: Int32 = Int32(0)


@frozen
class WholeConfiguration(KubeSchedulerConfiguration):
    """A WholeConfiguration has every field that a configuration may have."""

    leader_election: LeaderElectionConfiguration = LeaderElectionConfiguration()
    client_connection: ClientConnectionConfiguration = ClientConnectionConfiguration()
    enable_profiling: bool = True
    enable_contention_profiling: bool = True
    delay_cache_until_active: bool = False


def unread_args(config: KubeSchedulerConfiguration, release: Release = DEFAULT) -> Iterator[str]:
    """Returns a sentence for each entry of pluginConfig that is not read, and for each plugin that is disabled and
    does not exist. kube-scheduler does not report it."""
    for number, profile in enumerate(config.profiles):
        for point in (*EXTENSION_POINTS, MULTI_POINT):
            for index, disabled in enumerate(profile.plugins.at(point).disabled):
                if disabled.name not in (*release.plugins, "*"):
                    hint = did_you_mean(disabled.name, release.plugins)
                    yield (
                        f"profiles[{number}].plugins.{point}.disabled[{index}] has no effect:"
                        f" there is no plugin {disabled.name!r:.60}{hint}"
                    )
        for index, entry in enumerate(profile.plugin_config):
            place = f"profiles[{number}].pluginConfig[{index}]"
            if entry.name in release.args:
                continue
            if entry.name in release.plugins:
                yield f"{place} is ignored: {entry.name} takes no arguments"
                continue
            hint = did_you_mean(entry.name, release.args)
            yield f"{place} is ignored: there is no plugin {entry.name!r:.60}{hint}"
