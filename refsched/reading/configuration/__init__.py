# SPDX-License-Identifier: Apache-2.0
"""Configuration: which KubeSchedulerConfiguration and which feature gates kube-scheduler starts with, and which it
refuses.

``read_config`` reads and validates a configuration, and ``with_feature_gates`` sets the gates of a release. What a
configuration then means is in refsched/config.
"""
