# SPDX-License-Identifier: Apache-2.0
"""Remembering: a scheduler that works in proportion to what changed, and decides as it would without.

Plugins are pure, and a NodeInfo does not change: what Filter and Score say of a node for pods of one kind holds
as long as that NodeInfo does. ``remember`` gives a scheduler a memory of it; nothing of the specification knows of
it, and a test runs traces and histories with it and without.

``kinds`` says which pods are alike, ``values`` what may be compared instead of asked again, ``answers`` keeps what
was said of each node, ``preempting`` what dry runs of preemption found there, ``framework`` looks there before it
asks, ``sums`` keeps counts over all nodes up to date, and ``changes`` says which nodes changed since the last
snapshot.
While somebody listens to which rules are applied (refsched/rules.py), everything is asked anew.
"""

from refsched.remembering.remember import remember

__all__ = ["remember"]
