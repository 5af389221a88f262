# SPDX-License-Identifier: Apache-2.0
"""A cluster can be forked, changed for a while, and asked what fits where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.strategies import AREAS
from conformance.vocabulary.objects import ROOM, node, pod
from refsched import Cluster, InputError
from refsched.framework.status import Code
from refsched.suite.histories.history import Schedule
from refsched.tools import scheduler_copy
from tests.tools.test_copies import WITHOUT_EXTENDERS, begun, do

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def two_nodes(**more: Any) -> Cluster:
    nodes = [node("small", {**ROOM, "cpu": "2"}), node("large", {**ROOM, "cpu": "8"})]
    return Cluster([*nodes, pod("web", requests={"cpu": "4"})], **more)


# --- Forks ----------------------------------------------------------------------------------------


def test_neither_of_two_forks_changes_the_other() -> None:
    cluster = two_nodes()
    fork = cluster.fork()
    fork.schedule("web")
    fork.create(node("other"))
    fork.delete("Node", "small")
    fork.advance(7)
    assert (cluster.records, cluster.now) == ((), 0)
    assert cluster.observe()[0].active == ("default/web",)
    assert set(cluster.observe()[1].nodes) == {"small", "large"}
    cluster.create(pod("api"))
    assert set(fork.observe()[1].nodes) == {"large", "other"}
    assert fork.observe()[0].active == ()


def test_a_fork_of_a_fork_and_a_copy_of_a_fork_go_on_alike() -> None:
    cluster = two_nodes(seed=3)
    cluster.schedule("web")
    further = cluster.fork().fork()
    for each in (cluster, further):
        each.create([pod(f"p{number}") for number in range(6)])
        while each.schedule():
            pass
    assert further.records == cluster.records


def test_a_cluster_in_which_a_cycle_is_under_way_is_forked_too() -> None:
    plugins = {"permit": {"enabled": [{"name": "ScriptedA"}]}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": plugins}],
    }
    waiting = pod("web", script={"ScriptedA": {"permit": "Wait"}})
    cluster = Cluster([node("n"), waiting], config=config)
    cluster.schedule()
    with pytest.raises(ValueError, match="a cycle is under way"):
        scheduler_copy.fork(cluster._scheduler)
    fork = cluster.fork()
    assert [type(record).__name__ for record in fork.permit("web", "allow")] == ["Bind"]
    assert [type(record).__name__ for record in cluster.permit("web", "allow")] == ["Bind"]


def test_a_cluster_that_remembers_nothing_is_forked_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFSCHED_REMEMBERING", "off")
    cluster = two_nodes()
    fork = cluster.fork()
    assert fork.schedule() == cluster.schedule()


def test_what_was_changed_while_trying_is_as_it_was_before() -> None:
    cluster = two_nodes()
    with cluster.trying() as tried:
        assert tried is cluster
        cluster.delete("Node", "large")
        assert cluster.explain("web").result == "unschedulable"
    assert cluster.explain("web").node == "large"
    with pytest.raises(InputError, match="does not exist"), cluster.trying():
        cluster.delete("Pod", "api")
    with cluster.trying():
        cluster.schedule("web")
    assert (cluster.records, cluster.observe()[0].active) == ((), ("default/web",))


def test_who_uses_a_claim_of_one_pod_is_counted_by_each_fork_itself() -> None:
    def using(name: str, on: str = "") -> dict[str, Any]:
        made = pod(name)
        made["spec"] |= {
            "nodeName": on,
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
        }
        return made

    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data",
            "namespace": "default",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {"accessModes": ["ReadWriteOncePod"], "storageClassName": "none", "volumeName": "v"},
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "v"},
        "spec": {"claimRef": {"namespace": "default", "name": "data"}},
    }
    cluster = Cluster([node("n"), claim, volume, using("old", "n"), using("new")])
    assert "ReadWriteOncePod" in str(cluster.fits("new", "n"))
    with cluster.trying():
        cluster.delete("Pod", "old")
        assert "ReadWriteOncePod" not in str(cluster.fits("new", "n"))
    assert "ReadWriteOncePod" in str(cluster.fits("new", "n"))
    assert "ReadWriteOncePod" in str(cluster.fits("new", node("other")))


# --- One pod and one node -------------------------------------------------------------------------


def test_a_pod_of_the_cluster_or_a_new_one_fits_on_a_node_or_does_not() -> None:
    cluster = two_nodes()
    assert cluster.fits("web", "large").is_success
    rejected = cluster.fits("web", "small")
    assert (rejected.code, rejected.plugin) == (Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "NodeResourcesFit")
    assert rejected.reasons == ("Insufficient cpu",)
    assert cluster.fits(pod("api", requests={"cpu": "1"}), "small").is_success


def test_a_node_that_prefilter_leaves_out_is_not_filtered() -> None:
    cluster = two_nodes()
    only = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["large"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [only]}}
    pinned = pod("pinned", affinity={"nodeAffinity": required})
    assert cluster.fits(pinned, "large").is_success
    assert "NodeAffinity" in cluster.fits(pinned, "small").message


def test_a_pod_whose_claim_is_missing_is_rejected_before_any_node() -> None:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "gone"}}]
    rejected = two_nodes().fits(pod("web", volumes=volumes), "large")
    assert rejected.message == 'persistentvolumeclaim "gone" not found'


def test_a_node_like_a_template_has_a_name_of_its_own_and_no_pods() -> None:
    cluster = Cluster([node("n", {**ROOM, "cpu": "2"}), pod("full", requests={"cpu": "2"}, nodeName="n")])
    asked = pod("web", requests={"cpu": "1"})
    assert not cluster.fits(asked, "n").is_success
    like = node("n", {**ROOM, "cpu": "2"}, labels={"kubernetes.io/hostname": "n"})
    assert cluster.fits(asked, like).is_success
    assert not cluster.fits(asked, node("other", {**ROOM, "cpu": "500m"})).is_success
    assert set(cluster.observe()[1].nodes) == {"n"}


@pytest.mark.parametrize(("zone", "fits"), [("a", False), ("b", True)])
def test_a_node_that_might_be_added_is_one_more_domain_of_the_spread(zone: str, fits: bool) -> None:
    selector = {"matchLabels": {"app": "web"}}
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": selector,
    }
    web = {"labels": {"app": "web"}, "topologySpreadConstraints": [constraint]}
    running = [pod(f"web-{at}", nodeName=name, **web) for at, name in enumerate(("n", "n", "c"))]
    cluster = Cluster([node("n", labels={"zone": "a"}), node("c", labels={"zone": "c"}), *running])
    new, like = pod("new", **web), node("like", labels={"zone": zone})
    assert cluster.fits(new, like).is_success is fits
    cluster.create(like)
    assert cluster.fits(new, "like").is_success is fits


def test_what_cannot_be_asked_is_refused() -> None:
    cluster = two_nodes()
    with pytest.raises(InputError, match="Node medium: there is no such node"):
        cluster.fits("web", "medium")
    with pytest.raises(InputError, match="there is no such pod; did you mean default/web"):
        cluster.fits("wbe", "large")
    with pytest.raises(InputError, match="expected a Node"):
        cluster.fits("web", pod("n"))
    with pytest.raises(InputError, match="expected a Pod"):
        cluster.fits(node("n"), "large")
    with pytest.raises(InputError, match="left to the scheduler other"):
        cluster.capacity(pod("web", schedulerName="other"))


@settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_pod_fits_where_it_is_scheduled_and_asking_changes_nothing(data: st.DataObject) -> None:
    history = data.draw(AREAS[data.draw(st.sampled_from(WITHOUT_EXTENDERS))]())
    try:
        cluster, plain = begun(history, "1.37"), begun(history, "1.37")
    except InputError:
        return  # the release refuses the configuration
    for step in history.steps:
        if isinstance(step, Schedule):
            ask_where_the_next_pod_goes(cluster)
        assert do(cluster, step) == do(plain, step)
    assert (cluster.records, cluster.observe()) == (plain.records, plain.observe())


def ask_where_the_next_pod_goes(cluster: Cluster) -> None:
    try:
        attempt = cluster.fork().schedule()
    except InputError:
        return  # a cycle is held
    if attempt is not None and attempt.result == "scheduled" and attempt.node is not None:
        assert cluster.fits(attempt.pod, attempt.node).is_success


# --- How many -------------------------------------------------------------------------------------


def test_capacity_says_how_many_fit_and_what_stops_the_next() -> None:
    cluster = two_nodes()
    found = cluster.capacity("web")
    assert (found.pod, found.fit, dict(found.nodes)) == ("default/web", 2, {"large": 2})
    assert [(each.plugin, each.reason, each.nodes) for each in found.stopped_by] == [
        ("NodeResourcesFit", "Insufficient cpu", ("large", "small"))
    ]
    assert found.message.startswith("0/2 nodes are available: 2 Insufficient cpu.")
    assert cluster.capacity("web", at_most=1).stopped_by == ()
    assert cluster.records == ()


def test_capacity_counts_with_spread_since_the_rules_decide() -> None:
    zones = [node(f"n{zone}", {**ROOM, "cpu": "2"}, labels={"zone": zone}) for zone in "ab"]
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    zones[0]["status"]["allocatable"]["cpu"] = "1"
    web = pod("web", requests={"cpu": "1"}, labels={"app": "web"}, topologySpreadConstraints=[spread])
    found = Cluster(zones).capacity(web)
    assert (found.fit, dict(found.nodes)) == (3, {"na": 1, "nb": 2})


def test_no_copy_of_a_gated_pod_fits() -> None:
    found = two_nodes().capacity(pod("web", schedulingGates=[{"name": "wait"}]))
    assert (found.fit, [each.plugin for each in found.stopped_by]) == (0, ["SchedulingGates"])


# --- Files ----------------------------------------------------------------------------------------


def test_a_cluster_is_read_from_files() -> None:
    path = EXAMPLES / "rush.yaml"
    plan = str(Cluster(path).plan())
    assert plan == str(Cluster.from_files(str(path)).plan()) == str(Cluster([path]).fork().plan())
    assert "3 pending pods: 2 placed" in plan


def test_a_member_of_a_dump_that_is_no_field_is_warned_of(tmp_path: Path) -> None:
    given = node("n")
    given["metadata"]["uid"] = "printed"
    given["spec"] = {"unschedulabel": True}
    (tmp_path / "dump.json").write_text(json.dumps(given))
    with pytest.warns(UserWarning, match="unschedulabel is not a known field"):
        Cluster(tmp_path / "dump.json")


def test_a_pod_that_runs_is_decided_as_if_it_did_not() -> None:
    small = {**ROOM, "cpu": "2"}
    cluster = Cluster([node("n", small), node("full", small)])
    cluster.create(
        [pod("w", requests={"cpu": "2"}, nodeName="n"), pod("x", requests={"cpu": "2"}, nodeName="full")]
    )
    assert cluster.explain("w").node == "n"
    assert cluster.fits("w", "n").is_success
    assert cluster.fits("w", "full").message == "Insufficient cpu"
    assert cluster.fits("x", "full").is_success
    assert cluster.fits(pod("new", requests={"cpu": "2"}), "n").message == "Insufficient cpu"
    assert cluster.capacity("w").fit == 0
    assert set(cluster.observe()[1].nodes) == {"full", "n"}


def test_a_new_pod_has_the_claims_that_controllers_would_make() -> None:
    claim = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
    dra = {"apiVersion": "resource.k8s.io/v1"}
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    devices = {"driver": "d", "nodeName": "n", "pool": pool, "devices": [{"name": "0"}]}
    cluster = Cluster([node("n"), node("other")])
    cluster.create({**dra, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}})
    cluster.create(
        {**dra, "kind": "ResourceClaimTemplate", "metadata": {"name": "t"}, "spec": {"spec": claim}}
    )
    cluster.create({**dra, "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": devices})
    asked = pod("web", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}])
    assert cluster.fits(asked, "n").is_success
    assert cluster.fits(asked, "other").message == "cannot allocate all claims"
    [placed] = cluster.what_if(lambda changed: changed.create(asked), seeds=2).certain
    assert placed.after == ("n", "n")
