# SPDX-License-Identifier: Apache-2.0
"""An sdist and a wheel hold what belongs to the project, whatever else lies in the folder they are built in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = ("conformance/", "docs/examples/rules/", "docs/examples/starters/", "traces/")
NOT_IN_A_WHEEL = ("conformance/wrong/",)
"""The wrong schedulers show that the suite finds them; whoever tests a scheduler does not need them."""


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no checkout")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _clone(folder: Path) -> Path:
    """The files that git has, as they are now."""
    for name in _tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def _litter(folder: Path) -> None:
    for name in (".tox-venv", "env", "my-environment"):
        venv.create(folder / name, symlinks=True)
        package = folder / name / "lib" / "python3.11" / "site-packages" / "package"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text("")
    for name in (".refsched/R-FIT-01.jsonl.gz", ".idea/workspace.py", ".vscode/settings.json", "core.4711"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(os.urandom(100))


class Built:
    """An sdist and a wheel, built in one folder."""

    def __init__(self, checkout: Path, output: Path) -> None:
        pytest.importorskip("hatchling")
        command = [
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "-t",
            "sdist",
            "-t",
            "wheel",
            "-d",
            str(output),
        ]
        subprocess.run(command, cwd=checkout, check=True, capture_output=True, timeout=300)
        [self.sdist], [self.wheel] = output.glob("*.tar.gz"), output.glob("*.whl")

    def in_sdist(self) -> list[str]:
        with tarfile.open(self.sdist) as archive:
            return sorted(name.partition("/")[2] for name in archive.getnames())

    def in_wheel(self) -> list[str]:
        return sorted(zipfile.ZipFile(self.wheel).namelist())

    def metadata(self) -> bytes:
        [name] = [name for name in self.in_wheel() if name.endswith(".dist-info/METADATA")]
        return zipfile.ZipFile(self.wheel).read(name)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """It is built where many other things lie about, of which nothing belongs into it."""
    checkout = _clone(tmp_path_factory.mktemp("checkout"))
    for folder in (checkout, checkout / "refsched", checkout / "conformance", checkout / "traces"):
        _litter(folder)
    return Built(checkout, tmp_path_factory.mktemp("built"))


def test_an_sdist_holds_the_files_of_the_repository(built: Built) -> None:
    hidden = {".ci/real", ".ci/run"}
    assert built.in_sdist() == sorted({*_tracked(), "PKG-INFO"} - hidden)


def test_a_wheel_holds_the_package_and_in_it_the_suite_the_recordings_and_the_examples_of_rules(
    built: Built,
) -> None:
    package = {name for name in _tracked() if name.startswith("refsched/")}
    beside = {
        f"refsched/shipped/{name}"
        for name in _tracked()
        if name.startswith(SHIPPED) and not name.startswith(NOT_IN_A_WHEEL)
    }
    held = [name for name in built.in_wheel() if ".dist-info/" not in name]
    assert held == sorted(package | beside)


def test_the_readme_of_a_package_index_names_files_and_links_to_none(built: Built) -> None:
    readme = message_from_bytes(built.metadata()).get_payload()
    assert isinstance(readme, str)
    assert "docs/adapters.md is a tutorial" in " ".join(readme.split())
    assert "](" not in readme.replace("](http", "").replace("](#", "")


def test_a_wheel_is_typed(built: Built) -> None:
    assert "refsched/py.typed" in built.in_wheel()
