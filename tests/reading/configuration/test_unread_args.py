# SPDX-License-Identifier: Apache-2.0
"""Arguments that no plugin reads."""

from __future__ import annotations

from refsched.reading.configuration.read import read_config
from refsched.reading.configuration.unread import unread_args


def test_arguments_that_nobody_reads_are_reported() -> None:
    entries = [
        {"name": "NodeAffinty", "args": {}},
        {"name": "NodePorts"},
        {"name": "Coscheduling"},
        {"name": "NodeResourcesFit"},
    ]
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": entries, "plugins": {"filter": {"disabled": [{"name": "NodePort"}]}}}],
    }
    assert list(unread_args(read_config(config))) == [
        "profiles[0].plugins.filter.disabled[0] has no effect: there is no plugin 'NodePort'; did you mean"
        " NodePorts?",
        "profiles[0].pluginConfig[0] is ignored: there is no plugin 'NodeAffinty'; did you mean NodeAffinity?",
        "profiles[0].pluginConfig[1] is ignored: NodePorts takes no arguments",
        "profiles[0].pluginConfig[2] is ignored: there is no plugin 'Coscheduling'",
    ]
