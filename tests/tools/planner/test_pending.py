# SPDX-License-Identifier: Apache-2.0
"""Clusters with one known culprit each: the first sentence names it, and what would help is tried."""

from __future__ import annotations

from typing import Any

import pytest
from plan_world import Json, node, objects_of, pod, scheduler, thing

from refsched.objects.pod import Pod
from refsched.tools.planner.cluster import pod_called
from refsched.tools.planner.explain import explain
from refsched.tools.planner.explanation import Explanation

HOSTNAME = "kubernetes.io/hostname"
WEB: Json = {"labels": {"app": "web"}}
DB: Json = {"labels": {"app": "db"}}


def explained(*values: Json, **config: Any) -> Explanation:
    objects = objects_of(*values)
    return explain(scheduler(**config), objects, pod_called("a", objects))


def changes(found: Explanation) -> dict[str, tuple[str, ...]]:
    return {each.change: each.nodes for each in found.would_help}


def zoned(name: str, zone: str, **more: Any) -> Json:
    return node(name, labels={HOSTNAME: name, "zone": zone}, **more)


def holding(name: str, port: int = 8080, protocol: str = "TCP", **more: Any) -> Json:
    ports = [{"containerPort": 80, "hostPort": port, "protocol": protocol}]
    return pod(name, containers=[{"name": "c", "ports": ports}], **more)


def apart(kind: str = "podAntiAffinity", app: str = "db", key: str = HOSTNAME) -> Json:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def spread(**more: Any) -> list[Json]:
    selector = {"matchLabels": {"app": "web"}}
    return [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
        | more
    ]


def named(*expressions: tuple[str, str, list[str]]) -> Json:
    terms = [{"matchExpressions": [{"key": k, "operator": o, "values": v}]} for k, o, v in expressions]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def taint(key: str, value: str = "", effect: str = "NoSchedule") -> Json:
    return {"key": key, "value": value, "effect": effect}


def claiming(name: str = "data") -> list[Json]:
    return [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]


def claim(volume: str = "", **spec: Any) -> Json:
    requests = {"requests": {"storage": "1Gi"}}
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}} if volume else {}
    return thing(
        "PersistentVolumeClaim",
        "data",
        meta=bound,
        spec={"accessModes": ["ReadWriteOnce"], "resources": requests, "volumeName": volume, **spec},
    )


def volume(zone: str) -> Json:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "claimRef": {"namespace": "default", "name": "data"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
    }
    return thing("PersistentVolume", "pv-1", spec=spec)


def late(name: str, **more: Any) -> Json:
    mode = {"volumeBindingMode": "WaitForFirstConsumer"}
    return thing("StorageClass", name, "storage.k8s.io/v1", provisioner="x", **mode, **more)


def asking(resources: Json) -> Json:
    both = {"requests": resources, "limits": resources}
    return thing("Pod", "a", spec={"containers": [{"name": "c", "resources": both}]})


def near(app: str) -> Json:
    term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def of_device(name: str = "gpu", **more: Any) -> Json:
    return pod("a", resourceClaims=[{"name": "g", "resourceClaimName": name, **more}])


def device_class() -> Json:
    return thing("DeviceClass", "x", "resource.k8s.io/v1", spec={})


def device_claim(name: str, of: str = "x", selecting: str = "", count: int = 1, **more: Any) -> Json:
    exactly: Json = {"deviceClassName": of, "count": count}
    if selecting:
        exactly["selectors"] = [{"cel": {"expression": selecting}}]
    request = {"name": "r", "exactly": exactly}
    return thing(
        "ResourceClaim", name, "resource.k8s.io/v1", spec={"devices": {"requests": [request]}}, **more
    )


def device_on(name: str, **more: Any) -> Json:
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "x", "nodeName": name, "pool": pool, "devices": [{"name": "d", **more}]}
    return thing("ResourceSlice", f"s-{name}", "resource.k8s.io/v1", spec=spec)


HELD: Json = {
    "allocation": {"devices": {"results": [{"request": "r", "driver": "x", "pool": "n1", "device": "d"}]}},
    "reservedFor": [{"resource": "pods", "name": "r", "uid": "r"}],
}
ON_N1 = {
    "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
}
INFRA = taint("dedicated", "infra")
THREE = [node(f"n{number}", labels={"disktype": "hdd"}) for number in (1, 2, 3)]
FULL = [pod(f"r{number}", cpu=cpu, on=f"n{number}") for number, cpu in ((1, "4"), (2, "500m"), (3, "3"))]

USES = pod("a", volumes=claiming())
LOCAL = [
    late("local") | {"provisioner": "kubernetes.io/no-provisioner"},
    thing(
        "PersistentVolume",
        "pv-1",
        spec={
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
        },
        status={"phase": "Available"},
    ),
]

