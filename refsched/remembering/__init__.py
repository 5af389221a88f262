# SPDX-License-Identifier: Apache-2.0
"""Remembering: a scheduler that works in proportion to what changed, and decides as it would without.

Plugins are pure, and a NodeInfo does not change: what Filter and Score say for one pod of one node holds for all
pods and nodes of which they read the same. ``remember`` gives a scheduler a memory of it, and a test runs traces
and histories with it and without. The specification knows of it in three places: a plugin says in READS whether
it reads who a pod is (``framework/interface.py``), what is counted on nodes is a value
(``Snapshot.sum_over_nodes``), and a node's own pods are counted so, too, where PodTopologySpread scores hosts.

``kinds`` says which pods are alike, and ``node_kinds`` which nodes are to which plugins; ``values`` says what
may be compared instead of asked again, ``answers`` keeps what was said of each kind of nodes, ``preempting``
what dry runs of preemption found, ``framework`` looks there before it asks, ``sums`` keeps counts over all nodes
up to date, and ``changes`` says which nodes changed since the last snapshot. While somebody listens to which
rules are applied (refsched/rules.py), everything is asked anew.
"""

from refsched.remembering.remember import remember

__all__ = ["remember"]
