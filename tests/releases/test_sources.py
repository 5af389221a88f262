# SPDX-License-Identifier: Apache-2.0
"""What a rule cites stands in Kubernetes' source, in a release in which the rule holds."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from refsched.releases import RELEASES
from refsched.suite.catalogue.rules import StatedRule, all_rules
from refsched.tools.rulebook.go_lines import cited_files

TAGS = sorted({release.tag for release in RELEASES.values()})
NAME = re.compile(r"(?<![\w./-])[A-Za-z]+[a-z][A-Z]\w*(?![\w/]|\.go\b)")
"""A name in Go, which has a capital within; a word of a sentence has none."""
KUBERNETES = re.compile(r"\b[A-Z]\w+\.[a-z]\w+")
TAG = re.compile(r"\(v[01]\.\d+\.\d+\)")
ANOTHER_MODULE = "github.com/google/cel-go"
"""Its version is no tag of a release, and is said."""


@cache
def module_cache() -> Path:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed, so that there is no module cache")
    found = subprocess.run(["go", "env", "GOMODCACHE"], check=True, capture_output=True, text=True)
    return Path(found.stdout.strip())


RULES = {rule.id: rule for rule in all_rules().values() if ANOTHER_MODULE not in rule.source}


def test_the_functions_that_rules_cite_stand_in_the_source_at_the_tag_of_a_release() -> None:
    for tag in TAGS:
        if not (module_cache() / f"k8s.io/kubernetes@{tag}").is_dir():
            pytest.skip(f"k8s.io/kubernetes@{tag} is not in Go's module cache")
    missing = {rule.id: found for rule in RULES.values() if (found := absent(rule))}
    assert missing == {}


def absent(rule: StatedRule) -> list[str]:
    """Returns the names in the rule's source that no cited file has. Which of the releases in which a rule holds
    it is that has them all does not matter: its source says what the newest does, if it holds there still."""
    return min((absent_at(RELEASES[name].tag, rule) for name in rule.releases), key=len)


def absent_at(tag: str, rule: StatedRule) -> list[str]:
    text = "\n".join(cited_files(rule, tag, module_cache()))
    return [
        name for name in NAME.findall(KUBERNETES.sub("", rule.source)) if not re.search(rf"\b{name}\b", text)
    ]


def test_no_source_says_the_tag_which_is_the_releases() -> None:
    assert [rule.id for rule in RULES.values() if TAG.search(rule.source)] == []
