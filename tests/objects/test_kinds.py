# SPDX-License-Identifier: Apache-2.0
"""Kinds: the table of the objects that scheduling reads."""

from __future__ import annotations

from refsched.objects.kinds import KINDS, described_as, kind_of
from refsched.objects.meta import ObjectMeta
from refsched.objects.node import Node
from refsched.objects.pod import Pod


def test_the_row_of_an_object_is_that_of_its_class() -> None:
    pod = Pod(ObjectMeta(name="a", namespace="ns"))
    assert kind_of(pod).namespaced
    assert not kind_of(Node()).namespaced
    assert described_as(pod) == "Pod ns/a"


def test_no_kind_stands_twice_in_the_table() -> None:
    names = [(kind.group, kind.name) for kind in KINDS]
    assert len(names) == len(set(names)) == len({kind.type for kind in KINDS})
