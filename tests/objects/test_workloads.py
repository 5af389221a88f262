# SPDX-License-Identifier: Apache-2.0
"""Namespaces, Services and the owners of pods, read from API objects."""

from __future__ import annotations

import pytest

from refsched.errors import InputError
from refsched.objects.meta import LabelSelector
from refsched.objects.reading import read_as
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Namespace, ReplicaSet, ReplicationController, Service, StatefulSet

BY_LABELS = (Service, ReplicationController)
BY_SELECTOR = (ReplicaSet, StatefulSet)
ALL = (Namespace, *BY_LABELS, *BY_SELECTOR)


@pytest.mark.parametrize("kind", ALL)
def test_each_goes_by_its_kubernetes_kind_and_is_kept_under_it(kind: type) -> None:
    store = ObjectStore()
    shown = read_as(kind, {"kind": kind.__name__, "metadata": {"name": "web", "namespace": "shop"}})
    store.put(shown)
    assert kind.kind == kind.__name__
    assert store.get(kind, "web", "shop") is shown


def test_a_namespace_has_labels() -> None:
    assert read_as(Namespace, {"metadata": {"name": "shop", "labels": {"team": "a"}}}).metadata.labels == {
        "team": "a"
    }


@pytest.mark.parametrize("kind", BY_LABELS)
def test_services_and_replication_controllers_select_by_equal_labels(
    kind: type[Service] | type[ReplicationController],
) -> None:
    assert read_as(kind, {"spec": {"selector": {"app": "web"}}}).spec.selector == {"app": "web"}
    assert read_as(kind, {"spec": {"selector": None}}).spec.selector == {}


@pytest.mark.parametrize("kind", BY_SELECTOR)
def test_replica_sets_and_stateful_sets_select_by_a_label_selector(
    kind: type[ReplicaSet] | type[StatefulSet],
) -> None:
    read = read_as(kind, {"spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}}})
    assert read.spec.selector == LabelSelector({"app": "web"})
    assert read_as(kind, {}).spec.selector is None


def test_a_selector_of_the_wrong_type_is_refused_by_its_path() -> None:
    with pytest.raises(InputError, match="expected a string, found 1"):
        read_as(Service, {"spec": {"selector": {"app": 1}}})
