# SPDX-License-Identifier: Apache-2.0
"""Which pods another release places differently, and what is the cause."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from plan_world import Json, node, pod

from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.objects.meta import ApiObject
from refsched.reading.configuration.read import default_config
from refsched.reading.manifests import read_manifests
from refsched.releases import RELEASES, release_of
from refsched.remembering import remember
from refsched.tools.planner.causes import Causes, described
from refsched.tools.planner.cluster import show
from refsched.tools.planner.exchange import ALL_NODES, OBJECTS, WEIGHT, DifferingPart, Placement, side
from refsched.tools.planner.explain import without_node
from refsched.tools.planner.upgrade import PlacementChange, UpgradeComparison, compare
from refsched.tools.rulebook.causes import as_value, explained


def compared(
    *values: Json, releases: tuple[str, str] = ("1.19", "1.34"), remembers: bool = False
) -> UpgradeComparison:
    """Compares the cluster as two releases see it."""
    one, other = (_seen_by(release, values, remembers=remembers) for release in releases)
    return compare(one, other)


def _seen_by(name: str, values: Sequence[Json], *, remembers: bool) -> tuple[Scheduler, Sequence[ApiObject]]:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)})
    release = release_of(name)
    objects = read_manifests(["-"], BytesIO(text.encode()), release=release).objects
    scheduler = scheduler_of(default_config(release), SeededChoices(0), release=release)
    return (remember(scheduler) if remembers else scheduler), objects


def change(*values: Json) -> PlacementChange:
    [found] = compared(*values).changes
    return found


def spread(**more: Any) -> Json:
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [constraint | {"labelSelector": {"matchLabels": {"app": "web"}}}]}


ZONES = (node("a1", labels={"zone": "a"}), node("b1", labels={"zone": "b"}))
WEB = {"labels": {"app": "web"}}


def test_a_pod_that_may_go_to_the_same_nodes_is_not_listed() -> None:
    assert compared(node("n1"), node("n2"), pod("p"), pod("r", on="n1")) == UpgradeComparison(2)


def test_a_node_is_rejected_by_the_release_alone_that_reads_a_field() -> None:
    others = [pod(f"on-{name}", on=name, meta=WEB) for name in ("a1", "b1")]
    found = change(*ZONES, *others, pod("p", meta=WEB, **spread(minDomains=3)))
    assert (found.pod, found.before.nodes, found.after.nodes) == ("default/p", ("a1", "b1"), ())
    assert found.before.rejections == {}
    assert found.after.rejections["a1"].startswith("PodTopologySpread: node(s) didn't match pod topology")
    assert (found.parts, found.effect) == ((DifferingPart(OBJECTS),), "nowhere")


def test_where_a_field_is_read_by_one_release_alone_the_plugin_and_its_rule_are_named() -> None:
    others = [pod(f"on-{name}", on=name, meta=WEB) for name in ("a1", "b1")]
    cluster = [*ZONES, *others, pod("p", meta=WEB, **spread(minDomains=3))]
    for releases, reads_it in ((("1.19", "1.37"), 1), (("1.37", "1.19"), 0)):
        [cause] = compared(*cluster, releases=releases).causes
        words = explained(cause, releases)
        assert words.cause == "how objects are read and counted (PodTopologySpread)"
        assert [[rule.id for rule in rules] for rules in words.rules][reads_it] == ["R-SPREAD-19"]
        assert words.rules[1 - reads_it] == ()


def test_no_rule_is_named_that_plays_no_part() -> None:
    """A gated pod that other plugins would have placed elsewhere is rejected by its gate alone."""
    tainted = node("n1", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    gated = pod("p", tolerations=[{"operator": "Exists"}], schedulingGates=[{"name": "quota"}])
    busy = pod("busy", cpu="3", on="n2")
    [cause] = compared(tainted, node("n2"), busy, gated, releases=("1.19", "1.37")).causes
    assert [[rule.id for rule in rules] for rules in explained(cause, ("1.19", "1.37")).rules] == [
        [],
        ["R-GATES-01"],
    ]


def test_images_are_counted_as_in_a_cluster_that_has_run_for_a_while() -> None:
    """v1.19 counts the nodes with an image when a node is reported, which kubelets do again and again."""
    images = [{"names": ["x:1"], "sizeBytes": 700_000_000}]
    nodes = [node(f"n{number}") for number in range(3)]
    for each in nodes:
        each["status"]["images"] = images
    waiting = pod("p")
    waiting["spec"]["containers"][0]["image"] = "x:1"
    assert compared(*nodes, waiting, releases=("1.19", "1.37")) == UpgradeComparison(1)


def test_a_pod_that_runs_is_decided_as_if_it_did_not() -> None:
    runs = pod("p", on="a1", meta=WEB, **spread(minDomains=3))
    others = [pod(f"on-{name}", on=name, meta=WEB) for name in ("a1", "b1")]
    assert [each.pod for each in compared(*ZONES, runs, *others).changes] == ["default/p"]


def test_a_gated_pod_says_why_it_goes_nowhere() -> None:
    found = change(node("n1"), pod("p", schedulingGates=[{"name": "quota"}]))
    assert (found.before.nodes, found.after.nodes) == (("n1",), ())
    assert found.after.message == "waiting for scheduling gates: [quota]"
    assert described(found.parts) == "SchedulingGates"


def test_a_weight_that_decides_alone_is_the_cause() -> None:
    tainted = node("n1", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    found = change(tainted, node("n2"), pod("busy", cpu="3", on="n2"), pod("p", tolerations=[]))
    assert (found.before.nodes, found.after.nodes, found.effect) == (("n1",), ("n2",), "elsewhere")
    assert DifferingPart(WEIGHT, "TaintToleration", (1, 3)) in found.parts


def test_a_pod_that_is_placed_again_says_so() -> None:
    gated = pod("p", schedulingGates=[{"name": "quota"}])
    [cause] = compared(node("n1"), gated, releases=("1.34", "1.19")).causes
    assert cause.changes[0].effect == "placed"
    assert explained(cause, ("1.34", "1.19")).advice == "nothing: these pods were placed nowhere"


def test_a_finished_pod_is_not_compared() -> None:
    assert compared(node("n1"), pod("p", status={"phase": "Succeeded"})).pods == 0


def test_without_nodes_both_place_a_pod_nowhere() -> None:
    assert compared(pod("p")) == UpgradeComparison(1)


UNEVEN = (
    node("n1", cpu="8"),
    node("n2", cpu="2"),
    pod("busy", cpu="1", on="n2"),
    pod("p", cpu="100m"),
    pod("q", cpu="300m"),
)


def test_the_cause_names_the_rule_of_each_release_and_the_change_to_kubernetes() -> None:
    cluster = [node(f"n{i}", cpu=str(2 + i % 5), taints=[] if i % 3 else TAINT) for i in range(6)]
    cluster += [pod(f"r{i}", cpu="100m", on=f"n{i % 6}", meta=WEB) for i in range(12)]
    releases = ("1.35", "1.36")
    found = compared(*cluster, releases=releases)
    [cause] = found.causes
    words = explained(cause, releases)
    assert words.cause == "NodeResourcesBalancedAllocation"
    assert [rule.id for rule in words.rules[0]] == ["R-BALANCED-06"]
    assert [rule.id for rule in words.rules[1]] == ["R-BALANCED-05"]
    assert words.change.startswith("kubernetes #135573 ")
    value = as_value(found, releases)
    assert (value["changed"], value["causes"][0]["parts"]) == (
        len(cause.changes),
        [{"kind": "plugin", "plugin": "NodeResourcesBalancedAllocation"}],
    )


CAPACITIES: list[Json] = [
    {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "csi.x",
        "volumeBindingMode": "WaitForFirstConsumer",
    },
    {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": "csi.x"},
        "spec": {"storageCapacity": True},
    },
    *(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIStorageCapacity",
            "metadata": {"name": zone, "namespace": "default"},
            "storageClassName": "fast",
            "capacity": capacity,
            "nodeTopology": {"matchLabels": {"zone": zone}},
        }
        for zone, capacity in (("a", "20Gi"), ("b", "900Gi"))
    ),
    {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "10Gi"}},
        },
    },
]


def test_a_gate_that_the_newer_release_has_on_is_the_change_to_kubernetes() -> None:
    releases = ("1.34", "1.37")
    uses = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])
    [cause] = compared(*ZONES, *CAPACITIES, uses, releases=releases).causes
    words = explained(cause, releases)
    assert (words.cause, words.change) == ("VolumeBinding", "feature gate StorageCapacityScoring is on")
    assert [rule.id for rule in words.rules[0]] == ["R-VOLBIND-22"]
    assert {"R-VOLBIND-30", "R-VOLBIND-32"} <= {rule.id for rule in words.rules[1]}


def test_a_cause_that_is_how_objects_are_read_names_their_rules() -> None:
    sidecar = {
        "name": "proxy",
        "image": "x",
        "restartPolicy": "Always",
        "resources": {"requests": {"cpu": "3"}},
    }
    releases = ("1.19", "1.34")
    [cause] = compared(node("n1"), pod("p", cpu="2", initContainers=[sidecar]), releases=releases).causes
    words = explained(cause, releases)
    assert words.cause == "how objects are read and counted (NodeResourcesFit)"
    assert "R-REQUEST-03" in {rule.id for rule in words.rules[1]}


# --- Every cause that is named is confirmed --------------------------------------------------------

TAINT = [{"key": "k", "effect": "PreferNoSchedule"}]


@st.composite
def clusters(draw: st.DrawFn) -> list[Json]:
    def one_node(number: int) -> Json:
        spec = {"taints": TAINT} if draw(st.booleans()) else {}
        cpu = str(draw(st.integers(1, 6)))
        return node(f"n{number}", cpu=cpu, labels={"zone": draw(st.sampled_from("ab"))}, **spec)

    def one_pod(number: int) -> Json:
        on = draw(st.sampled_from(["", *(f"n{node}" for node in range(count))]))
        more: Json = draw(
            st.sampled_from([{}, spread(minDomains=3), spread(), {"schedulingGates": [{"name": "quota"}]}])
        )
        more = {} if on and "schedulingGates" in more else more
        return pod(f"p{number}", cpu=f"{draw(st.integers(0, 9))}00m", on=on, meta=WEB, **more)

    count = draw(st.integers(2, 4))
    return [*map(one_node, range(count)), *map(one_pod, range(draw(st.integers(1, 6))))]


@settings(max_examples=30, derandomize=True, deadline=None)
@given(clusters(), st.sampled_from([(a, b) for a in RELEASES for b in RELEASES if a != b]), st.booleans())
def test_with_its_cause_alone_taken_back_a_pod_goes_where_it_went(
    cluster: list[Json], releases: tuple[str, str], remembers: bool
) -> None:
    found = compared(*cluster, releases=releases, remembers=remembers)
    for changed in found.changes:
        assert changed.parts, "every difference has a cause"
        assert set(changed.before.nodes) != set(changed.after.nodes)
        assert _is_taken_back(cluster, releases, changed)


def _is_taken_back(cluster: list[Json], releases: tuple[str, str], changed: PlacementChange) -> bool:
    """Returns whether the pod goes where it went, by two new schedulers that do without a memory."""
    without = [each for each in cluster if each["metadata"]["name"] != changed.pod.removeprefix("default/")]
    sides, pods = [], []
    for release in releases:
        scheduler, objects = _seen_by(release, cluster, remembers=False)
        pods.append(without_node(next(each for each in objects if each.key == changed.pod)))
        scheduler, objects = _seen_by(release, without, remembers=False)
        show(scheduler, objects)
        sides.append(side(scheduler, "default-scheduler"))
    before, after = sides
    old, new = pods
    return Causes(before, after).is_taken_back(changed.parts, old, new, changed.before)


def test_a_difference_that_no_exchange_takes_back_has_no_cause() -> None:
    one, other = (_seen_by("1.34", UNEVEN, remembers=False) for _ in range(2))
    for scheduler, objects in (one, other):
        show(scheduler, objects)
    sides = [side(scheduler, "default-scheduler") for scheduler, _ in (one, other)]
    waiting = next(each for each in one[1] if each.key == "default/p")
    assert Causes(*sides).of(waiting, waiting, Placement(("no such node",))) == ()
    assert sides[0].decide(waiting, ALL_NODES).evaluated == {"n1", "n2"}
