# SPDX-License-Identifier: Apache-2.0
"""Messages: what else a pod's event or condition may say, beside the reasons that the specification declares.

A reason with a rule of its own is a ``Reason`` of its module (refsched/rules.py). Here are the other words: those
that the scheduler puts round the words of a plugin, and the errors. ``tests/tools/rulebook/test_messages.py``
compares this table with the strings of the specification and with what kube-scheduler was recorded to say.
"""

from __future__ import annotations

from refsched.rules import Reason

REJECTIONS = (
    Reason('pod "{}", spec.resourceClaim "{}": none of the supported fields are set', "R-DRA-81"),
    Reason('pod "{}": ResourceClaim not created yet', "R-DRA-81"),
    Reason('could not find ResourceClaim "{}/{}"', "R-DRA-80"),
    Reason('resourceclaim "{}" is being deleted', "R-DRA-80"),
    Reason("ResourceClaim {} was not created for pod {} (pod is not owner)", "R-DRA-80"),
    Reason("timed out trying to allocate devices", "R-DRA-59"),
    Reason("asks for all devices, but resource pool {} is currently {}", "R-DRA-44"),
    Reason("invalid resource pools were encountered", "R-DRA-67"),
    Reason("asked by caller to stop allocating devices: {}", "R-DRA-15"),
)
"""These say why a pod or a node is rejected."""

