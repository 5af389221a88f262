# SPDX-License-Identifier: Apache-2.0
"""Configuration: a KubeSchedulerConfiguration becomes the plugins of each profile, in order.

``read_config`` reads and validates it, and ``resolve`` merges it with the defaults. Both refuse a configuration
with which kube-scheduler does not start.
"""
