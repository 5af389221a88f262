# SPDX-License-Identifier: Apache-2.0
"""Preemption: which pods are evicted so that a pod of higher priority fits, and on which node.

May the pod preempt at all (``eligibility``)? On which nodes would which victims make room (``dry_run``,
``victims``, with ``importance`` and ``disruption``)? What do extenders say (``extenders``)? Which of the
candidates is taken (``pick``)? The plugin that does these steps is plugins/default_preemption.py.
"""
