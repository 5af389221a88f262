# SPDX-License-Identifier: Apache-2.0
"""Preemption: which pods are evicted so that a pod of higher priority fits, and on which node.

``eligibility`` says whether the pod may preempt at all. ``dry_run`` and ``victims``, with ``importance`` and
``disruption``, find the nodes where preemption helps, and the victims on each. ``extenders`` may reject such
candidates, and ``pick`` picks one of them. The plugin that does these steps is plugins/default_preemption.py;
``eviction`` then deletes the victims.

Used by: DefaultPreemption.
"""
