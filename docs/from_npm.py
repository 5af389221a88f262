# SPDX-License-Identifier: Apache-2.0
"""Files of npm packages that the site carries, so that nothing is fetched when it is read."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from attrs import frozen

TIMEOUT = 300
"""Seconds for npm."""


@frozen
class Package:
    """A Package is one version; ``digest`` is the SHA-512 of npm's archive of it."""

    name: str
    version: str
    digest: str

    def files(self, names: Collection[str]) -> Mapping[str, bytes]:
        """Returns the files by name, from the cache or by npm. Raises OSError, ValueError or SubprocessError
        if they cannot be had, or are not the ones that are meant."""
        content = self._archive()
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            members = {Path(member.name).name: member for member in archive if member.isfile()}
            found = {name: archive.extractfile(members[name]) for name in names}
            return {name: file.read() for name, file in found.items() if file}

    def _archive(self) -> bytes:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        kept = Path(base, "refsched", f"{self.name}-{self.version}.tgz")
        if not kept.exists():
            npm = shutil.which("npm")
            if npm is None:
                raise ValueError("there is no npm")
            with tempfile.TemporaryDirectory() as folder:
                what = f"{self.name}@{self.version}"
                command = [npm, "pack", "--silent", what, "--pack-destination", folder]
                subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT, cwd=folder)
                [packed] = Path(folder).glob("*.tgz")
                self._check(packed.read_bytes())
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(packed, kept)
        content = kept.read_bytes()
        self._check(content)
        return content

    def _check(self, content: bytes) -> None:
        if base64.b64encode(hashlib.sha512(content).digest()).decode() != self.digest:
            raise ValueError(f"{self.name} {self.version} is not what it was")
