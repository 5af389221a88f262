# SPDX-License-Identifier: Apache-2.0
"""Cases of volumes: claims that are bound in part, volumes that other nodes reach, and storage objects that are
deleted or replaced before the pod is tried. Those of topologies, of exclusive claims and of zones stand beside
this module."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from conformance.cases.allowed_topologies import of_allowed_topologies
from conformance.cases.deleted import Replaced, before_and_after
from conformance.cases.exclusive_claims import of_exclusive_claims
from conformance.cases.volume_zones import of_zones
from conformance.vocabulary.builder import HistoryBuilder
from conformance.vocabulary.objects import (
    AN_AGE_AGO,
    HOSTNAME,
    node,
    pod,
    with_metadata,
)
from conformance.vocabulary.scripted import SCRIPTED, key, script
from conformance.vocabulary.storage import (
    BETA_CLASS,
    BIND_COMPLETED,
    DRIVER,
    EPHEMERAL_USER,
    SELECTED_NODE,
    STORAGE,
    TRACKING,
    a_claim,
    a_volume,
    bound_pair,
    claim_reference,
    ephemeral_pair,
    reaching,
    storage_class,
    storage_object,
    taken_volume,
    using,
    with_some,
)
from refsched.reading.without_fields import without_path
from refsched.suite.histories.history import History, Permit, Update
from refsched.suite.session.cases import Case

Json = dict[str, Any]

_HAND, _MADE = storage_class("hand"), storage_class("made", DRIVER)
_BOUND = bound_pair("c1", "v1")

# --- Bound claims ---------------------------------------------------------------------------------

_COMPLETED: Json = {"annotations": {BIND_COMPLETED: "yes"}}


def wanted(*objects: Json) -> History:
    """There are these objects, and one node, and a pod uses the claim c1."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(*objects)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _with_claim(claim: Json) -> History:
    return wanted(_HAND, _MADE, a_volume("v1"), a_volume("v2"), claim)


def _provisioned_for(host: str, completed: bool) -> History:
    """The provisioner binds a claim, for which n1 was selected, to a volume of this host."""
    cluster = HistoryBuilder(hosts=True)
    reach = {"key": HOSTNAME, "operator": "In", "values": [host]}
    taken = taken_volume("pvc-c1")
    claim = a_claim(spec={"storageClassName": "made"})
    cluster.add(_MADE, claim, taken, a_volume("v9", spec=reaching(reach)))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    annotations = {SELECTED_NODE: "n1", **({BIND_COMPLETED: "yes"} if completed else {})}
    bound = with_some(claim, metadata={"annotations": annotations}, spec={"volumeName": "v9"})
    cluster.steps.append(Update(bound))
    cluster.wait()
    cluster.schedule()
    return cluster.history()


def _ephemeral(members: Json) -> History:
    """The claim of the pod's ephemeral volume is bound, and has these members."""
    cluster = HistoryBuilder(hosts=True)
    claim, volume = ephemeral_pair()
    cluster.add(_HAND, with_some(claim, **members), volume)
    cluster.add_node(node(""))
    cluster.add_pod(EPHEMERAL_USER)
    cluster.schedule()
    return cluster.history()


def _node_selected() -> History:
    """Provisioning for the second of two nodes has begun, and was not finished."""
    cluster = HistoryBuilder(hosts=True)
    annotations = {"annotations": {SELECTED_NODE: "n2"}}
    cluster.add(_MADE, a_claim(metadata=annotations, spec={"storageClassName": "made"}))
    for _ in range(2):
        cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


def _node_deleted(claim: Json, volume: Json) -> History:
    cluster = HistoryBuilder()
    cluster.add(_HAND, claim, volume)
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c1"), script=script(("ScriptedA", "permit", "Wait"))))
    cluster.schedule(1)
    cluster.remove_node(0)
    cluster.steps.append(Permit(key(cluster.pods["p1"]), "allow"))
    cluster.wait()
    return cluster.history(SCRIPTED)


def _of_ephemeral_volumes() -> Iterator[Case]:
    for name, says, members in (
        ("leaving", "is being deleted", {"metadata": {"deletionTimestamp": AN_AGE_AGO}}),
        ("lost", "is lost", {"status": {"phase": "Lost"}}),
        ("bound", "is bound", {}),
    ):
        yield Case(
            f"ephemeral_claim_{name}",
            f"The claim of an ephemeral volume keeps the pod away, or does not, as any other one does: it {says}.",
            _ephemeral(members),
            ("R-VOLBIND-02",),
        )


