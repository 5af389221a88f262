# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING.md's example: a plugin with one rule is its module and lines in releases; all else is a query."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import refsched

PACKAGE = Path(refsched.__path__[0])

MODULE = '''\
# SPDX-License-Identifier: Apache-2.0
"""NodeColor: a pod that asks for a color runs only on nodes of this color.

Promised: colors are documented with the Pod API.
Source: plugins/nodecolor/node_color.go, Filter.
"""

from __future__ import annotations

from attrs import frozen

from refsched.framework.interface import Fragments
from refsched.framework.node_info import NodeInfo, PodInfo
from refsched.framework.status import SUCCESS, Status, unresolvable
from refsched.objects.pod import Pod
from refsched.objects.store import ObjectStore
from refsched.rules import Reason

OTHER_COLOR = Reason("node(s) had another color", "R-COLOR-01")


@frozen
class NodeColor:
    name = "NodeColor"
    POINTS = ("filter",)
    READS = ("Pod.metadata.labels", "Node.metadata.labels")

    # --- Sign -------------------------------------------------------------------------------------

    def sign(self, pod: Pod, objects: ObjectStore) -> Fragments:
        return {"color": pod.metadata.labels.get("color", "")}

    # --- Filter -----------------------------------------------------------------------------------

    def filter(self, state: object, pod: PodInfo, node: NodeInfo) -> Status:
        """R-COLOR-01: A node with another color than the pod asks for is rejected as
        UnschedulableAndUnresolvable."""
        wanted = pod.pod.metadata.labels.get("color")
        is_other = wanted and node.existing_node.metadata.labels.get("color") != wanted
        return unresolvable(OTHER_COLOR) if is_other else SUCCESS
'''

EDITS = {
    "releases/v1_37.py": (
        ("from refsched.plugins.node_name", "from refsched.plugins.node_color import NodeColor\n"),
        ("    NodeUnschedulable,\n", "    NodeColor,\n"),
        ('            Enabled("NodeUnschedulable"),\n', '            Enabled("NodeColor"),\n'),
    ),
    "releases/v1_36/__init__.py": (
        ('"R-DRA-35", ', '"R-COLOR-01", '),
        (".without_gates(", '.without_plugin("NodeColor")'),
    ),
}
"""By file what is inserted, and before what."""

QUERIES = """\
from refsched.checking.agreement import Disagreement
from refsched.records import NodeStatus
from refsched.suite.catalogue.attribution import Attribution
from refsched.tools.site.catalogue_pages import rules_page
from refsched.suite.catalogue.applied_rules import AppliedRules
from refsched.suite.catalogue.reasons import rule_of_reason
from refsched.suite.catalogue.rules import all_rules, default_plugins, plugin_of, plugins_of
from refsched.suite.catalogue.showing import shown_with

rule = all_rules()["R-COLOR-01"]
assert (rule.level, rule.why_level) == ("promised", "colors are documented with the Pod API")
assert rule.releases == ("1.37",), rule.releases
assert "NodeColor" in [plugin.name for plugin in default_plugins("1.37")]
assert "NodeColor" not in [plugin.name for plugin in default_plugins("1.34")]
assert plugin_of(rule.id) == "NodeColor"
assert plugins_of(rule.id) == ("NodeColor",)
assert shown_with(rule.id) == ()
assert rule_of_reason("node(s) had another color") == rule.id
rejected = NodeStatus("UnschedulableAndUnresolvable", "NodeColor", ("node(s) had another color",))
found = Disagreement("filter.n1", rejected, NodeStatus("Success"))
assert Attribution(AppliedRules()).rule_of(found) == rule.id
assert f"| {rule.id} |" in rules_page({})
"""


def test_a_plugin_with_one_rule_is_its_module_and_lines_in_two_releases(tmp_path: Path) -> None:
    """A strategy or a case, a planted mistake and its tests come in addition."""
    shutil.copytree(PACKAGE, tmp_path / "refsched", ignore=shutil.ignore_patterns("shipped", "__pycache__"))
    (tmp_path / "refsched/shipped/docs/examples/rules").mkdir(parents=True)  # pages look for examples
    (tmp_path / "refsched/plugins/node_color.py").write_text(MODULE, "utf-8")
    for file, edits in EDITS.items():
        path = tmp_path / "refsched" / file
        text = path.read_text("utf-8")
        for before, inserted in edits:
            assert text.count(before) == 1, before
            text = text.replace(before, inserted + before)
        path.write_text(text, "utf-8")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", QUERIES]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
