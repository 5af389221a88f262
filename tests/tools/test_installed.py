# SPDX-License-Identifier: Apache-2.0
"""The wheel, installed beside a project that has a folder ``conformance/`` and settings of pytest of its own."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from sysconfig import get_path
from textwrap import dedent
from threading import Timer

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
        """The specification, but for cordons: it removes them."""
        import refsched.reference


        class Forgetful:
            def __init__(self, scheduler):
                self.scheduler = scheduler

            def __getattr__(self, name):
                return getattr(self.scheduler, name)

            def create(self, object):
                if object["kind"] == "Node":
                    object.get("spec", {}).pop("unschedulable", None)
                return self.scheduler.create(object)


        def create(config):
            return Forgetful(refsched.reference.create(config))
        ''',
    "dying.py": '''
        """The specification, whose process ends at the third attempt."""
        import os

        import refsched.reference


        class Dying:
            def __init__(self, scheduler):
                self.scheduler = scheduler
                self.attempts = 0

            def __getattr__(self, name):
                return getattr(self.scheduler, name)

            def schedule(self, pod=None):
                self.attempts += 1
                if self.attempts > 2:
                    os._exit(3)
                return self.scheduler.schedule(pod)


        def create(config):
            return Dying(refsched.reference.create(config))
        ''',
    "ports.py": (ROOT / "docs" / "examples" / "partial" / "ports.py").read_text("utf-8"),
}


@frozen
class Project:
    """``bin`` is its virtual environment's folder of programs."""

    folder: Path
    bin: Path

    def run(self, program: str, *arguments: str, within: str = "") -> subprocess.CompletedProcess[str]:
        (self.folder / within).mkdir(exist_ok=True)
        return subprocess.run(
            [str(self.bin / program), *arguments],
            cwd=self.folder / within,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
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


FEW = ("-k", "taints_and_cordons or uncordoned or is_cordoned", "--examples=3")


class Runs:
    """Runs remember what the installed suite said of each scheduler, with its report. Each run has a folder of
    its own."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._ended: dict[str, subprocess.CompletedProcess[str]] = {}

    def of(self, implementation: str) -> tuple[subprocess.CompletedProcess[str], str]:
        if implementation not in self._ended:
            options = (*FEW, f"--impl={implementation}", "--report=report.json", "-n0")
            ran = self._project.run("refsched", "conformance", *options, within=f"of-{implementation}")
            self._ended[implementation] = ran
        ended, report = (
            self._ended[implementation],
            self._project.folder / f"of-{implementation}" / "report.json",
        )
        assert report.exists(), ended.stdout + ended.stderr
        return ended, report.read_text("utf-8")


@pytest.fixture(scope="module")
def installed(project: Project) -> Runs:
    return Runs(project)


# --- More than one machine ------------------------------------------------------------------------


@pytest.fixture
def cluster(project: Project) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a Dask scheduler, and two workers, with nothing but the wheel, as docs/adapters.md starts
    them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as started:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [str(project.bin / "python"), "-m", "dask", *arguments],
                cwd=project.folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            started.callback(_end, process)
            return process

        start("scheduler", "--host=127.0.0.1", f"--port={port}", "--no-dashboard")
        yield address, [start("worker", "--nthreads=1", "--no-dashboard", address) for _ in range(2)]


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_run_over_several_machines_reports_the_same_though_a_worker_is_killed(
    project: Project, installed: Runs, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    alone, report = installed.of("forgetful")
    kill = Timer(8, _end, [workers[0]])
    kill.start()
    options = (*FEW, "--impl=forgetful", "--scheduler", address, "--report=spread.json")
    spread = project.run("refsched", "conformance", *options)
    kill.join()
    assert spread.returncode == alone.returncode, spread.stdout + spread.stderr
    assert (project.folder / "spread.json").read_text("utf-8") == report


def test_a_run_whose_parts_cannot_begin_says_why(
    project: Project, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, _ = cluster
    ran = project.run("refsched", "conformance", "--impl=missing", "--scheduler", address)
    assert ran.returncode == 2
    assert "missing: there is no such module" in ran.stderr
    assert "--scheduler: a part could not be run (exit code 2)" in ran.stderr


# --- One machine ----------------------------------------------------------------------------------


def test_the_package_is_the_wheels(project: Project) -> None:
    said = project.run("python", "-c", "import refsched; print(refsched.__file__)")
    assert Path(said.stdout.strip()).is_relative_to(project.folder), said.stderr


WHERE_THEY_ARE = """
from refsched.suite.adapters.kube_scheduler import _folder
from refsched.reading.shipped_files import data_folder
print(data_folder())
print(_folder("v1.34"))
"""


def test_the_wheel_has_the_recordings_and_the_recorder(project: Project) -> None:
    said = project.run("python", "-c", WHERE_THEY_ARE)
    traces, recorder = map(Path, said.stdout.splitlines())
    assert traces.is_relative_to(project.folder)
    assert recorder == traces / "recorder" / "v1.34"
    names = [
        sorted(path.name for path in folder.glob("kube-scheduler-v1.34.2/*.jsonl.gz"))
        for folder in (traces, ROOT / "traces")
    ]
    assert names[0] == names[1] != []


@pytest.mark.parametrize(
    ("implementation", "code"), [("refsched.reference", 0), ("forgetful", 1), ("dying", 2), ("ports", 0)]
)
def test_the_wheel_reports_the_same_bytes_as_a_checkout(
    project: Project, installed: Runs, implementation: str, code: int, tmp_path: Path
) -> None:
    """A right scheduler, a wrong one, one that dies and a part of one, in one process and in two. Only the command
    is another one."""
    ran, report = installed.of(implementation)
    checked_out = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            str(ROOT / "conformance"),
            *FEW,
            f"--impl={implementation}",
            "--report=checked_out.json",
            "-n2",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{project.folder}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )

    assert ran.returncode == code, ran.stdout + ran.stderr
    assert checked_out.returncode == code, checked_out.stdout + checked_out.stderr
    other = (tmp_path / "checked_out.json").read_text("utf-8")
    assert re.sub(r"pytest \S+/conformance/", "refsched conformance", other) == report


def test_the_projects_own_tests_run_and_see_nothing_of_the_suite(project: Project) -> None:
    ran = project.run("python", "-m", "pytest", "conformance", "-p", "no:cacheprovider")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout
    assert "refsched" not in ran.stdout


def test_a_failure_says_the_command_that_repeats_it_there(project: Project, installed: Runs) -> None:
    ran, _ = installed.of("forgetful")
    found = re.search(r"again: +(.+)", ran.stdout)
    assert found, ran.stdout
    program, *arguments = shlex.split(found[1])

    again = project.run(program, *arguments, within="of-forgetful")

    assert program == "refsched"
    assert again.returncode == 1
    assert "FAILED  R-CORDON-" in again.stdout


def test_the_installation_is_typed(project: Project) -> None:
    (project.folder / "uses.py").write_text(
        "from refsched.reference import create\n\nreveal_type(create({}))\n"
    )
    checked = project.run("python", "-m", "mypy", "--strict", "uses.py")
    assert 'Revealed type is "refsched.reference.ReferenceScheduler"' in checked.stdout, checked.stdout