def _of_binding() -> Iterator[Case]:
    for name, says, members in (
        (
            "completed_without_volume",
            "that is marked as bound and names no volume",
            {"metadata": _COMPLETED, "spec": {"storageClassName": "hand"}},
        ),
        (
            "completed_without_volume_of_a_provisioner",
            "of a class with a provisioner that is marked as bound and names no volume",
            {"metadata": _COMPLETED, "spec": {"storageClassName": "made"}},
        ),
        (
            "volume_without_completed",
            "that names a volume and is not marked as bound",
            {"spec": {"volumeName": "v1"}},
        ),
    ):
        yield Case(f"claim_{name}", f"A claim {says} is not a bound claim.", _with_claim(a_claim(**members)))
    for host in ("n2", "n1"):
        for completed in (False, True):
            where = "on_another_node" if host == "n2" else "on_the_selected_node"
            marked = "marked_as_bound" if completed else "not_marked_as_bound"
            yield Case(
                f"volume_provisioned_{where}_{marked}",
                "A pod is bound only if the volume that was provisioned for its claim can be used on the selected"
                f" node; it is {where.replace('_', ' ')}, and the claim {marked.replace('_', ' ')}.",
                _provisioned_for(host, completed),
            )
    yield Case(
        "claim_provisioned_for_another_node",
        "A node is rejected for a claim that is being provisioned for another node.",
        _node_selected(),
        ("R-VOLBIND-08",),
    )
    yield Case(
        "node_deleted_while_a_bound_claim_waits",
        "A pod whose claims are all bound does not need its node in PreBind, though the node was deleted.",
        _node_deleted(*_BOUND),
        needs=("scripted",),
    )
    yield Case(
        "node_deleted_while_an_unbound_claim_waits",
        "A pod with a claim yet to be bound fails in PreBind if its node was deleted meanwhile.",
        _node_deleted(a_claim("c1"), a_volume()),
        needs=("scripted",),
    )


# --- Objects that are deleted or replaced ---------------------------------------------------------

_PUBLISHED = storage_class("hand", TRACKING)
_PUBLISHES, _DOES_NOT = (
    storage_object(STORAGE, "CSIDriver", TRACKING, spec={"storageCapacity": publishes})
    for publishes in (True, False)
)
_CLAIMS = tuple(a_claim(name) for name in ("c1", "c2"))
_USER = pod("", volumes=using("c1"))
_INLINE = pod(
    "",
    volumes=[
        *using("c1"),
        *(
            {"name": f"i-{driver.replace('.', '-')}", "csi": {"driver": driver}}
            for driver in (DRIVER, TRACKING)
        ),
    ],
)
_LARGE = a_volume("v2", spec={"capacity": {"storage": "2Gi"}})


def _capacity(amount: str) -> Json:
    return storage_object(
        *(STORAGE, "CSIStorageCapacity", "k1", "default"),
        storageClassName="hand",
        capacity=amount,
        nodeTopology={},
    )


_REPLACED = (
    Replaced("only_volume_deleted", [_HAND, *_CLAIMS, a_volume()], _USER),
    Replaced(
        "larger_of_two_volumes_deleted",
        [_HAND, *_CLAIMS, a_volume(), _LARGE],
        pod("", volumes=using("c1", "c2")),
    ),
    Replaced("one_of_two_volumes_deleted", [_HAND, *_CLAIMS, a_volume("v2"), a_volume("v1")], _USER),
    Replaced("bound_volume_deleted", [_HAND, *_BOUND], _USER),
    Replaced("claim_deleted", [_HAND, a_volume(), _CLAIMS[0]], _USER),
    Replaced("storage_class_deleted", [*_CLAIMS, a_volume(), _HAND], _USER),
    Replaced("capacity_deleted", [_PUBLISHED, *_CLAIMS, _PUBLISHES, _capacity("2Gi")], _USER),
    Replaced(
        "capacity_shrunk",
        [_PUBLISHED, *_CLAIMS, _PUBLISHES, _capacity("2Gi")],
        _USER,
        later=_capacity("1Mi"),
    ),
    Replaced("csi_driver_turned_off", [_HAND, _CLAIMS[0], _PUBLISHES], _INLINE, later=_DOES_NOT),
    Replaced(
        "csi_driver_that_is_off_noted",
        [_HAND, _CLAIMS[0], _DOES_NOT],
        _INLINE,
        later=with_metadata(_DOES_NOT, annotations={"note": "x"}),
    ),
    Replaced("csi_driver_deleted", [_PUBLISHED, *_CLAIMS, _capacity("1Mi"), _PUBLISHES], _USER),
)

