# SPDX-License-Identifier: Apache-2.0
"""A whole adapter: the wire protocol on stdin and stdout, around a scheduler that is a Python module.

    pytest conformance/ --impl="exec:python docs/examples/exec_adapter.py"

In another language it looks the same: read a line, do what its one member says, write a line, flush.
"""

import importlib
import json
import sys
from datetime import datetime

EMPTY = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


class Adapter:
    """``make`` is the scheduler's own way to begin with an empty cluster."""

    def __init__(self, make):
        self.make = make
        self.scheduler = None

    def answer(self, request):
        [(verb, body)] = request.items()
        if verb == "hello":
            return self.make(EMPTY).hello()
        if verb == "reset":
            return self.reset(**body)
        if self.scheduler is None:
            return {"error": "reset comes first"}
        if verb in ("create", "update", "delete", "advance"):
            return getattr(self.scheduler, verb)(body)
        if verb in ("permit", "release", "schedule", "observe"):
            return getattr(self.scheduler, verb)(**body)
        return {"unsupported": f"the request {verb} is new here"}

    def reset(self, config, featureGates=None, start=None):  # noqa: N803
        options = {"feature_gates": featureGates}
        if start is not None:
            options["start"] = datetime.fromisoformat(start)
        self.scheduler = self.make(config, **options)
        return {}


def main():
    module = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "refsched.reference")
    adapter = Adapter(module.create)
    answers, sys.stdout = sys.stdout, sys.stderr  # what anyone prints goes to the log
    for line in sys.stdin:
        try:
            answer = adapter.answer(json.loads(line))
        except Exception as error:  # the scheduler's fault, not the adapter's: say so, and go on
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
