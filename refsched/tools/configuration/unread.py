# SPDX-License-Identifier: Apache-2.0
"""Unread: the fields of a KubeSchedulerConfiguration that do not concern scheduling.

Source: k8s.io/kube-scheduler/config/v1/types.go; component-base/config/v1alpha1 types.go, defaults.go (v0.34.2).
"""

from __future__ import annotations

from attrs import frozen

from refsched.config.scalars import Int32, Seconds
from refsched.config.types import KubeSchedulerConfiguration


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