_TWO_MODES = Case(
    "claim_with_two_access_modes",
    "A claim with two access modes is not served by volumes that have only one of them.",
    _with_claim(a_claim(spec={"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]})),
    ("R-VOLBIND-13",),
)


def _each_access_mode() -> History:
    """Of each two access modes there is a class with one claim and one volume, and a pod that uses the claim."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add_node(node(""))
    modes = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
    for number, (asked, offered) in enumerate(product(modes, repeat=2)):
        of_class = {"storageClassName": f"hand{number}"}
        cluster.add(
            storage_class(f"hand{number}"),
            a_claim(f"c{number}", spec={"accessModes": [asked], **of_class}),
            a_volume(f"v{number}", spec={"accessModes": [offered], **of_class}),
        )
        cluster.add_pod(pod("", volumes=using(f"c{number}")))
    cluster.schedule()
    return cluster.history()


_EACH_MODE = Case(
    "each_access_mode_and_each_other",
    "A claim is served only by a volume that lists its access mode, though another one may allow more.",
    _each_access_mode(),
    ("R-VOLBIND-13",),
)


def _larger_claim(name: str) -> Json:
    return a_claim(name, spec={"resources": {"requests": {"storage": "2Gi"}}})


def _larger_claim_first() -> History:
    """Of two volumes each serves the smaller claim, and only one the larger, which the pod names first."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, a_claim("c1"), _larger_claim("c2"))
    for name, size in (("v1", "2Gi"), ("v2", "3Gi")):
        cluster.add(a_volume(name, spec={"capacity": {"storage": size}}))
    cluster.add_node(node(""))
    cluster.add_pod(pod("", volumes=using("c2", "c1")))
    cluster.schedule()
    return cluster.history()


def _two_volumes_given_back() -> History:
    """A plugin rejects a pod with two claims at Permit, and then a pod comes whose claim only the second of their
    volumes serves."""
    cluster = HistoryBuilder(hosts=True)
    cluster.add(_HAND, a_claim("c1"), _larger_claim("c2"), _larger_claim("c3"), a_volume("v1"), _LARGE)
    cluster.add_node(node(""))
    cluster.add_pod(
        pod("", volumes=using("c1", "c2"), script=script(("ScriptedA", "permit", "Unschedulable")))
    )
    cluster.schedule()
    cluster.add_pod(pod("", volumes=using("c3")))
    cluster.schedule()
    return cluster.history(SCRIPTED)


_GIVEN_BACK = Case(
    "two_volumes_given_back",
    "Each volume that was assumed for a pod which comes to nothing is free for the next one.",
    _two_volumes_given_back(),
    ("R-VOLBIND-17",),
)

_LARGER_FIRST = Case(
    "larger_of_two_claims_named_first",
    "The smaller of two claims chooses its volume first, though the pod names the larger one first.",
    _larger_claim_first(),
    ("R-VOLBIND-09",),
)


def _pre_bound_elsewhere() -> History:
    """A volume is pre-bound to the claim and reaches another node; one that is free reaches this one."""
    elsewhere = reaching({"key": HOSTNAME, "operator": "In", "values": ["n2"]})
    reserved = with_some(a_volume("v1", spec=elsewhere), **claim_reference("default", "c1", "uid-default-c1"))
    return wanted(_HAND, a_claim("c1"), reserved, a_volume("v2"))


_PRE_BOUND_ELSEWHERE = Case(
    "pre_bound_volume_out_of_reach",
    "A claim to which a volume is pre-bound gets no other one on a node that this volume does not reach.",
    _pre_bound_elsewhere(),
    ("R-VOLBIND-10",),
)


_ANNOTATED = Case(
    "capacity_of_the_class_in_an_annotation",
    "A CSIStorageCapacity of the class that the annotation of a claim names is for it, whatever its spec names.",
    wanted(
        *(_PUBLISHED, _PUBLISHES, _capacity("2Gi")),
        a_claim("c1", metadata={"annotations": {BETA_CLASS: "hand"}}, spec={"storageClassName": "other"}),
    ),
    ("R-VOLBIND-15",),
)


def _missing_claim_and_no_node() -> History:
    cluster = HistoryBuilder()
    cluster.add_pod(pod("", volumes=using("c1")))
    cluster.schedule()
    return cluster.history()


_NOTHING_THERE = Case(
    "claim_missing_and_no_node",
    "Where there is neither a node nor the claim that a pod names, the release decides for which it is rejected.",
    _missing_claim_and_no_node(),
)


_NO_TOPOLOGY = Case(
    "capacity_that_says_no_topology",
    "A CSIStorageCapacity without a nodeTopology reaches no node.",
    wanted(_PUBLISHED, _PUBLISHES, without_path(_capacity("2Gi"), ["nodeTopology"]), a_claim("c1")),
    ("R-VOLBIND-15",),
)


CASES: tuple[Case, ...] = (
    *_of_binding(),
    *_of_ephemeral_volumes(),
    *of_allowed_topologies(),
    _TWO_MODES,
    _EACH_MODE,
    _PRE_BOUND_ELSEWHERE,
    *of_zones(),
    _LARGER_FIRST,
    _GIVEN_BACK,
    _NO_TOPOLOGY,
    _NOTHING_THERE,
    _ANNOTATED,
    *of_exclusive_claims(),
    *(case for replaced in _REPLACED for case in before_and_after(replaced)),
)