CULPRITS: dict[str, tuple[list[Json], str]] = {
    "a taint on the nodes that the selector names": (
        [
            *THREE,
            *(node(f"i{n}", labels={"dedicated": "infra"}, taints=[INFRA]) for n in (1, 2)),
            pod("a", nodeSelector={"dedicated": "infra"}),
        ],
        "The 2 nodes that its nodeSelector names carry the taint dedicated=infra:NoSchedule, which the pod does"
        " not tolerate.",
    ),
    "a taint on every node": (
        [node("n1", taints=[taint("gpu")]), node("n2", taints=[taint("gpu")]), pod("a")],
        "Both nodes carry the taint gpu:NoSchedule, which the pod does not tolerate.",
    ),
    "different taints": (
        [
            node("n1", taints=[taint("x")]),
            node("n2", taints=[taint("y"), taint("z", effect="NoExecute")]),
            pod("a"),
        ],
        "Both nodes carry taints that the pod does not tolerate: x:NoSchedule (1 node) and y:NoSchedule and"
        " z:NoExecute (1 node).",
    ),
    "a node that is not ready": (
        [node("n1", taints=[taint("node.kubernetes.io/not-ready")]), pod("a")],
        "The only node, n1, is not ready: it has the taint node.kubernetes.io/not-ready:NoSchedule, which the pod"
        " does not tolerate.",
    ),
    "cordoned nodes": (
        [node("n1", unschedulable=True), node("n2", unschedulable=True), pod("a")],
        "Both nodes are cordoned.",
    ),
    "a label that no node has": (
        [*THREE, pod("a", nodeSelector={"disktype": "ssd"})],
        "No node has the label disktype=ssd (nearest: disktype=hdd on 3 nodes).",
    ),
    "a key that no node has": (
        [*THREE, pod("a", nodeSelector={"disk-type": "hdd"})],
        "No node has the label disk-type=hdd (nearest: disktype=hdd on 3 nodes).",
    ),
    "labels that no node has together": (
        [
            node("n1", labels={"x": "1"}),
            node("n2", labels={"y": "1"}),
            pod("a", nodeSelector={"x": "1", "y": "1"}),
        ],
        "No node meets all that it requires: x=1 (on 1) and y=1 (on 1).",
    ),
    "a required expression": (
        [*THREE, pod("a", affinity=named(("disktype", "In", ["ssd", "nvme"])))],
        "No node meets disktype in (ssd, nvme), which its node affinity requires (nearest: disktype=hdd on 3"
        " nodes).",
    ),
    "two required terms": (
        [*THREE, pod("a", affinity=named(("x", "Exists", []), ("disktype", "NotIn", ["hdd"])))],
        "None of its required node affinity terms matches a node: x; disktype!=hdd.",
    ),
    "too little cpu": (
        [*THREE, *FULL, pod("a", cpu="3800m")],
        "It asks for 3.8 cpu, and the most that is free on any node is 3.5 on n2.",
    ),
    "a request that is larger than a node": (
        [*THREE, node("n10", cpu="8"), pod("a", cpu="9")],
        "It asks for 9 cpu, and the largest node, n10, has 8 allocatable.",
    ),
    "a resource that no node has": (
        [*THREE, pod("a", containers=[{"name": "c", "resources": {"requests": {"example.com/gpu": "2"}}}])],
        "It asks for 2 example.com/gpu, and no node has any example.com/gpu.",
    ),
    "the number of pods": (
        [node("n1", pods="1"), pod("b", on="n1"), pod("a")],
        "The only node, n1, runs as many pods as it may (1).",
    ),
    "nodes that are large enough, and tainted": (
        [*THREE, node("big", cpu="16", taints=[INFRA]), pod("a", cpu="9")],
        "The only node that is large enough for it, big, carries the taint dedicated=infra:NoSchedule, which the"
        " pod does not tolerate.",
    ),
    "a host port": (
        [node("n1"), node("n2"), holding("web-1", on="n1"), holding("web-2", on="n2"), holding("a")],
        "Port 8080 is held by default/web-1 and default/web-2 on every node.",
    ),
    "a host port of another protocol": (
        [node("n1"), holding("dns", 53, "UDP", on="n1"), holding("a", 53, "UDP")],
        "Port 53/UDP is held by default/dns on the only node, n1.",
    ),
    "its own anti-affinity": (
        [zoned("n1", "a"), pod("db-0", on="n1", meta=DB), pod("a", affinity=apart())],
        "Its anti-affinity keeps it from default/db-0 on the only node, n1.",
    ),
    "the anti-affinity of another pod": (
        [
            zoned("n1", "a"),
            zoned("n2", "a"),
            pod("db-0", on="n1", affinity=apart(key="zone")),
            pod("a", meta=DB),
        ],
        "The anti-affinity of default/db-0 (by zone) keeps it away on every node.",
    ),
    "an affinity to pods that do not run": (
        [zoned("n1", "a"), pod("a", affinity=apart("podAffinity", "cache", "zone"))],
        "Its affinity asks for a pod with app=cache in the namespace default (by zone), and no such pod runs.",
    ),
    "an affinity to a pod on a full node": (
        [
            zoned("n1", "a"),
            zoned("n2", "b"),
            pod("db-0", cpu="4", on="n1", meta=DB),
            pod("a", affinity=apart("podAffinity", key="zone")),
        ],
        "It asks for 1 cpu, and the most that is free on n1 is 0; its affinity asks for a pod with app=db in the"
        " namespace default (by zone): default/db-0 runs elsewhere.",
    ),
    "the skew of a zone": (
        [
            zoned("n1", "a"),
            zoned("n2", "b", unschedulable=True),
            *(pod(f"w{n}", on="n1", meta=WEB) for n in (1, 2)),
            pod("a", meta=WEB, topologySpreadConstraints=spread()),
        ],
        "The skew of zone a would be 3, and maxSkew is 1 (b has 0 matching pods, but NodeUnschedulable rejects the"
        " pod there).",
    ),
    "too few domains": (
        [
            zoned("n1", "a"),
            pod("w1", on="n1", meta=WEB),
            pod("a", meta=WEB, topologySpreadConstraints=spread(minDomains=3)),
        ],
        "The skew of zone a would be 2, and maxSkew is 1 (1 domain, and minDomains is 3, so that the skew is"
        " measured against 0).",
    ),
    "no label to spread by": (
        [*THREE, pod("a", meta=WEB, topologySpreadConstraints=spread())],
        "All 3 nodes have no label zone, which its topology spread constraint names.",
    ),
    "a volume in another zone": (
        [zoned("n1", "a"), zoned("n2", "a"), claim("pv-1"), volume("b"), pod("a", volumes=claiming())],
        "The volume pv-1 of its claim data can only be reached from nodes with zone=b, and there is none.",
    ),
    "a volume on a full node": (
        [
            zoned("n1", "a"),
            zoned("n2", "b"),
            claim("pv-1"),
            volume("b"),
            pod("full", cpu="4", on="n2"),
            pod("a", volumes=claiming()),
        ],
        "It asks for 1 cpu, and the most that is free on n2, the only node that its volumes can be reached from,"
        " is 0.",
    ),
    "a claim that does not exist": (
        [node("n1"), pod("a", volumes=claiming("lost"))],
        "Its PersistentVolumeClaim lost does not exist.",
    ),
    "a claim whose volume is missing": (
        [node("n1"), late("fast"), claim("pv-2", storageClassName="fast"), pod("a", volumes=claiming())],
        "The PersistentVolume pv-2, which its claim data is bound to, does not exist.",
    ),
    "a claim that is being deleted": (
        [
            node("n1"),
            late("fast"),
            claim(storageClassName="fast")
            | {
                "metadata": {
                    "name": "data",
                    "finalizers": ["x/y"],
                    "deletionTimestamp": "2026-01-01T00:00:00Z",
                }
            },
            pod("a", volumes=claiming()),
        ],
        "Its PersistentVolumeClaim data is being deleted.",
    ),
    "a class where there is none": (
        [node("n1"), claim(storageClassName="fast"), pod("a", volumes=claiming())],
        "Its PersistentVolumeClaim data asks for the class fast, which does not exist.",
    ),
    "an access mode that no volume has": (
        [node("n1"), *LOCAL, claim(storageClassName="local", accessModes=["ReadWriteMany"]), USES],
        "Its claim data asks for 1Gi of the class local with the access mode ReadWriteMany, which no free volume"
        " of it has.",
    ),
    "a volumeMode that no volume has": (
        [node("n1"), *LOCAL, claim(storageClassName="local", volumeMode="Block"), USES],
        "Its claim data asks for 1Gi of the class local with the volumeMode Block, which no free volume of it"
        " has.",
    ),
    "labels that no volume has": (
        [
            node("n1"),
            *LOCAL,
            claim(storageClassName="local", selector={"matchLabels": {"disk": "ssd"}}),
            USES,
        ],
        "Its claim data asks for 1Gi of the class local with the labels disk=ssd, which no free volume of it has.",
    ),
    "a claim that is not bound": (
        [
            node("n1"),
            claim(storageClassName="fast"),
            thing(
                "StorageClass", "fast", "storage.k8s.io/v1", provisioner="x", volumeBindingMode="Immediate"
            ),
            pod("a", volumes=claiming()),
        ],
        "Its PersistentVolumeClaim data of the class fast is not bound to a volume, and does not wait for a pod to"
        " be bound: x has to provision one first.",
    ),
    "a scheduling gate": (
        [node("n1"), pod("a", schedulingGates=[{"name": "quota"}])],
        "It has the scheduling gate quota, and is not tried until it is removed.",
    ),
    "cordoned nodes beside tainted ones": (
        [node("n1", unschedulable=True), node("i1", taints=[INFRA]), pod("a")],
        "The only node whose taints it tolerates, n1, is cordoned.",
    ),
    "a misspelt resource": (
        [
            node("n1") | {"status": {"allocatable": {"cpu": "4", "pods": "9", "nvidia.com/gpu": "2"}}},
            asking({"nvidia.com/gpus": "1"}),
        ],
        "It asks for 1 nvidia.com/gpus, and no node has any nvidia.com/gpus (nearest: nvidia.com/gpu on 1 node).",
    ),
    "a claim in another namespace": (
        [node("n1"), claim(), pod("a", meta={"namespace": "shop"}, volumes=claiming())],
        "Its PersistentVolumeClaim data does not exist in the namespace shop (one of this name is in default).",
    ),
    "a class that does not exist": (
        [node("n1"), claim(storageClassName="fsat"), late("fast"), pod("a", volumes=claiming())],
        "Its PersistentVolumeClaim data asks for the class fsat, which does not exist (nearest: fast).",
    ),
    "a class that provisions elsewhere": (
        [
            zoned("n1", "a"),
            claim(storageClassName="fast"),
            late("fast", allowedTopologies=[{"matchLabelExpressions": [{"key": "zone", "values": ["d"]}]}]),
            pod("a", volumes=claiming()),
        ],
        "The class fast of its claim data provisions only for nodes with zone=d, and there is none.",
    ),
    "an affinity to a misspelt label": (
        [node("n1"), pod("redis-0", on="n1", meta={"labels": {"app": "redis"}}), pod("a", **near("redsi"))],
        "Its affinity asks for a pod with app=redsi in the namespace default (by kubernetes.io/hostname), and no"
        " such pod runs (nearest: app=redis of default/redis-0).",
    ),
    "an affinity to a pod in another namespace": (
        [
            node("n1"),
            pod("redis-0", on="n1", meta={"namespace": "db", "labels": {"app": "redis"}}),
            pod("a", **near("redis")),
        ],
        "Its affinity asks for a pod with app=redis in the namespace default (by kubernetes.io/hostname), and no"
        " such pod runs there: db/redis-0 is in another namespace.",
    ),
    "a device that is allocated": (
        [
            node("n1"),
            pod("r", on="n1", meta={"uid": "r"}),
            device_class(),
            device_on("n1"),
            device_claim("other", status=HELD),
            device_claim("gpu"),
            of_device(),
        ],
        "Its claim gpu asks for 1 device of the class x, and the most that is free on n1, the only node,"
        " is 0 (allocated to default/other).",
    ),
    "a device class that does not exist": (
        [node("n1"), device_class(), device_claim("gpu", of="xx"), of_device()],
        "Its ResourceClaim gpu asks for devices of the class xx, and there is no such DeviceClass (nearest: x).",
    ),
    "a device claim that does not exist": (
        [node("n1"), device_claim("gpu"), of_device("gpus")],
        "Its ResourceClaim gpus does not exist (nearest: gpu).",
    ),
    "a template that does not exist": (
        [
            node("n1"),
            thing("ResourceClaimTemplate", "gpu", "resource.k8s.io/v1", spec={}),
            pod("a", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "gpus"}]),
        ],
        "Its claim g cannot be created, since the ResourceClaimTemplate gpus does not exist (nearest: gpu).",
    ),
    "a claim that is not made yet": (
        [
            node("n1"),
            thing("ResourceClaimTemplate", "gpu", "resource.k8s.io/v1", spec={}),
            pod("a", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "gpu"}]),
        ],
        "Its claim g has not been created yet from the ResourceClaimTemplate gpu.",
    ),
    "a selector that no device matches": (
        [
            node("n1"),
            device_class(),
            device_on("n1"),
            device_claim("gpu", selecting="device.driver == 'y'"),
            of_device(),
        ],
        "The request r of its claim gpu selects none of the 1 device of the class x, by device.driver == 'y'.",
    ),
    "fewer devices than the claim asks for": (
        [
            *(zoned(name, "a") for name in ("n1", "n2")),
            device_class(),
            device_on("n1"),
            device_on("n2"),
            device_claim("gpu", selecting="device.driver == 'x'", count=2),
            of_device(),
        ],
        "Its claim gpu asks for 2 devices of the class x where device.driver == 'x', and at most 1 is published on"
        " any node (n1).",
    ),
    "devices with a taint": (
        [
            node("n1"),
            device_class(),
            device_on("n1", taints=[taint("broken", "xid")]),
            device_claim("gpu"),
            of_device(),
        ],
        "Its claim gpu asks for 1 device of the class x, and those on n1, the only node, carry the taint"
        " broken=xid:NoSchedule, which it does not tolerate.",
    ),
    "devices on a full node": (
        [
            node("n1"),
            node("n2"),
            device_class(),
            device_on("n1"),
            device_claim("gpu", status={"allocation": HELD["allocation"] | {"nodeSelector": ON_N1}}),
            pod("full", cpu="4", on="n1"),
            of_device(),
        ],
        "It asks for 1 cpu, and the most that is free on n1, the only node with the devices that it needs, is 0.",
    ),
    "a CSI driver that is not installed": (
        [
            node("n1"),
            late("slow"),
            claim(storageClassName="slow"),
            thing("CSIDriver", "x", "storage.k8s.io/v1", spec={"preventPodSchedulingIfMissing": True}),
            thing("CSINode", "n1", "storage.k8s.io/v1", spec={"drivers": []}),
            pod("a", volumes=claiming()),
        ],
        "On the only node, n1, the CSI driver x, which its volumes need, is not installed.",
    ),
    "a toleration of another effect": (
        [
            node("n1", taints=[INFRA]),
            pod("a", tolerations=[{"key": "dedicated", "value": "infra", "effect": "NoExecute"}]),
        ],
        "The only node, n1, carries the taint dedicated=infra:NoSchedule, which the pod does not tolerate"
        " (nearest: it tolerates dedicated=infra:NoExecute).",
    ),
    "an affinity to a pod that is pending, too": (
        [node("n1"), pod("b", meta={"labels": {"app": "b"}}), pod("a", **near("b"))],
        "Its affinity asks for a pod with app=b in the namespace default (by kubernetes.io/hostname), and no such"
        " pod runs: default/b is pending, too.",
    ),
    "a device plugin that does not run": (
        [
            node("n1")
            | {"status": {"allocatable": {"pods": "4", "x.com/gpu": "0"}, "capacity": {"x.com/gpu": "8"}}},
            asking({"x.com/gpu": "1"}),
        ],
        "It asks for 1 x.com/gpu, and no node has any x.com/gpu allocatable, though it is among the capacity of"
        " n1.",
    ),
    "huge pages": (
        [node("n1"), asking({"hugepages-2Mi": "512Mi"})],
        "It asks for 512Mi hugepages-2Mi, and no node has any hugepages-2Mi.",
    ),
    "a claim for one pod": (
        [
            node("n1", labels={"zone": "a"}),
            claim("pv-1", accessModes=["ReadWriteOncePod"]),
            volume("a"),
            pod("old", on="n1", volumes=claiming()),
            pod("a", volumes=claiming()),
        ],
        "Its claim data is ReadWriteOncePod, and is used by default/old.",
    ),
    "as many volumes as may be attached": (
        [
            node("n1"),
            node("n2"),
            late("slow"),
            claim(storageClassName="slow"),
            *(
                thing("CSINode", name, "storage.k8s.io/v1", spec={"drivers": [limited]})
                for limited in [{"name": "x", "nodeID": "n", "allocatable": {"count": 0}}]
                for name in ("n1", "n2")
            ),
            pod("a", volumes=claiming()),
        ],
        "On both nodes its volumes would make more than the 0 of x that may be attached.",
    ),
    "too little storage": (
        [
            node("n1"),
            late("slow"),
            claim(storageClassName="slow"),
            thing("CSIDriver", "x", "storage.k8s.io/v1", spec={"storageCapacity": True}),
            thing(
                "CSIStorageCapacity",
                "c",
                "storage.k8s.io/v1",
                meta={"namespace": "default"},
                storageClassName="slow",
                capacity="512Mi",
                nodeTopology={},
            ),
            pod("a", volumes=claiming()),
        ],
        "Its claim data asks for 1Gi of the class slow, and at most 512Mi can be had on n1, the only node.",
    ),
    "more cpu and more memory than is free": (
        [node("n1"), pod("r", cpu="3", on="n1"), asking({"cpu": "2", "memory": "9Gi"})],
        "It asks for 2 cpu, and the most that is free on n1, the only node, is 1; and for 9Gi memory, of which at"
        " most 8Gi is free.",
    ),
    "cpu in the domains that the spread allows": (
        [
            *(zoned(f"n{n}", zone) for n, zone in enumerate("aab", 1)),
            pod("w", on="n1", meta=WEB),
            pod("r", cpu="3", on="n3"),
            pod("a", cpu="3.5", meta=WEB, topologySpreadConstraints=spread()),
            pod("s", cpu="2", on="n2"),
            pod("t", cpu="2", on="n1"),
        ],
        "It asks for 3.5 cpu, and the most that is free on n3, the only node that PodTopologySpread accepts, is"
        " 1.",
    ),
    "a larger volume than there is": (
        [
            node("n1", labels={"zone": "a"}),
            late("slow") | {"provisioner": "kubernetes.io/no-provisioner"},
            claim(storageClassName="slow"),
            pod("a", volumes=claiming()),
        ],
        "Its claim data asks for 1Gi of the class slow, which provisions none, and no volume of it is free.",
    ),
    "an init container": (
        [
            node("n1"),
            pod(
                "a",
                initContainers=[{"name": "init", "resources": {"requests": {"cpu": "9"}}}],
                overhead={"cpu": "1"},
            ),
        ],
        "It asks for 10 cpu (with an overhead of 1 and for its init container init), and the only node, n1, has 4"
        " allocatable.",
    ),
    "nodes that are ill in different ways": (
        [
            node("n1", taints=[taint("node.kubernetes.io/not-ready")]),
            node("n2", unschedulable=True),
            node("n3", taints=[INFRA]),
            pod("a"),
        ],
        "Of the 2 nodes whose other taints it tolerates 1 is cordoned and 1 is not ready.",
    ),
    "a misspelt key": (
        [*THREE, pod("a", nodeSelector={"disktyp": "hdd"})],
        "No node has the label disktyp=hdd (nearest: disktype=hdd on 3 nodes).",
    ),
    "an empty domain in which no pod may be": (
        [
            *(zoned(f"n{n}", f"z{n}") for n in range(1, 5)),
            *(pod(f"w{n}", on=f"n{n}", meta=WEB) for n in range(1, 5)),
            zoned("n5", "z5", taints=[INFRA]),
            pod("a", meta=WEB, topologySpreadConstraints=spread()),
        ],
        "In each of 4 domains of zone the skew would be 2, and maxSkew is 1 (z5 has 0 matching pods, but"
        " TaintToleration rejects the pod there).",
    ),
    "a victim that has not left": (
        [
            node("n1"),
            pod(
                "victim",
                cpu="4",
                on="n1",
                meta={"deletionTimestamp": "2026-01-01T00:00:00Z"},
                status={
                    "conditions": [
                        {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
                    ]
                },
            ),
            pod("a", priority=9, status={"nominatedNodeName": "n1"}),
        ],
        "It is nominated to n1, and waits until default/victim has left. It asks for 1 cpu, and the most that is"
        " free on n1, the only node, is 0.",
    ),
    "no node at all": ([pod("a")], "There is no node in the cluster."),
    "more than one thing": (
        [
            node("n1"),
            node("n2"),
            pod("full", cpu="4", on="n1"),
            holding("web", on="n2"),
            holding("a")
            | {
                "spec": {
                    "containers": [
                        {
                            "name": "c",
                            "ports": [{"containerPort": 80, "hostPort": 8080}],
                            "resources": {"requests": {"cpu": "1"}},
                        }
                    ]
                }
            },
        ],
        "It asks for 1 cpu, and the most that is free on n1 is 0; port 8080 is held by default/web on node n2.",
    ),
}


