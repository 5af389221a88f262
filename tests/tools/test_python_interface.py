# SPDX-License-Identifier: Apache-2.0
"""``from refsched import Cluster``: the requests of the protocol as methods, and questions about a cluster."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

import refsched
from refsched import Attempt, Bind, Cluster, InputError, frame

Json = dict[str, Any]


def node(name: str, cpu: str, **more: Any) -> Json:
    status = {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": "10"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, **more}, "status": status}


def pod(name: str, cpu: str = "1", **spec: Any) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


TWO_NODES = """
apiVersion: v1
kind: NodeList
items:
- {metadata: {name: small}, status: {allocatable: {cpu: "2", memory: 16Gi, pods: "10"}}}
- {metadata: {name: large}, status: {allocatable: {cpu: "8", memory: 16Gi, pods: "10"}}}
"""

# --- Importing ------------------------------------------------------------------------------------


def test_importing_the_package_imports_none_of_its_modules() -> None:
    program = "import sys, refsched; print(*(name for name in sys.modules if name.startswith('refsched.')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_every_public_name_is_there_and_documented() -> None:
    for name in refsched.__all__:
        found = getattr(refsched, name)
        assert name == "__version__" or found.__doc__
    assert dir(refsched) == sorted(refsched.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'refsched' has no attribute 'Clutser'"):
        refsched.Clutser  # noqa: B018


# --- Inputs ---------------------------------------------------------------------------------------


def test_a_pod_is_scheduled_and_bound() -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4")])

    attempt = cluster.schedule()

    assert attempt is not None
    assert (attempt.pod, attempt.result, attempt.node) == ("default/web", "scheduled", "large")
    assert [type(record) for record in cluster.records] == [Attempt, Bind]
    queues, nodes = cluster.observe()
    assert queues.active == ()
    assert nodes.nodes["large"].milli_cpu == 4000
    assert cluster.schedule() is None


def test_a_rejected_pod_is_scheduled_after_an_event_and_its_backoff() -> None:
    cluster = Cluster([node("n", "1"), pod("web", "2")])
    first = cluster.schedule("web")
    assert first is not None
    assert first.result == "unschedulable"
    assert first.message is not None
    assert "Insufficient cpu" in first.message

    cluster.update(node("n", "4"))
    assert cluster.observe()[0].backoff == ("default/web",)
    cluster.advance(1)

    assert cluster.now == 1
    second = cluster.schedule()
    assert second is not None
    assert second.node == "n"


def test_an_object_is_deleted_by_its_kind_and_name() -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4")])
    cluster.delete("Node", "large")
    cluster.delete("Pod", "web")
    assert set(cluster.observe()[1].nodes) == {"small"}
    assert cluster.schedule() is None


def test_a_pod_that_waits_on_permit_is_allowed() -> None:
    plugins = {"permit": {"enabled": [{"name": "ScriptedA"}]}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": plugins}],
    }
    waiting = pod("web")
    waiting["metadata"]["annotations"] = {"refsched.dev/script": '{"ScriptedA": {"permit": "Wait"}}'}
    cluster = Cluster([node("n", "4"), waiting], config=config)
    attempt = cluster.schedule("web")
    assert attempt is not None
    assert attempt.waiting

    [bound] = cluster.permit("web", "allow")

    assert isinstance(bound, Bind)
    assert bound.node == "n"


def test_a_feature_gate_and_a_release_are_chosen_by_name() -> None:
    cluster = Cluster(kubernetes="v1.34.2", feature_gates={"SchedulerQueueingHints": True})
    assert cluster.observe()[0].active == ()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Cluster(kubernetes="1.7"), "Kubernetes 1.7 is not specified here"),
        (lambda: Cluster(config="{}\n---\n{}"), "expected one KubeSchedulerConfiguration, found 2 documents"),
        (lambda: Cluster("kind: Node\n: ["), "the text"),
        (lambda: Cluster({"kind": "Node"}), "Node: apiVersion: is required and missing"),
        (lambda: Cluster().schedule("web"), "default/web: does not wait to be scheduled"),
        (lambda: Cluster().delete("Node", "n"), "Node n"),
        (lambda: Cluster().explain("web"), "default/web: there is no pod in the input"),
        (lambda: Cluster(pod("web")).explain("wev"), "did you mean default/web?"),
        (lambda: Cluster(kubernetes=1.34), "kubernetes: expected text, found 1.34"),  # type: ignore[arg-type]
        (lambda: Cluster().delete(5, "n"), "kind: expected text, found 5"),  # type: ignore[arg-type]
        (lambda: Cluster("u.yaml"), "found 'u.yaml'; a file is given as a pathlib.Path"),
        (lambda: Cluster(5), "expected an API object, found 5"),  # type: ignore[arg-type]
        (lambda: Cluster().advance("5"), "expected a number of seconds from 0, found '5'"),  # type: ignore[arg-type]
        (lambda: Cluster().advance(-1), "expected a number of seconds from 0, found -1"),
        (lambda: Cluster().explain(None), "expected the name of a pod, found None"),  # type: ignore[arg-type]
        (lambda: Cluster().fits(None, "n"), "expected the name of a pod or its manifest"),  # type: ignore[arg-type]
        (lambda: Cluster(pod("w")).fits("w", None), "expected the name of a node or its"),  # type: ignore[arg-type]
        (lambda: Cluster().capacity(pod("w"), -1), "at_most: expected a whole number from 1, found -1"),
        (lambda: Cluster().what_if(print, seeds=0), "seeds: expected a whole number from 1, found 0"),
    ],
)
def test_bad_input_is_an_input_error(make: Any, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        make()
    assert problem in str(refused.value)


# --- Questions ------------------------------------------------------------------------------------


def test_an_explanation_says_why_there_and_why_not_elsewhere_and_changes_nothing() -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4")])

    explanation = cluster.explain("web")

    assert (explanation.result, explanation.node) == ("scheduled", "large")
    [rejected] = [verdict for verdict in explanation.nodes if verdict.node == "small"]
    assert (rejected.plugin, rejected.reasons) == ("NodeResourcesFit", ("Insufficient cpu",))
    assert "Insufficient cpu  (asks 4, free 2)" in str(explanation)
    assert cluster.observe()[0].active == ("default/web",)
    assert cluster.records == ()


def test_a_bound_pod_is_explained_as_if_it_were_yet_to_be_placed() -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4")])
    cluster.schedule()
    assert cluster.explain("web").bound_to == "large"


def test_a_plan_places_every_pending_pod_and_changes_nothing() -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4"), pod("batch", "8")])

    plan = cluster.plan()

    assert {outcome.pod: outcome.node for outcome in plan.outcomes} == {
        "default/batch": "",
        "default/web": "large",
    }
    assert "2 pending pods: 1 placed, 1 not" in str(plan)
    assert cluster.records == ()


def test_what_is_no_field_is_refused_or_warned_of_where_a_cluster_printed_it() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"nodeSelectr": {}}}
    with pytest.raises(
        InputError, match=r"Pod a: spec.nodeSelectr: is no field; did you mean nodeSelector\?"
    ):
        Cluster(pod)
    with pytest.warns(UserWarning, match=r"Pod spec.nodeSelectr is not a known field"):
        Cluster({**pod, "metadata": {"name": "a", "uid": "u"}})


@pytest.mark.parametrize("change", [Cluster.create, Cluster.update])
def test_what_no_api_server_would_have_stored_is_refused_before_it_is_shown(change: Any) -> None:
    cluster = Cluster([TWO_NODES, pod("web")])
    with pytest.raises(InputError, match=r"^Pod default/web: spec.containers\[0\].*\.cpu: .* found -1$"):
        change(cluster, pod("web", "-1"))
    assert cluster.capacity("web").fit == 10
    with pytest.raises(InputError, match=r"found -1$"):
        cluster.capacity(pod("other", "-1"))


def without_the_large_node(cluster: Cluster) -> None:
    cluster.delete("Node", "large")


def test_a_change_is_compared_over_seeds_and_changes_nothing() -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4")])

    def with_another_kind(changed: Cluster) -> None:
        changed.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
        without_the_large_node(changed)

    for change in (without_the_large_node, with_another_kind):
        [changed] = cluster.what_if(change, seeds=2).certain
        assert (changed.pod, changed.before, changed.after) == ("default/web", ("large",) * 2, ("",) * 2)
    assert "large" in cluster.observe()[1].nodes


def test_results_are_frames_where_pandas_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster([TWO_NODES, pod("web", "4")])
    found = (
        cluster.what_if(without_the_large_node, seeds=2),
        cluster.plan(),
        cluster.capacity("web"),
        cluster.explain("web"),
    )
    made: list[tuple[list[Any], list[str]]] = []
    fake = ModuleType("pandas")
    fake.DataFrame = lambda rows, columns: made.append((rows, columns))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", fake)
    for each in found:
        frame(each)
    assert made == [
        (
            [("default/web", 0, "large", ""), ("default/web", 1, "large", "")],
            ["pod", "seed", "before", "after"],
        ),
        (
            [("default/web", 0, "placed", "large", 1, "")],
            ["pod", "priority", "result", "node", "attempts", "message"],
        ),
        ([("large", 2)], ["node", "pods"]),
        (
            [
                ("large", "chosen", "", "", None),
                ("small", "refused", "NodeResourcesFit", "Insufficient cpu", None),
            ],
            ["node", "verdict", "plugin", "message", "total"],
        ),
    ]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pandas: is not installed"):
        frame(found[1])