ERRORS = (
    Reason('no pod volume found for node "{}"', "R-FRAMEWORK-12"),
    # Volumes
    Reason("binding volumes: {}", "R-VOLBIND-19"),
    Reason('v1.{} "{}" is out of sync', "R-VOLBIND-16"),
    Reason('{} "{}" not found', "R-VOLBIND-18"),
    Reason(
        'Operation cannot be fulfilled on {} "{}": the object has been modified; please apply your changes to'
        " the latest version and try again",
        "R-VOLBIND-18",
    ),
    Reason('failed to get node "{}": node "{}" not found', "R-VOLBIND-19"),
    Reason('pod does not exist any more: pod "{}" not found', "R-VOLBIND-19"),
    Reason("failed to check binding: {}", "R-VOLBIND-20"),
    Reason("failed to translate pv to csi: {}", "R-VOLBIND-20"),
    Reason('ClaimRef got reset for pv "{}"', "R-VOLBIND-20"),
    Reason('pv "{}" node affinity doesn\'t match node "{}": {}', "R-VOLBIND-20"),
    Reason("no matching NodeSelectorTerms", "R-VOLBIND-20"),
    Reason("No matching NodeSelectorTerms", "R-VOLBIND-54"),
    Reason("failed to check provisioning pvc: {}", "R-VOLBIND-21"),
    Reason('selectedNode annotation reset for PVC "{}"', "R-VOLBIND-21"),
    Reason('provisioning failed for PVC "{}"', "R-VOLBIND-21"),
    Reason('could not find v1.{} "{}"', "R-VOLBIND-20"),
    Reason('persistentvolumeclaims "{}" not found', "R-VOLBIND-20"),
    Reason('persistentvolumes "{}" not found', "R-VOLBIND-20"),
    Reason("could not translate pv: {}", "R-VOLBIND-07"),
    Reason("kind({}) is not supported in csi migration", "R-VOLLIMIT-07"),
    Reason(
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({})",
        "R-VOLLIMIT-07",
    ),
    Reason(
        "failed to get region from zones: multiple or no regions gotten from zones, got: map[{}]",
        "R-VOLLIMIT-07",
    ),
    Reason(
        "failed to get region from zones: zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}},"
        " got: {}",
        "R-VOLLIMIT-07",
    ),
    Reason("Failed to bind volumes: {}", "R-VOLBIND-54"),
    Reason("Failed to bind volumes: timed out waiting for the condition", "R-VOLBIND-54"),
    Reason('pod "{}" does not exist any more', "R-VOLBIND-54"),
    # Devices
    Reason("claim {}, request {}: {}", "R-DRA-04"),
    Reason("claim {}, constraint #{}: {}", "R-DRA-04"),
    Reason("empty constraint (unsupported constraint type?)", "R-DRA-51"),
    Reason("allocation max size exceeded", "R-DRA-42"),
    Reason("claim {}: number of requested devices {} exceeds the claim limit of {}", "R-DRA-42"),
    Reason("pool {} is invalid: {}", "R-DRA-55"),
    Reason("duplicate device name {}", "R-DRA-22"),
    Reason("{}: selector #{}: {}", "R-DRA-41"),
    Reason("claim {}, request {}, selector #{}: {}", "R-DRA-41"),
    Reason("{}: selector #{} on device {}: {}", "R-WORDS-04"),
    Reason("CEL expression empty (unsupported selector type?)", "R-DRA-41"),
    Reason("CEL compile error: {}", "R-DRA-74"),
    Reason("CEL runtime error: {}", "R-DRA-41"),
    Reason(
        "CEL runtime error: no such key: {}. consider using CEL optional chaining (.? followed by orValue()) or"
        " guarding the check with has() for optional fields",
        "R-WORDS-04",
    ),
    Reason("{}: missing device class name (unsupported request type?)", "R-DRA-12"),
    Reason("{}: could not retrieve device class {}: {}", "R-DRA-12"),
    Reason('deviceclass.resource.k8s.io "{}" not found', "R-DRA-12"),
    Reason("{}: unsupported count mode {}", "R-DRA-43"),
    Reason("cannot add device {} because a claim constraint would not be satisfied", "R-DRA-58"),
    Reason("create NodeSelector for claim {}: {}", "R-DRA-62"),
    Reason("unsupported ResourceSlice.NodeSelector with {} terms", "R-DRA-62"),
    Reason("add reservation to claim {}: {}", "R-DRA-11"),
    Reason("add allocation and reservation to claim {}: {}", "R-DRA-11"),
    Reason("add finalizer to claim {}: {}", "R-DRA-11"),
    Reason('resourceclaims.resource.k8s.io "{}" not found', "R-DRA-11"),
    Reason("claim {} got deleted in the meantime", "R-DRA-11"),
    Reason("claim {} got allocated elsewhere in the meantime", "R-DRA-11"),
    Reason("claim {} got deallocated elsewhere in the meantime", "R-DRA-11"),
    Reason("claim {}, request {}: checking capacity for device {}: {}", "R-DRA-49"),
    Reason('capacity "{}": capacity value is negative', "R-DRA-49"),
    Reason("capacity request cannot be represented in the device's range arithmetic: {}", "R-DRA-49"),
    Reason("nil or empty request mappings, no update of pod {} ExtendedResourceClaimStatus", "R-DRA-96"),
    # Extenders
    Reason('Post "{}": {}', "R-EXTENDER-11"),
    Reason("context deadline exceeded (Client.Timeout exceeded while awaiting headers)", "R-EXTENDER-11"),
    Reason(
        "tls: failed to verify certificate: x509: certificate signed by unknown authority", "R-EXTENDER-11"
    ),
    Reason("failed {} with extender at URL {}, code {}", "R-EXTENDER-11"),
    Reason("Failed {} with extender at URL {}, code {}", "R-EXTENDER-52"),
    Reason(
        'extender "{}" claims a filtered node "{}" which is not found in the input node list', "R-EXTENDER-02"
    ),
    Reason('nodeinfo not found for node name "{}"', "R-EXTENDER-06"),
    Reason(
        "extender: {} claims to preempt pod (UID: &{{{}}}) on node: {}, but the pod is not found on that node",
        "R-EXTENDER-06",
    ),
    Reason("json: cannot unmarshal the answer to {}: {}", "R-EXTENDER-08"),
    # ServiceAffinity
)
"""These end an attempt or a binding with an error."""
