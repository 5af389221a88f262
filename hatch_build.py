# SPDX-License-Identifier: Apache-2.0
"""What building does beyond hatchling: it adds the suite and the recordings, and writes the README for an index.

The patterns stand in pyproject.toml. Only what they match is built in, whatever else lies in the folder.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE_LINK = re.compile(r"\[([^]]*)\]\((?!https?://|#)([^)\s]+)\)")


class ShippedFiles(BuildHookInterface):
    """Puts the folders that stand beside the package in a checkout inside it in a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable installation needs none of them: the checkout has them."""
        if version == "editable":
            return
        root = Path(self.root)
        for pattern in self.config["files"]:
            for path in sorted(root.glob(pattern)):
                name = path.relative_to(root).as_posix()
                if path.is_file() and not self.build_config.path_is_excluded(name):
                    build_data["force_include"][name] = f"{self.config['into']}/{name}"


class ReadmeOfAnIndex(MetadataHookInterface):
    """Replaces the README's links by the paths of the files, since a package index has none of them."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": RELATIVE_LINK.sub(_named, text)}


def _named(link: re.Match[str]) -> str:
    text, path = link.groups()
    return text if path.startswith(text) else f"{text} ({path})"