@pytest.mark.parametrize(("values", "answer"), CULPRITS.values(), ids=list(CULPRITS))
def test_the_first_sentence_names_the_culprit(values: list[Json], answer: str) -> None:
    found = explained(*values)
    assert found.headline == answer
    assert str(found).splitlines()[1] == answer


# --- What would help ------------------------------------------------------------------------------


def test_what_would_help_against_a_taint_a_selector_or_a_label() -> None:
    found = explained(*CULPRITS["a taint on the nodes that the selector names"][0])
    assert changes(found) == {
        "tolerate dedicated=infra:NoSchedule": ("i1", "i2"),
        "drop nodeSelector dedicated=infra": ("n1", "n2", "n3"),
        "label node n1 so that it has dedicated=infra": ("n1",),
    }


def test_the_largest_request_that_fits_is_named() -> None:
    found = explained(*CULPRITS["too little cpu"][0])
    assert changes(found)["request at most 3.5 cpu (it asks for 3.8)"] == ("n2",)
    assert changes(found)["delete or move default/r2 on n2"] == ("n2",)
    assert changes(found)["add a node like n1"] == ("n1-1",)


def test_a_node_gets_well_or_is_uncordoned() -> None:
    ill = explained(*CULPRITS["a node that is not ready"][0])
    assert changes(ill) == {"wait until node n1, which is not ready, is well": ("n1",)}
    both = [taint("node.kubernetes.io/not-ready", effect=each) for each in ("NoSchedule", "NoExecute")]
    ill = explained(node("n1", taints=both), pod("a"))
    assert ill.headline.startswith("The only node, n1, is not ready: it has the taints ")
    assert changes(ill) == {"wait until node n1, which is not ready, is well": ("n1",)}
    cordoned = explained(*CULPRITS["cordoned nodes"][0])
    assert changes(cordoned)["uncordon node n1"] == ("n1",)


