# SPDX-License-Identifier: Apache-2.0
"""Configuration: the fields of a KubeSchedulerConfiguration, and the plugins of each profile, in order.

``resolve`` merges the plugins of a profile with the default ones. How a configuration is read and validated is in
refsched/reading/configuration.
"""
