# SPDX-License-Identifier: Apache-2.0
"""Deletions: of victims, where an implementation tells of them."""

from __future__ import annotations

from refsched.checking.agreement import Disagreement
from refsched.checking.checker import Checker
from refsched.checking.deletions import Deletions
from refsched.records import Attempt, Create, Write


def deletion(name: str, **metadata: str) -> Write:
    return Write("delete", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}})


def test_who_reports_the_deletions_of_all_victims_agrees() -> None:
    deletions = Deletions()
    deletions.specify(deletion("a"))
    deletions.specify(deletion("b", namespace="other"))
    assert list(deletions.take(deletion("b", namespace="other"))) == []
    assert list(deletions.take(deletion("a", namespace="default"))) == []
    assert deletions.missing() == []


def test_who_reports_one_deletion_must_report_the_others_also_later() -> None:
    deletions = Deletions()
    for name in ("a", "b"):
        deletions.specify(deletion(name))
    assert list(deletions.take(deletion("a"))) == []
    assert deletions.missing() == [Disagreement("victims.default/b", "deleted", "not deleted")]
    deletions.specify(deletion("c"))
    assert [one.member for one in deletions.missing()] == ["victims.default/c"]
    assert deletions.missing() == []


def test_who_never_reports_a_deletion_leaves_them_to_others() -> None:
    deletions = Deletions()
    deletions.specify(deletion("a"))
    assert deletions.missing() == []


def test_nobody_but_a_victim_is_deleted_and_that_once() -> None:
    deletions = Deletions()
    deletions.specify(deletion("a"))
    assert list(deletions.take(deletion("a"))) == []
    found = [one.member for name in ("a", "b") for one in deletions.take(deletion(name))]
    assert found == ["victims.default/a", "victims.default/b"]


def test_only_deletions_of_pods_are_looked_at() -> None:
    deletions = Deletions()
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"}}
    for other in (Write("delete", claim), Write("update", {"kind": "Pod", "metadata": {"name": "a"}})):
        deletions.specify(other)
        assert list(deletions.take(other)) == []
    assert deletions.missing() == []


def test_a_checker_looks_at_deletions() -> None:
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "1", "pods": "9"}},
    }

    def pod(name: str, **spec: object) -> Create:
        container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
        metadata = {"name": name}
        return Create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": metadata,
                "spec": {"containers": [container], **spec},
            }
        )

    def beside() -> Checker:
        checker = Checker(config)
        for record in (Create(node), pod("low", nodeName="n"), pod("high", priority=1)):
            checker.take(record)
        assert checker.take(Attempt("default/high", "unschedulable", victims=("default/low",))) == []
        return checker

    honest = beside()
    assert honest.take(deletion("low")) == []
    assert honest.take_missing() == []
    assert [one.member for one in beside().take(deletion("other"))] == ["victims.default/other"]
    assert beside().take_missing() == []