def test_a_claim_asks_for_fewer_devices_or_tolerates_their_taint() -> None:
    fewer = explained(*CULPRITS["fewer devices than the claim asks for"][0])
    assert changes(fewer) == {"ask for at most 1 in its claim gpu (it asks for 2)": ("n1", "n2")}
    tainted = explained(*CULPRITS["devices with a taint"][0])
    assert changes(tainted) == {"tolerate broken=xid:NoSchedule in its claim gpu": ("n1",)}


def test_a_claim_asks_for_a_smaller_volume() -> None:
    small = volume("a")
    small["spec"] |= {"storageClassName": "slow", "capacity": {"storage": "512Mi"}, "claimRef": None}
    small["status"] = {"phase": "Available"}
    local = late("slow") | {"provisioner": "kubernetes.io/no-provisioner"}
    asks = [claim(storageClassName="slow"), pod("a", volumes=claiming())]
    found = explained(node("n1", labels={"zone": "a"}), local, small, *asks)
    assert changes(found) == {"ask for at most 512Mi in its claim data (it asks for 1Gi)": ("n1",)}


def test_nobody_is_told_to_label_a_node_with_another_zone() -> None:
    found = explained(node("n1"), pod("a", nodeSelector={"topology.kubernetes.io/zone": "a"}))
    assert changes(found) == {"drop nodeSelector topology.kubernetes.io/zone=a": ("n1",)}


