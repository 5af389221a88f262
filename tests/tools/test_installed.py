# SPDX-License-Identifier: Apache-2.0
"""The wheel, installed beside a project that has a folder ``conformance/`` and settings of pytest of its own."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path
from sysconfig import get_path
from textwrap import dedent

import pytest
from attrs import frozen

ROOT = Path(__file__).parents[2]

PROJECT = {
    "pyproject.toml": """
        [tool.pytest.ini_options]
        filterwarnings = ["error"]
        addopts = "--strict-markers --maxfail=1"
        """,
    "conformance/__init__.py": "OWN = True\n",
    "conformance/test_own.py": """
        import sys

        import conformance


        def test_own():
            assert conformance.OWN
            assert not any(name.startswith("refsched") for name in sys.modules)
        """,
    "forgetful.py": '''
        """The specification, but for taints: it removes them."""
        import refsched.reference


        class Forgetful:
            def __init__(self, scheduler):
                self.scheduler = scheduler

            def __getattr__(self, name):
                return getattr(self.scheduler, name)

            def create(self, object):
                if object["kind"] == "Node":
                    object.get("spec", {}).pop("taints", None)
                return self.scheduler.create(object)


        def create(config):
            return Forgetful(refsched.reference.create(config))
        ''',
}


@frozen
class Project:
    """``bin`` is its virtual environment's folder of programs."""

    folder: Path
    bin: Path

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.bin / program), *arguments]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300
        )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The dependencies are those of the running environment; refsched is the wheel's."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("project")
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(dedent(text), "utf-8")
    environment = folder / ".venv"
    venv.create(environment, symlinks=True)
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(get_path("purelib"))

    built = tmp_path_factory.mktemp("built")
    for command in (
        ["hatchling", "build", "-t", "wheel", "-d", str(built)],
        ["pip", f"--python={environment}", "install", "--no-deps", "--ignore-installed", "--no-index"],
    ):
        wheels = [str(path) for path in built.glob("*.whl")]
        subprocess.run([sys.executable, "-m", *command, *wheels], cwd=ROOT, check=True, capture_output=True)
    return Project(folder, environment / "bin")


def test_the_package_is_the_wheels(project: Project) -> None:
    said = project.run("python", "-c", "import refsched; print(refsched.__file__)")
    assert Path(said.stdout.strip()).is_relative_to(project.folder), said.stderr


def test_the_suite_runs_without_a_checkout(project: Project) -> None:
    ran = project.run("refsched", "conformance", "test_plugins.py::test_resources", "--examples=5")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "conforms, as far as was checked: " in ran.stdout


def test_the_projects_own_tests_run_and_see_nothing_of_the_suite(project: Project) -> None:
    ran = project.run("python", "-m", "pytest", "conformance", "-p", "no:cacheprovider")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout
    assert "refsched" not in ran.stdout


def test_a_failure_says_the_command_that_repeats_it_there(project: Project) -> None:
    ran = project.run("refsched", "conformance", "-k", "taint", "--examples=30", "--impl=forgetful")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = re.search(r"again: +(.+)", ran.stdout)
    assert found, ran.stdout
    program, *arguments = shlex.split(found[1])

    again = project.run(program, *arguments)

    assert program == "refsched"
    assert again.returncode == 1
    assert "FAILED  R-TAINT-" in again.stdout


def test_the_installation_is_typed(project: Project) -> None:
    (project.folder / "uses.py").write_text(
        "from refsched.reference import create\n\nreveal_type(create({}))\n"
    )
    checked = project.run("python", "-m", "mypy", "--strict", "uses.py")
    assert 'Revealed type is "refsched.reference.ReferenceScheduler"' in checked.stdout, checked.stdout
