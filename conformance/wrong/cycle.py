# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in the scheduling cycle."""

from conformance.wrong.planted import Wrong

WRONG = (
    Wrong(
        "skips-the-second-nominated-pass",
        "a pod need not fit without the pods nominated to the node",
        "refsched.framework.runtime",
        "if counted and status.is_success:",
        "if False:",
    ),
    Wrong(
        "leaks-what-it-assumed",
        "a pod whose reservation was refused goes on counting on the node",
        "refsched.cycle.scheduling_cycle",
        "        cycle.stations.cache.forget(pod.pod)\n    return rejected_on",
        "        pass\n    return rejected_on",
        cites="kubernetes #28883",
    ),
    Wrong(
        "overcommits",
        "what runs on a node already does not count against its cpu",
        "refsched.plugins.node_resources_fit",
        "asked <= capacity - amount(node.requested, resource)",
        "asked <= capacity",
        cites="volcano #1333",
    ),
)
