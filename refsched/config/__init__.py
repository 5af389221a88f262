# SPDX-License-Identifier: Apache-2.0
"""Configuration: from a KubeSchedulerConfiguration to the plugins of each profile, in order.

``read_config`` reads and validates, ``resolve`` merges with the defaults; both refuse what kube-scheduler
refuses to start with.
"""
