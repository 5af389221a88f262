# SPDX-License-Identifier: Apache-2.0
"""Volumes that a pod waits for in PreBind: one is to be made, or one that is there is to be bound. Meanwhile the
volume, its claim, the pod and its node change or go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.changes import nodes_changed, nodes_removed, pods_removed
from conformance.strategies.drawn import any_of
from conformance.strategies.storage import CLASSES, claim, puts, removes, volume, with_uids
from conformance.strategies.volumes import CONFIGS, PLAIN_CLAIM, PLAIN_VOLUME
from conformance.vocabulary.builder import Change, HistoryBuilder
from conformance.vocabulary.objects import ZONE, node, pod
from conformance.vocabulary.storage import IN_ZONE_A, using, with_some
from refsched.records import Reference
from refsched.suite.histories.api_server import LEFT_ALONE
from refsched.suite.histories.history import History

Json = dict[str, Any]

_SMALL_CLAIM, _SMALL_VOLUME = {**PLAIN_CLAIM, "size": "1Gi"}, {**PLAIN_VOLUME, "size": "1Gi"}
_TO_BE_MADE, _MADE = {**_SMALL_CLAIM, "class": "made"}, {**_SMALL_VOLUME, "class": "made"}
_ALONE = {"annotations": {LEFT_ALONE: "true"}}
_MAKING = (*CLASSES[:2], with_some(claim(1, _TO_BE_MADE), metadata=_ALONE))
_MADE_IN_STEPS = (
    *(claim(1, {**_TO_BE_MADE, "state": state}) for state in ("made", "sent", "made", "promised", "bound")),
    *(volume(1, {**_MADE, "reach": reach}) for reach in ([], [IN_ZONE_A])),
)
_FREE = volume(1, {**_SMALL_VOLUME, "reach": []})
_BINDING = (*CLASSES[:1], claim(1, _SMALL_CLAIM), with_some(_FREE, metadata=_ALONE))
_BOUND_IN_STEPS = (
    *(claim(1, {**_SMALL_CLAIM, "state": state}) for state in ("bound", "promised", "promised", "sent")),
    *(
        volume(1, {**_SMALL_VOLUME, "owner": owner, "reach": []})
        for owner in ("its uid", "its name", "an earlier one", "")
    ),
    *[volume(1, {**_SMALL_VOLUME, "owner": "its uid", "reach": [IN_ZONE_A]})] * 3,
)
_LABELLED = st.sampled_from([node(), node(), node(labels={ZONE: "a"}), node(labels={ZONE: "b"})])


def _later(steps: Sequence[Json]) -> SearchStrategy[Change]:
    """Draws what happens while the pod waits, which is most often one of these steps."""
    return any_of(
        *[puts(st.sampled_from(steps))] * 4,
        removes(
            Reference("PersistentVolume", "v1"), Reference("PersistentVolumeClaim", "c1", namespace="default")
        ),
        st.one_of(nodes_changed(_LABELLED), nodes_removed(), pods_removed()),
    )


@st.composite
def _awaiting(draw: DrawFn, around: Sequence[Json], later: SearchStrategy[Change]) -> History:
    """A pod waits for its volume. Its claim may name that before it is there, and the volume may be taken away."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*around)
    for value in draw(st.lists(_LABELLED, min_size=1, max_size=2)):
        cluster.add_node(value)
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    for change in draw(st.lists(later, min_size=1, max_size=3)):
        change(cluster)
        cluster.wait(1)
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.wait()
    cluster.schedule()
    return with_uids(cluster.history(draw(CONFIGS)))


def histories() -> SearchStrategy[History]:
    return st.one_of(_awaiting(_MAKING, _later(_MADE_IN_STEPS)), _awaiting(_BINDING, _later(_BOUND_IN_STEPS)))