def test_pods_that_hold_the_devices_leave_unless_another_one_keeps_them() -> None:
    assert changes(explained(*CULPRITS["a device that is allocated"][0])) == {
        "delete or move default/r on n1, which holds 1 device": ("n1",)
    }
    shared = HELD | {"reservedFor": [*HELD["reservedFor"], {"resource": "pods", "name": "s", "uid": "s"}]}
    values = [node("n1"), pod("r", on="n1", meta={"uid": "r"}), device_class(), device_on("n1")]
    claims = [device_claim("other", status=shared), device_claim("gpu")]
    assert not changes(explained(*values, *claims, of_device()))


def test_a_pod_that_is_being_deleted_is_waited_for() -> None:
    going = pod("old", cpu="4", on="n1", meta={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    found = explained(node("n1"), going, pod("a"))
    assert "wait until default/old has left n1 (being deleted)" in changes(found)


def test_a_change_that_does_not_work_is_not_printed() -> None:
    both = node("n1", labels={"disktype": "hdd"}, taints=[taint("gpu")])
    found = explained(both, pod("a", nodeSelector={"disktype": "ssd"}))
    assert found.would_help == ()
    assert "No single change that was tried would help." in str(found).splitlines()


def test_pods_of_daemon_sets_are_not_to_leave() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
    found = explained(
        node("n1"), pod("daemon", cpu="4", on="n1", meta={"ownerReferences": [owner]}), pod("a")
    )
    assert changes(found) == {}


def test_what_other_pods_stand_in_the_way_of() -> None:
    assert list(changes(explained(*CULPRITS["a host port"][0])))[:2] == [
        "drop hostPort 8080",
        "delete or move default/web-1 on n1",
    ]
    assert list(changes(explained(*CULPRITS["the skew of a zone"][0]))) == [
        "maxSkew 3 for zone",
        "whenUnsatisfiable: ScheduleAnyway for zone",
        "uncordon node n2",
    ]
    own = "make its required pod anti-affinity (by kubernetes.io/hostname) a preferred one"
    assert changes(explained(*CULPRITS["its own anti-affinity"][0]))[own] == ("n1",)
    wanted = "make its required pod affinity (by zone) a preferred one"
    assert changes(explained(*CULPRITS["an affinity to pods that do not run"][0])) == {wanted: ("n1",)}


def affine(*terms: list[Json], **more: Any) -> Json:
    required = {"nodeSelectorTerms": [{"matchExpressions": each} for each in terms]}
    return pod(
        "a", affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}, **more
    )


def wants(key: str, operator: str = "Exists", *values: str) -> Json:
    return {"key": key, "operator": operator, "values": list(values)}


def test_a_condition_that_is_alone_in_its_term_is_not_dropped_by_itself() -> None:
    """A term without conditions matches no node, and without the term the other one would be required."""
    found = explained(*CULPRITS["two required terms"][0])
    assert list(changes(found)) == [
        "drop its required node affinity (both terms)",
        "label node n1 so that it has x",
    ]
    found = explained(node("n1"), affine([wants("disk", "In", "nvme")]))
    assert "drop its required node affinity (disk=nvme)" in changes(found)
    terms = [[wants("disk", "In", "nvme"), wants("zone", "In", "q")], [wants("gpu")]]
    found = explained(node("n1"), affine(*terms))
    assert list(changes(found)) == [
        "drop its required node affinity (both terms)",
        "label node n1 so that it has gpu",
    ]
    assert found.reasons[0].because == "no term is met: disk=nvme and zone=q; gpu"


def test_a_condition_beside_others_is_dropped_from_its_term() -> None:
    terms = [[wants("disk", "In", "nvme"), wants("zone", "In", "q")], [wants("gpu"), wants("fast")]]
    found = explained(node("n1", labels={"disk": "nvme"}), affine(*terms))
    assert changes(found)["drop zone=q from its node affinity"] == ("n1",)
    [changed] = [each.updated[0] for each in found.would_help if each.change.startswith("drop")]
    assert isinstance(changed, Pod)
    assert changed.spec.affinity is not None
    assert changed.spec.affinity.node_affinity is not None
    required = changed.spec.affinity.node_affinity.required_during_scheduling_ignored_during_execution
    assert required is not None
    assert [len(term.match_expressions) for term in required.node_selector_terms] == [1, 2]


def test_terms_without_conditions_and_conditions_beside_a_node_selector() -> None:
    found = explained(node("n1"), affine([], []))
    assert found.headline == "Its required node affinity has no term with a condition, and matches no node."
    assert found.reasons[0].because == "no term has a condition"
    assert list(changes(found)) == ["drop its required node affinity"]
    own = affine([wants("disk", "NotIn", "ssd")], nodeSelector={"disk": "ssd"})
    found = explained(node("n1", labels={"disk": "ssd"}), own)
    assert list(changes(found)) == ["drop its required node affinity (disk!=ssd)"]
    found = explained(node("n1", labels={"disk": "ssd", "x": "y"}), affine([wants("x", "DoesNotExist")]))
    assert changes(found)["remove the label x from node n1"] == ("n1",)
    both = affine([wants("x", "DoesNotExist"), wants("z")])
    found = explained(node("n1", labels={"x": "y"}), both)
    assert list(changes(found)) == [
        "drop its required node affinity (!x and z)",
        "label node n1 so that it has z, and remove the label x",
    ]


def test_the_api_server_refuses_two_constraints_alike() -> None:
    twice = [*spread(), *spread(whenUnsatisfiable="ScheduleAnyway")]
    found = changes(
        explained(
            *CULPRITS["the skew of a zone"][0][:-1], pod("a", meta=WEB, topologySpreadConstraints=twice)
        )
    )
    assert list(found) == ["maxSkew 3 for zone", "uncordon node n2"]


def test_a_node_elsewhere_helps_where_no_node_reaches_a_volume_or_domains_are_too_few() -> None:
    places = "add a node like n1, but with zone=b"
    volumes = [claim(volume="pv-1"), volume("b")]
    found = explained(zoned("n1", "a"), *volumes, pod("a", volumes=claiming()))
    assert changes(found) == {places: ("n1-1",)}
    topology = [{"matchLabelExpressions": [{"key": "zone", "values": ["b"]}]}]
    of_class = [claim(storageClassName="fast"), late("fast", allowedTopologies=topology)]
    found = explained(zoned("n1", "a"), *of_class, pod("a", volumes=claiming()))
    assert changes(found) == {places: ("n1-1",)}
    few = pod("a", meta=WEB, topologySpreadConstraints=spread(minDomains=3))
    found = explained(zoned("n1", "a"), pod("web-1", on="n1", meta=WEB), few)
    assert changes(found)["add a node like n1, but with a value of zone that no node has"] == ("n1-1",)


def test_a_pod_with_a_volume_leaves_where_no_more_may_be_attached() -> None:
    """One more node has the CSI drivers of that which it is like, so that a pod which the limit alone keeps out
    does not fit there either."""

    def stored(name: str) -> list[Json]:
        bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
        spec: Json = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        csi = {"driver": "d", "volumeHandle": name}
        return [
            thing("PersistentVolumeClaim", name, meta=bound, spec=spec | {"volumeName": name}),
            thing("PersistentVolume", name, spec={"capacity": {"storage": "1Gi"}, "csi": csi}),
        ]

    drivers = [{"name": "d", "nodeID": "n1", "allocatable": {"count": 1}}]
    limited = thing("CSINode", "n1", "storage.k8s.io/v1", spec={"drivers": drivers})
    full = [node("n1"), limited, *stored("v"), *stored("w"), pod("x", on="n1", volumes=claiming("v"))]
    assert changes(explained(*full, pod("a", volumes=claiming("w")))) == {
        "delete or move default/x on n1": ("n1",),
        "add a node like n1": ("n1-1",),
    }
    both = [{**claiming("v")[0], "name": "v"}, {**claiming("w")[0], "name": "w"}]
    assert changes(explained(*full, pod("a", volumes=both))) == {}


def test_a_pool_that_is_incomplete_is_named() -> None:
    piece = device_on("n1")
    piece["spec"]["pool"]["resourceSliceCount"] = 2
    found = explained(node("n1"), device_class(), piece, device_claim("gpu"), of_device())
    assert found.headline == (
        "On the only node, n1, no choice of devices satisfies its claim (gpu: 1 of class x), and the pool n1 of x"
        " is incomplete, with 1 ResourceSlice of 2 published."
    )


def test_a_value_that_is_misspelt_is_corrected() -> None:
    near = node("n1", labels={"zone": "eu-west-1"})
    found = explained(near, pod("a", nodeSelector={"zone": "eu-west1"}))
    assert changes(found)["ask for zone=eu-west-1 in nodeSelector instead of zone=eu-west1"] == ("n1",)


def test_a_key_a_resource_or_a_value_in_an_affinity_that_is_misspelt_is_corrected() -> None:
    found = changes(explained(*CULPRITS["a misspelt key"][0]))
    assert len(found["ask for disktype=hdd in nodeSelector instead of disktyp=hdd"]) == 3
    found = changes(explained(*CULPRITS["a misspelt resource"][0]))
    assert list(found) == ["ask for nvidia.com/gpu instead of nvidia.com/gpus"]
    found = changes(explained(*THREE, pod("a", affinity=named(("disktype", "In", ["hddd"])))))
    assert len(found["ask for disktype=hdd in its node affinity instead of disktype=hddd"]) == 3


def test_who_uses_a_claim_for_one_pod_is_to_go() -> None:
    assert changes(explained(*CULPRITS["a claim for one pod"][0])) == {"delete default/old": ("n1",)}


def test_a_new_node_gets_its_pods_of_daemon_sets() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
    daemon = holding("d") | {"metadata": {"name": "d", "ownerReferences": [owner]}}
    daemon["spec"]["nodeName"] = "n1"
    assert changes(explained(node("n1"), daemon, holding("a"))) == {"drop hostPort 8080": ("n1",)}


def test_a_gate_is_removed_only_if_that_helps() -> None:
    gates = [{"name": "quota"}]
    helped = explained(node("n1"), pod("a", schedulingGates=gates))
    assert changes(helped) == {"remove the scheduling gate quota": ("n1",)}
    two = explained(node("n1"), pod("a", schedulingGates=[*gates, {"name": "b"}]))
    assert changes(two) == {"remove the scheduling gates quota and b": ("n1",)}
    assert explained(node("n1"), pod("a", cpu="9", schedulingGates=gates)).would_help == ()


def test_a_nominated_pod_that_counts_is_named() -> None:
    urgent = pod("urgent", cpu="3", priority=9, status={"phase": "Pending", "nominatedNodeName": "n1"})
    found = explained(node("n1"), urgent, pod("a", cpu="2"))
    assert found.headline == (
        "It asks for 2 cpu, and the most that is free on n1, the only node, is 1, where default/urgent is"
        " nominated and counted."
    )


def test_what_else_keeps_the_pod_away_is_said_too() -> None:
    found = explained(node("n1", taints=[INFRA]), pod("full", cpu="4", on="n1"), pod("a"))
    assert found.headline == (
        "The only node, n1, carries the taint dedicated=infra:NoSchedule, which the pod does not tolerate;"
        " besides, it asks for 1 cpu, and the most that is free on n1, the only node, is 0."
    )
    assert found.would_help == ()


# --- While it waits -------------------------------------------------------------------------------


def reasons(found: Explanation) -> list[tuple[str, tuple[str, ...]]]:
    assert found.waiting is not None
    return [(each.because, each.nodes) for each in found.waiting.not_preempting]


def test_why_it_preempts_no_pod_is_said_by_node() -> None:
    low, equal = pod("low", cpu="1", priority=1, on="n1"), pod("equal", cpu="4", priority=5, on="n2")
    other = pod("other", cpu="3", priority=5, on="n1")
    tainted = node("n3", taints=[INFRA])
    found = explained(node("n1"), node("n2"), tainted, low, equal, other, pod("a", cpu="3", priority=5))
    assert sorted(reasons(found)) == [
        ("it would not fit without the pods of lower priority either", ("n1",)),
        ("no eviction helps against what rejects it", ("n3",)),
        ("no pod has a priority below 5", ("n2",)),
    ]


def test_a_pod_or_a_profile_may_preempt_nothing() -> None:
    full = [node("n1"), pod("low", cpu="4", on="n1")]
    found = explained(*full, pod("a", priority=5, preemptionPolicy="Never"))
    assert reasons(found) == [("its preemptionPolicy is Never", ("n1",))]
    off = {"postFilter": {"disabled": [{"name": "*"}]}}
    found = explained(*full, pod("a", priority=5), profiles=[{"plugins": off}])
    assert reasons(found) == [("the profile does not preempt", ("n1",))]


def test_a_pod_that_is_nominated_says_so() -> None:
    nominated = {"phase": "Pending", "nominatedNodeName": "n1"}
    found = explained(node("n1"), pod("old", cpu="4", on="n1", priority=9), pod("a", status=nominated))
    assert found.waiting is not None
    assert found.waiting.nominated_node == "n1"
    assert "It is nominated to n1: it counts there" in str(found)


def test_an_attempt_that_found_a_node_and_failed_says_so() -> None:
    script = {"refsched.dev/script": '{"ScriptedA": {"reserve": "Unschedulable"}}'}
    profile = {"plugins": {"reserve": {"enabled": [{"name": "ScriptedA"}]}}}
    found = explained(node("n1"), pod("a", meta={"annotations": script}), profiles=[profile])
    assert found.headline.startswith("A node passes every check, and the attempt fails")
    assert found.waiting is not None
    assert {each.plugin for each in found.waiting.events} == {"ScriptedA"}


def test_two_resources_are_one_change() -> None:
    large = {"requests": {"cpu": "5", "memory": "9Gi"}}
    found = explained(node("n1"), pod("a", containers=[{"name": "c", "resources": large}]))
    asked = "request at most 4 cpu (it asks for 5) and 8Gi memory (it asks for 9Gi)"
    assert changes(found) == {asked: ("n1",)}
