# SPDX-License-Identifier: Apache-2.0
"""Plugins of v1.19 whose names are still in use: where they decided otherwise than they do today."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from refsched.framework.interface import Continue, Reject, Skip
from refsched.framework.node_info import ImageState, NodeInfo, PodInfo
from refsched.framework.snapshot import Snapshot
from refsched.framework.status import SUCCESS, Status, error, unresolvable, unschedulable
from refsched.objects.node import Node
from refsched.objects.pod import TopologySpreadConstraint
from refsched.objects.reading import read_as
from refsched.objects.storage import CSINode
from refsched.objects.store import ObjectStore
from refsched.objects.workloads import Service
from refsched.oddities.fixed_orders import FIXED_ORDERS
from refsched.releases import release_of
from refsched.releases.v1_19.oddities import PANICS
from refsched.releases.v1_19.plugins.image_locality import ImageLocality
from refsched.releases.v1_19.plugins.inter_pod_affinity import InterPodAffinity
from refsched.releases.v1_19.plugins.node_affinity import NodeAffinity
from refsched.releases.v1_19.plugins.node_name import NodeName
from refsched.releases.v1_19.plugins.node_resources_fit import NodeResourcesFit
from refsched.releases.v1_19.plugins.node_volume_limits import NodeVolumeLimits, limit_key
from refsched.releases.v1_19.plugins.non_csi_volume_limits import (
    AZURE_DISK,
    CINDER,
    EBS,
    GCE_PD,
    NonCSIVolumeLimits,
)
from refsched.releases.v1_19.plugins.pod_topology_spread import PodTopologySpread
from refsched.releases.v1_19.plugins.taint_toleration import TaintToleration
from refsched.releases.v1_19.plugins.volume_binding import VolumeBinding
from refsched.releases.v1_19.plugins.volume_restrictions import VolumeRestrictions
from refsched.releases.v1_19.plugins.volume_zone import VolumeZone
from refsched.suite.catalogue.rules import all_rules
from tests.applied import applied, container, info, node, on, requesting
from tests.plugins import affinity_world
from tests.snapshots import snapshot_of
from tests.volume_objects import by_hand, claim, storage_class, store, volume
from tests.world import World

GPU = "example.com/gpu"
MIB = 2**20


def named(name: str, *pods: PodInfo, **labels: str) -> NodeInfo:
    known = NodeInfo(read_as(Node, {"metadata": {"name": name, "labels": labels}}))
    for each in pods:
        known = known.with_pod(each)
    return known


# --- NodeName, TaintToleration, ImageLocality -----------------------------------------------------


def test_the_reason_of_a_node_that_is_not_named_speaks_of_the_hostname() -> None:
    assert NodeName().filter(None, info(nodeName="n1"), on(node())) == SUCCESS
    rejected = unresolvable("node(s) didn't match the requested hostname")
    assert NodeName().filter(None, info(nodeName="n2"), on(node())) == rejected


def test_the_reason_names_the_first_taint_that_is_not_tolerated() -> None:
    taints = [
        {"key": "soft", "effect": "PreferNoSchedule"},
        {"key": "a", "value": "x", "effect": "NoSchedule"},
        {"key": "b", "effect": "NoExecute"},
    ]
    plugin, tainted = TaintToleration(), on(node(taints=taints))
    first = unresolvable("node(s) had taint {a: x}, that the pod didn't tolerate")
    assert plugin.filter(None, info(), tainted) == first
    second = unresolvable("node(s) had taint {b: }, that the pod didn't tolerate")
    assert plugin.filter(None, info(tolerations=[{"key": "a", "operator": "Exists"}]), tainted) == second
    assert plugin.filter(None, info(tolerations=[{"operator": "Exists"}]), tainted) == SUCCESS
    state = plugin.pre_score(info(), [tainted], Snapshot()).state
    assert plugin.score(state, info(), tainted) == 1
    assert plugin.normalize_score(state, info(), {"n1": 1, "n2": 0}) == {"n1": 0, "n2": 100}


def test_the_images_of_init_containers_do_not_count() -> None:
    plugin = ImageLocality()
    known = evolve(on(node()), image_states={"i:1": ImageState(1000 * MIB, 1)})
    both = info(containers=container(image="i:1"), initContainers=container(image="i:1"))
    assert plugin.pre_score(both, [known], snapshot_of(known)) == Continue(1)
    assert (
        plugin.score(1, both, known) == plugin.score(1, info(containers=container(image="i:1")), known) == 100
    )


# --- NodeAffinity ---------------------------------------------------------------------------------


def preferring(*terms: dict[str, Any]) -> PodInfo:
    preferred = [{"weight": weight, "preference": term} for weight, term in enumerate(terms, 1)]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    return info(affinity=affinity)


SSD = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
NAMED = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
UNREADABLE = {"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["large"]}]}


def test_a_node_that_the_pod_does_not_select_is_rejected() -> None:
    rejected = unresolvable("node(s) didn't match node selector")
    assert NodeAffinity().filter(None, info(nodeSelector={"disk": "ssd"}), on(node())) == rejected
    assert (
        NodeAffinity().filter(None, info(nodeSelector={"disk": "ssd"}), on(node({"disk": "ssd"}))) == SUCCESS
    )


def test_only_the_label_expressions_of_a_preference_count() -> None:
    both = preferring(SSD, {**SSD, **NAMED}, NAMED, {})
    assert NodeAffinity().score(None, both, named("n2", disk="ssd")) == 3
    assert NodeAffinity().normalize_score(None, both, {"n1": 1, "n2": 2}) == {"n1": 50, "n2": 100}
    assert NodeAffinity().score(None, info(), named("n1")) == 0


def test_a_preference_that_compares_with_no_number_is_an_error_of_score() -> None:
    wrong = error("for 'Gt', 'Lt' operators, the value must be an integer")
    assert NodeAffinity().score(None, preferring(SSD, UNREADABLE), named("n1")) == wrong


# --- NodeResourcesFit -----------------------------------------------------------------------------


def fit(pod: PodInfo, known: NodeInfo, **args: Any) -> Status:
    plugin = NodeResourcesFit(**args)
    return plugin.filter(plugin.pre_filter(pod, Snapshot()).state, pod, known)


def test_more_than_the_whole_node_has_may_still_be_preempted_for() -> None:
    small = on(node(allocatable={"cpu": "1", "pods": "1"}))
    assert fit(info(containers=requesting(cpu="2")), small) == unschedulable("Insufficient cpu")


def test_a_pod_that_asks_for_nothing_needs_a_slot_only() -> None:
    full = on(node(allocatable={"cpu": "1", "pods": "1"}), info("a", containers=requesting(cpu="2")))
    assert fit(info(), full) == unschedulable("Too many pods")
    roomy = on(node(allocatable={"cpu": "1", "pods": "9"}), info("a", containers=requesting(cpu="2")))
    assert fit(info(), roomy) == SUCCESS


def test_an_overcommitted_node_has_too_little_for_any_pod_that_asks() -> None:
    crowded = on(
        node(allocatable={"cpu": "1", "memory": "4Gi", "pods": "9"}),
        info("a", containers=requesting(cpu="2")),
    )
    asking = info(containers=requesting(memory="1Gi"))
    assert fit(asking, crowded) == unschedulable("Insufficient cpu")
    assert "R-FIT-53" in applied(lambda: fit(asking, crowded))


def test_extended_resources_may_be_ignored_by_name_or_group() -> None:
    free = on(node(allocatable={"cpu": "1", "pods": "9"}))
    asking = info(containers=requesting(**{GPU: "1"}))
    assert fit(asking, free) == unschedulable(f"Insufficient {GPU}")
    assert fit(asking, free, ignored_resources=frozenset({GPU})) == SUCCESS
    assert fit(asking, free, ignored_resource_groups=frozenset({"example.com"})) == SUCCESS


# --- InterPodAffinity -----------------------------------------------------------------------------


def pod_affinity(pod: PodInfo, *nodes: NodeInfo) -> dict[str, Status]:
    plugin = InterPodAffinity()
    state = plugin.pre_filter(pod, snapshot_of(*nodes)).state
    return {known.name: plugin.filter(state, pod, known) for known in nodes}


def test_reasons_of_pod_affinity_come_in_pairs() -> None:
    world = affinity_world
    near = world.pod("p", near=world.required(world.term("db")))
    apart = world.pod("p", apart=world.required(world.term("db")))
    hostile = world.pod("x", apart=world.required(world.term("p")))
    general = "node(s) didn't match pod affinity/anti-affinity"
    home = world.node("n1", world.pod("db"), zone="z")
    away = world.node("n2", zone="y")
    assert pod_affinity(near, home, away)["n2"] == unresolvable(
        general, "node(s) didn't match pod affinity rules"
    )
    assert pod_affinity(apart, home, away)["n1"] == unschedulable(
        general, "node(s) didn't match pod anti-affinity rules"
    )
    beside = world.node("n3", hostile, zone="z")
    assert pod_affinity(world.pod("p"), beside)["n3"] == unschedulable(
        general, "node(s) didn't satisfy existing pods anti-affinity rules"
    )


def test_the_anti_affinity_of_a_nominated_pod_counts_where_no_other_term_does() -> None:
    world, plugin = affinity_world, InterPodAffinity()
    pod, empty = world.pod("p"), world.node("n1", zone="z")
    hostile = world.pod("x", apart=world.required(world.term("p")))
    snapshot = snapshot_of(empty)
    state = plugin.pre_filter(pod, snapshot).state
    nominated = plugin.add_pod(state, pod, hostile, empty, snapshot)
    assert not plugin.filter(nominated, pod, empty).is_success
    assert plugin.filter(plugin.remove_pod(nominated, pod, hostile, empty, snapshot), pod, empty) == SUCCESS


@pytest.mark.parametrize(
    ("raw", "scaled"),
    [
        ({"a": 2, "b": 4}, {"a": 50, "b": 100}),
        ({"a": -2, "b": -4}, {"a": 50, "b": 0}),
        ({"a": -2, "b": 2}, {"a": 0, "b": 100}),
        ({"a": 0, "b": 0}, {"a": 0, "b": 0}),
    ],
)
def test_scores_are_scaled_between_extremes_that_include_zero(raw: Any, scaled: Any) -> None:
    assert InterPodAffinity().normalize_score({}, info(), raw) == scaled


def test_every_node_is_scored_where_no_term_is_met() -> None:
    world, plugin = affinity_world, InterPodAffinity()
    empty = world.node("n1", zone="z")
    answer = plugin.pre_score(world.pod("p"), [empty], snapshot_of(empty))
    assert plugin.score(answer.state, world.pod("p"), empty) == 0
    liking = world.pod("p", near=world.preferred(5, world.term("db")))
    beside = world.node("n2", world.pod("db"), zone="z")
    answer = plugin.pre_score(liking, [beside], snapshot_of(beside))
    assert plugin.score(answer.state, liking, beside) == 5


# --- PodTopologySpread ----------------------------------------------------------------------------

APP = {"app": "web"}
HARD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": APP},
}
SOFT = {**HARD, "whenUnsatisfiable": "ScheduleAnyway"}


def web(uid: str) -> PodInfo:
    return info(uid, APP)


def spread(pod: PodInfo, *nodes: NodeInfo, plugin: PodTopologySpread | None = None) -> dict[str, Status]:
    plugin = plugin or PodTopologySpread()
    state = plugin.pre_filter(pod, snapshot_of(*nodes, objects=WITH_SERVICE)).state
    return {known.name: plugin.filter(state, pod, known) for known in nodes}


WITH_SERVICE = ObjectStore()
WITH_SERVICE.put(
    read_as(Service, {"metadata": {"name": "s", "namespace": "default"}, "spec": {"selector": APP}})
)
NO_MATCH = unschedulable("node(s) didn't match pod topology spread constraints")


def test_a_domain_may_not_be_further_ahead_than_the_skew() -> None:
    pod = info("p", APP, topologySpreadConstraints=[HARD])
    found = spread(pod, named("n1", web("a"), zone="z1"), named("n2", zone="z2"), named("n3"))
    missing = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
    assert found == {"n1": NO_MATCH, "n2": SUCCESS, "n3": missing}


def test_pods_on_a_node_that_is_not_selected_count_in_a_domain_that_is() -> None:
    pod = info("p", APP, topologySpreadConstraints=[HARD], nodeSelector={"disk": "ssd"})
    nodes = (
        named("n1", zone="z1", disk="ssd"),
        named("n2", web("a"), zone="z1"),
        named("n3", zone="z2", disk="ssd"),
        named("n4", zone="z3"),
    )
    assert spread(pod, *nodes)["n1"] == NO_MATCH
    assert spread(pod, *nodes)["n3"] == SUCCESS


def test_a_pod_that_comes_or_goes_changes_the_counts_of_its_domain() -> None:
    plugin, pod = PodTopologySpread(), info("p", APP, topologySpreadConstraints=[HARD])
    nodes = named("n1", zone="z1"), named("n2", zone="z2"), named("n3")
    snapshot = snapshot_of(*nodes)
    state = plugin.pre_filter(pod, snapshot).state
    more = plugin.add_pod(state, pod, web("a"), nodes[0], snapshot)
    assert plugin.filter(more, pod, nodes[0]) == NO_MATCH
    assert plugin.filter(plugin.remove_pod(more, pod, web("a"), nodes[0], snapshot), pod, nodes[0]) == SUCCESS
    assert plugin.add_pod(state, pod, info("other"), nodes[0], snapshot) == state
    assert plugin.add_pod(state, pod, web("a"), nodes[2], snapshot) == state


def test_a_pod_on_a_node_whose_domain_does_not_count_changes_nothing() -> None:
    plugin = PodTopologySpread()
    pod = info("p", APP, topologySpreadConstraints=[HARD], nodeSelector={"disk": "ssd"})
    nodes = named("n1", zone="z1", disk="ssd"), named("n2", zone="z2")
    snapshot = snapshot_of(*nodes)
    state = plugin.pre_filter(pod, snapshot).state
    assert plugin.add_pod(state, pod, web("a"), nodes[1], snapshot) == state


def test_default_constraints_count_what_the_services_of_the_pod_select() -> None:
    plugin = PodTopologySpread((TopologySpreadConstraint(1, "zone", "DoNotSchedule"),))
    nodes = named("n1", web("a"), zone="z1"), named("n2", zone="z2")
    assert spread(web("p"), *nodes, plugin=plugin)["n1"] == NO_MATCH
    assert spread(info("p"), *nodes, plugin=plugin)["n1"] == SUCCESS


def test_scores_of_spreading_are_cut_and_all_are_best_without_a_constraint() -> None:
    plugin, soft = PodTopologySpread(), info("p", APP, topologySpreadConstraints=[SOFT])
    nodes = [named("n1", web("a"), zone="z1"), named("n2", zone="z2")]
    state = plugin.pre_score(soft, nodes, snapshot_of(*nodes)).state
    counts = {known.name: plugin.score(state, soft, known) for known in nodes}
    assert counts == {"n1": 1, "n2": 0}
    assert "R-SPREAD-55" in applied(lambda: plugin.score(state, soft, nodes[0]))
    assert plugin.normalize_score(state, soft, counts) == {"n1": 0, "n2": 100}
    nothing = plugin.pre_score(info(), nodes, snapshot_of(*nodes)).state
    assert plugin.normalize_score(nothing, info(), {"n1": 0, "n2": 0}) == {"n1": 100, "n2": 100}


# --- Volumes --------------------------------------------------------------------------------------


def with_claims(*names: str) -> PodInfo:
    return info(volumes=[{"name": n or "v", "persistentVolumeClaim": {"claimName": n}} for n in names])


def test_disks_are_restricted_and_claims_are_not() -> None:
    disk = {"name": "d", "gcePersistentDisk": {"pdName": "x"}}
    one = info("a", volumes=[disk])
    taken = on(node(), one)
    rejected = unschedulable("node(s) had no available disk")
    assert VolumeRestrictions().filter(None, info(volumes=[disk]), taken) == rejected
    assert VolumeRestrictions().filter(None, with_claims("c"), taken) == SUCCESS


def zone_status(objects: ObjectStore, pod: PodInfo, known: NodeInfo) -> Status:
    plugin = VolumeZone()
    return plugin.filter(plugin.pre_filter(pod, Snapshot(objects=objects)).state, pod, known)


def test_the_zone_of_a_volume_is_looked_for_under_its_very_label() -> None:
    zone, legacy = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
    objects = store(claim("c", bound_to="v"), volume("v", labels={legacy: "z1__z2"}))
    rejected = unresolvable("node(s) had no available volume zone")
    assert zone_status(objects, with_claims("c"), named("n", **{legacy: "z2"})) == SUCCESS
    assert zone_status(objects, with_claims("c"), named("n", **{legacy: "z3"})) == rejected
    assert zone_status(objects, with_claims("c"), named("n", **{zone: "z1"})) == rejected
    assert zone_status(objects, with_claims("c"), named("n")) == SUCCESS
    assert zone_status(objects, info(volumes=[{"name": "e"}]), named("n", **{zone: "z1"})) == SUCCESS


def test_a_claim_that_is_missing_rejects_only_nodes_of_a_zone() -> None:
    zone = "topology.kubernetes.io/zone"
    missing = unresolvable('persistentvolumeclaim "c" not found')
    assert zone_status(ObjectStore(), with_claims("c"), named("n", **{zone: "z1"})) == missing
    assert zone_status(ObjectStore(), with_claims("c"), named("n")) == SUCCESS


def binding(objects: ObjectStore, pod: PodInfo, known: NodeInfo) -> Any:
    plugin = VolumeBinding()
    answer = plugin.pre_filter(pod, snapshot_of(known, objects=objects))
    return plugin.filter(answer.state, pod, known) if isinstance(answer, Continue) else answer


def test_volumes_are_bound_where_they_reach_or_can_be_made() -> None:
    here = named("n1", zone="z1")
    affinity = {
        "required": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z2"]}]}]
        }
    }
    conflict = unresolvable("node(s) had volume node affinity conflict")
    not_found = unresolvable("pvc(s) bound to non-existent pv(s)")
    nothing = unresolvable("node(s) didn't find available persistent volumes to bind")
    unbound = Reject(unresolvable("pod has unbound immediate PersistentVolumeClaims"))
    far = store(claim("c", bound_to="v"), volume("v", nodeAffinity=affinity))
    assert binding(far, with_claims("c"), here) == conflict
    assert binding(store(claim("c", bound_to="v")), with_claims("c"), here) == not_found
    assert binding(store(claim("c", bound_to="v"), volume("v")), with_claims("c"), here) == SUCCESS
    assert binding(store(by_hand(), claim("c")), with_claims("c"), here) == nothing
    assert binding(store(by_hand(), claim("c"), volume("v")), with_claims("c"), here) == SUCCESS
    made = store(storage_class("made"), claim("c", "made"))
    assert binding(made, with_claims("c"), here) == SUCCESS
    assert binding(store(claim("c", "")), with_claims("c"), here) == unbound
    assert binding(ObjectStore(), info(), here) == Skip()
    elsewhere = claim("c", annotations={"volume.kubernetes.io/selected-node": "n2"})
    assert binding(store(by_hand(), elsewhere), with_claims("c"), here) == nothing


def limits(plugin: Any, objects: ObjectStore, pod: PodInfo, known: NodeInfo) -> Status:
    status: Status = plugin.filter(plugin.pre_filter(pod, Snapshot(objects=objects)).state, pod, known)
    return status


TOO_MANY = unschedulable("node(s) exceed max volume count")


def test_a_csi_driver_attaches_what_the_node_or_its_csi_node_says() -> None:
    objects = store(
        storage_class("made"),
        claim("a", "made"),
        claim("b", "made"),
        claim("v", bound_to="pv"),
        claim("in-tree", "old"),
        storage_class("old", provisioner="kubernetes.io/aws-ebs"),
        volume("pv", csi={"driver": "csi.example", "volumeHandle": "h"}),
    )
    stated = node(allocatable={"attachable-volumes-csi-csi.example": "1"})
    plugin = NodeVolumeLimits()
    assert limits(plugin, objects, with_claims("a"), on(stated)) == SUCCESS
    assert limits(plugin, objects, with_claims("a", "b"), on(stated)) == TOO_MANY
    assert limits(plugin, objects, with_claims("a"), on(stated, with_claims("v"))) == TOO_MANY
    assert limits(plugin, objects, with_claims("v"), on(stated, with_claims("v"))) == SUCCESS
    assert limits(plugin, objects, with_claims("in-tree", "missing"), on(stated)) == SUCCESS
    assert limits(plugin, objects, with_claims("a", "b"), on(node())) == SUCCESS
    nameless = error("PersistentVolumeClaim had no name")
    assert limits(plugin, objects, with_claims(""), on(stated)) == nameless
    assert limits(plugin, objects, with_claims("a"), on(stated, with_claims(""))) == nameless
    assert limits(plugin, objects, info(volumes=[{"name": "e"}]), on(stated)) == SUCCESS
    drivers = [driver("csi.example", 2), driver("x", None)]
    objects.put(read_as(CSINode, {"metadata": {"name": "n1"}, "spec": {"drivers": drivers}}))
    assert limits(plugin, objects, with_claims("a", "b"), on(stated)) == SUCCESS


def driver(name: str, count: int | None) -> dict[str, Any]:
    return {"name": name, "allocatable": {"count": count}}


def test_the_key_of_a_long_driver_name_is_cut_and_hashed() -> None:
    assert limit_key("csi.example") == "attachable-volumes-csi-csi.example"
    long = limit_key("a" * 60)
    assert long.startswith("attachable-volumes-csi-" + "a" * 23)
    assert len(long) == len("attachable-volumes-csi-") + 23 + 16


def ebs(*ids: str, **labels: str) -> PodInfo:
    return info(volumes=[{"name": i, "awsElasticBlockStore": {"volumeID": i}} for i in ids])


def test_a_cloud_attaches_so_many_disks_to_a_node() -> None:
    plugin, nothing = NonCSIVolumeLimits(EBS), ObjectStore()
    assert plugin.name == "EBSLimits"
    many = [f"vol-{n}" for n in range(40)]
    assert limits(plugin, nothing, ebs(*many[:39]), on(node())) == SUCCESS
    assert limits(plugin, nothing, ebs(*many), on(node())) == TOO_MANY
    nitro = node({"node.kubernetes.io/instance-type": "m5.large"})
    assert limits(plugin, nothing, ebs(*many[:26]), on(nitro)) == TOO_MANY
    stated = node(allocatable={"attachable-volumes-aws-ebs": "1"})
    assert limits(plugin, nothing, ebs("b"), on(stated, ebs("a"))) == TOO_MANY
    assert limits(plugin, nothing, ebs("a"), on(stated, ebs("a"))) == SUCCESS
    assert limits(plugin, nothing, info(), on(stated)) == SUCCESS


@pytest.mark.parametrize(
    ("disks", "source", "limit"),
    [
        (GCE_PD, lambda n: {"gcePersistentDisk": {"pdName": n}}, 16),
        (AZURE_DISK, lambda n: {"azureDisk": {"diskName": n, "diskURI": n}}, 16),
        (CINDER, lambda n: {"cinder": {"volumeID": n}}, 256),
    ],
)
def test_each_cloud_has_a_limit_of_its_own(disks: Any, source: Any, limit: int) -> None:
    def using(number: int) -> PodInfo:
        return info(volumes=[{"name": str(n), **source(str(n))} for n in range(number)])

    plugin = NonCSIVolumeLimits(disks)
    assert limits(plugin, ObjectStore(), using(limit), on(node())) == SUCCESS
    assert limits(plugin, ObjectStore(), using(limit + 1), on(node())) == TOO_MANY


def test_a_claim_counts_as_the_disk_that_it_has_or_will_have() -> None:
    objects = store(
        storage_class("ebs", provisioner="kubernetes.io/aws-ebs"),
        storage_class("other"),
        claim("a", "ebs"),
        claim("b", "ebs", bound_to="pv"),
        claim("c", "other"),
        volume("pv", awsElasticBlockStore={"volumeID": "vol-1"}),
    )
    plugin, stated = NonCSIVolumeLimits(EBS), node(allocatable={"attachable-volumes-aws-ebs": "1"})
    assert limits(plugin, objects, with_claims("a", "c", "missing"), on(stated)) == SUCCESS
    assert limits(plugin, objects, with_claims("a", "b"), on(stated)) == TOO_MANY
    nameless = error("PersistentVolumeClaim had no name")
    assert limits(plugin, objects, with_claims(""), on(stated)) == nameless
    assert limits(plugin, objects, with_claims("a"), on(stated, with_claims(""))) == nameless


# --- Where v1.19.16 panics ------------------------------------------------------------------------


def test_every_panic_of_v1_19_names_a_rule_of_a_plugin_that_it_has() -> None:
    release = release_of("1.19")
    for panic in PANICS:
        assert panic.rule in all_rules()
        assert panic.plugin in release.plugins
    assert release.oddities == {*PANICS, *FIXED_ORDERS}


def test_a_pod_whose_dry_run_leaves_an_uncounted_domain_is_scheduled_all_the_same() -> None:
    world = World(
        {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"},
        kubernetes="1.19",
    )
    world.node("n1", labels={"zone": "z1", "disk": "ssd"})
    world.node("n2", labels={"zone": "z2"})
    world.pod("nominated", nominated_to="n2", labels=APP, priority=9, cpu="9")
    attempt = world.schedule()
    assert attempt.pod == "default/nominated"
    attempt = world.schedule("p", labels=APP, topologySpreadConstraints=[HARD], nodeSelector={"disk": "ssd"})
    assert attempt.node == "n1"
