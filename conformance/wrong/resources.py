# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in what pods ask for, and in what is left of it."""

from conformance.wrong.planted import Wrong

_REQUESTS = "refsched.objects.resources"
_FIT = "refsched.plugins.node_resources_fit"
_INFO = "refsched.framework.node_info"
_QUANTITY = "refsched.objects.quantity"

WRONG = (
    Wrong(
        "overcommits",
        "what runs on a node already does not count against its cpu",
        _FIT,
        "asked <= capacity - amount(node.requested, resource)",
        "asked <= capacity",
        cites="neon autoscaling #1335, turned round",
    ),
    Wrong(
        "ignores-init-containers",
        "an init container that asks for more than the containers does not count",
        _REQUESTS,
        "return _max(running, initializing)",
        "return running",
        cites="kubernetes #89222",
    ),
    Wrong(
        "adds-init-containers",
        "init containers count together with the containers, not instead of them",
        _REQUESTS,
        "return _max(running, initializing)",
        "return _sum(running, initializing)",
    ),
    Wrong(
        "takes-the-larger-of-sidecar-and-container",
        "a sidecar and the containers do not add up",
        _REQUESTS,
        "            running = _sum(running, requests)\n",
        "            running = _max(running, requests)\n",
        cites="HAMi #1773, kubernetes #127868",
    ),
    Wrong(
        "forgets-sidecars-started-before",
        "sidecars that run already do not add to what an init container asks for",
        _REQUESTS,
        "initializing = _max(initializing, _sum(requests, sidecars))",
        "initializing = _max(initializing, requests)",
        cites="KAI-Scheduler #1556",
    ),
    Wrong(
        "ignores-overhead",
        "a pod's overhead is no part of its request",
        _REQUESTS,
        "return _sum(requests, pod.spec.overhead)",
        "return requests",
        cites="KAI-Scheduler #373",
    ),
    Wrong(
        "ignores-pod-level-requests",
        "what a pod requests as a whole does not replace what its containers do",
        _REQUESTS,
        "if pod_level and pod.spec.resources is not None:",
        "if False and pod.spec.resources is not None:",
        cites="kueue #12334",
    ),
    Wrong(
        "counts-running-pods-without-init-containers",
        "on a node, pods count without what their init containers ask for",
        _INFO,
        "return resource_of(pod_requests(self.pod))",
        "return resource_of(pod_requests(evolve(self.pod, spec=evolve(self.pod.spec, init_containers=()))))",
        cites="volcano #1333",
    ),
    Wrong(
        "counts-running-pods-by-spec",
        "while a resize is under way only what is asked for counts, not what is granted and in use",
        _INFO,
        "return resource_of(pod_requests(self.pod))",
        "return resource_of(pod_requests(self.pod, use_status=False))",
        cites="kubernetes #129532",
    ),
    Wrong(
        "grants-what-is-infeasible",
        "a resize that the kubelet found infeasible counts as if it would still come",
        _REQUESTS,
        "return held if _is_resize_infeasible(pod) else _max(container.resources.requests, held)",
        "return _max(container.resources.requests, held)",
    ),
    Wrong(
        "leaves-one-unit-free",
        "a pod that asks for exactly what is left is refused",
        _FIT,
        "asked <= capacity - amount(node.requested, resource)",
        "asked < capacity - amount(node.requested, resource)",
    ),
    Wrong(
        "one-pod-too-many",
        "a node takes one pod more than it says that it can",
        _FIT,
        "if len(node.pods) + 1 > node.allocatable.allowed_pod_number",
        "if len(node.pods) > node.allocatable.allowed_pod_number",
    ),
    Wrong(
        "refuses-who-asks-for-nothing",
        "on a node that gives more than it has, a pod that asks for none of it is refused",
        _FIT,
        "if asked == 0 or self._ignores(resource) or asked <=",
        "if self._ignores(resource) or asked <=",
        cites="kubernetes #17453",
    ),
    Wrong(
        "evicts-for-what-no-node-has",
        "where a request is larger than the whole node, evicting pods is thought to help",
        _FIT,
        "return unresolvable(*reasons) if hopeless else unschedulable(*reasons)",
        "return unschedulable(*reasons)",
    ),
    Wrong(
        "forgets-ephemeral-storage",
        "a node's ephemeral storage is never full",
        _FIT,
        "for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar):\n            asked, capacity",
        "for resource in (CPU, MEMORY, *wanted.scalar):\n            asked, capacity",
    ),
    Wrong(
        "never-uses-up-extended-resources",
        "extended resources that one pod got are free for the next",
        _REQUESTS,
        "scalar[name] = scalar.get(name, 0) + sign * amount",
        "scalar[name] = max(scalar.get(name, 0), sign * amount)",
    ),
    Wrong(
        "cuts-fractions-of-a-byte",
        "an amount with a fraction is cut where it should be rounded up",
        _QUANTITY,
        "return -(-self.nano // NANO)",
        "return self.nano // NANO",
    ),
    Wrong(
        "cuts-fractions-of-a-thousandth",
        "a cpu amount finer than a thousandth is cut where it should be rounded up",
        _QUANTITY,
        "return -(-self.nano // (NANO // 1000))",
        "return self.nano // (NANO // 1000)",
    ),
    Wrong(
        "scores-pod-level-requests",
        "for the score, too, a pod's requests as a whole replace those of its containers",
        _FIT,
        "requests = pod_requests(pod.pod, _SCORING_DEFAULTS, pod_level=False, use_status=False)",
        "requests = pod_requests(pod.pod, _SCORING_DEFAULTS, use_status=False)",
    ),
    Wrong(
        "zero-is-no-request",
        "a container that requests 0 counts for the score like one that requests nothing",
        _REQUESTS,
        "return {**non_missing, **requests} if non_missing else requests",
        "return {**non_missing, **{n: q for n, q in requests.items() if q.nano}} if "
        "non_missing else requests",
    ),
    Wrong(
        "growing-extended-resources-cure-nobody",
        "a node that has more of an extended resource, or of storage, cures nobody",
        _FIT,
        "amount(after, resource) > amount(before, resource)\n"
        "        for resource in (CPU, MEMORY, EPHEMERAL_STORAGE, *wanted.scalar)",
        "amount(after, resource) > amount(before, resource)\n        for resource in (CPU, MEMORY)",
    ),
    Wrong(
        "room-for-more-pods-cures-nobody",
        "a node that takes more pods than before cures nobody",
        _FIT,
        "if after.allowed_pod_number > before.allowed_pod_number:",
        "if False:",
    ),
    Wrong(
        "any-growth-cures",
        "a node that has more of what the pod does not ask for is thought to help",
        _FIT,
        "        if amount(wanted, resource)\n",
        "        if True\n",
    ),
    Wrong(
        "smaller-pods-are-not-tried",
        "a pod that asks for less than before is not tried again",
        _FIT,
        "        if after.uid == pod.uid:\n            return True\n",
        "        if after.uid == pod.uid:\n            return False\n",
    ),
    Wrong(
        "absent-resources-weigh",
        "a resource that a node lacks, or the pod does not ask for, weighs in the score all the same",
        _FIT,
        "            return None\n        counted",
        "            return Use(1, 1, spec.weight)\n        counted",
    ),
)
