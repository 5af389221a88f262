# SPDX-License-Identifier: Apache-2.0
"""``refsched explain``."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from refsched.checking.trace import SUFFIXES
from refsched.errors import InputError, did_you_mean
from refsched.records import SCHEDULED
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.inputs import InputOptions, note_absent, read
from refsched.tools.planner.cluster import check_is_to_place, pod_called
from refsched.tools.planner.explain import explain as explained
from refsched.tools.planner.explanation import Explanation, as_value, write_explanation
from refsched.tools.printing import TABLE, Page, show_value


def explain(given: InputOptions, name: str, output: str, *, namespace: str = "", listed: str = "") -> int:
    """Runs the command and returns its exit code. ``listed`` is a pattern of the nodes that are listed."""
    if namespace and "/" not in name:
        name = f"{namespace}/{name}"
    traces = [file for file in given.files if file.endswith(SUFFIXES)]
    found = _of_trace(given, traces, name) if traces else _of_manifests(given, name)
    names = [node.node for node in found.nodes]
    if listed and names and not fnmatch.filter(names, listed):
        raise InputError(
            f"no node is called like this{did_you_mean(listed, names)}", where=f"--node {listed}"
        )
    if output == TABLE:
        page = Page()
        write_explanation(page, found, listed)
        page.show()
    else:
        show_value(as_value(found), output)
    return AGREED if found.result == SCHEDULED else DISAGREED


def _of_manifests(given: InputOptions, name: str) -> Explanation:
    scheduler, manifests = read(given, remember=True)
    pod = pod_called(name, manifests.objects)
    check_is_to_place(scheduler, pod)
    note_absent(manifests, [pod.key])
    return explained(scheduler, manifests.objects, pod)


def _of_trace(given: InputOptions, traces: Sequence[str], name: str) -> Explanation:
    """Explains the last attempt of the pod in a trace, which has its own configuration."""
    from refsched.tools.cluster_of_trace import cluster_of_trace  # what it imports takes long

    path, *others = traces
    if others or len(given.files) > 1:
        raise InputError("a trace is explained alone: give one file", where=path)
    for option, value in (
        ("--config", given.config),
        ("--feature-gates", given.feature_gates),
        ("--kubernetes", given.kubernetes),
    ):
        if value:
            raise InputError("cannot be given with a trace, which has its own", where=option)
    pod = name if "/" in name else f"default/{name}"
    return cluster_of_trace(path, pod, given.seed).explain(pod)
