# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin. It says when things happen; what happens is in the modules beside it.

Exit codes: 0 passed, 1 failed, 2 could not be judged (a bad option, an implementation that cannot be had or does
not answer, nothing claimed, no test, an internal error). pytest's own 3, 4 and 5 are 2 here, but for a value that
an option of its own does not take (``--maxfail=many``): pytest ends with 4 before it loads any plugin.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator

import pytest

from refsched.errors import InputError, one_line
from refsched.processes.garbage_collection import look_seldom
from refsched.suite.adapters.faults import AdapterFault, AdapterUnavailable
from refsched.suite.histories.scenario import read_history
from refsched.suite.results.result import NOT_JUDGED
from refsched.suite.session import drawing, hooks
from refsched.suite.session.baseline import read_baseline
from refsched.suite.session.bench import Bench
from refsched.suite.session.check import Check, Checking
from refsched.suite.session.kept_rules import KeptRules
from refsched.suite.session.options import Options, add_options, read_options
from refsched.suite.session.reporting import Reporting
from refsched.suite.session.requirements import later_than, required_by
from refsched.suite.session.runner import Runner
from refsched.suite.session.selecting import Selecting
from refsched.suite.session.testing import CHECKING, Testing

OPTIONS = pytest.StashKey[Options]()

IN_PROCESS = (
    "conformance: --in-process is for debuggers: what the module does to its process may change this verdict"
)


def cannot_judge(reason: object) -> pytest.UsageError:
    """Returns what ends the run before it begins, and is shown once."""
    return pytest.UsageError(str(reason))


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hooks)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    add_options(parser)
    config = pluginmanager.get_plugin("pytestconfig")
    assert isinstance(config, pytest.Config)
    config.add_cleanup(_end_where_options_are_not_understood)


def _end_where_options_are_not_understood() -> None:
    """Ends with exit code 2 if an option is not declared: no hook is called then, and pytest would end with 4
    after it has cleaned up."""
    problem = sys.exc_info()[1]
    if isinstance(problem, pytest.UsageError):
        print_problem(pytest.UsageError(*(_without_usage(str(each)) for each in problem.args)))
        if "unrecognized arguments: " in str(problem) and "--seed" in str(problem):
            sys.stderr.write("ERROR: for other histories: --hypothesis-seed N\n")
        sys.exit(NOT_JUDGED)


def _without_usage(said: str) -> str:
    """Returns the error alone, of what pytest says of an option that it does not know or cannot read. Around it
    stand how pytest itself is called, and which files it reads."""
    return re.sub(r"\Ausage: .*\n.*?: error: (.*)(\n  (inifile|rootdir|config source): .*)*", r"\1", said)


def print_problem(problem: pytest.UsageError) -> None:
    """Prints the problem. What an implementation wrote before it ended stands below the first line."""
    for said in problem.args:
        for number, line in enumerate(str(said).splitlines()):
            sys.stderr.write(f"{'' if number else 'ERROR: '}{one_line(line)}\n")


@pytest.hookimpl(trylast=True)
def pytest_conformance_bench(config: pytest.Config) -> Bench:
    """Returns the bench of this package. It is imported here, since a project with a bench of its own does not
    need the specification."""
    from refsched.suite.session.standard import StandardBench

    return StandardBench(in_process=config.getoption("--in-process"))


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, int | pytest.ExitCode, int]:
    """Reports what keeps pytest from running in its own words, and ends with exit code 2. In pytest higher codes
    mean as well that something other than a test went wrong."""
    try:
        code = int((yield))
    except pytest.UsageError as problem:
        print_problem(problem)
        return NOT_JUDGED
    return min(code, NOT_JUDGED)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Registers the parts of the plugin. It runs first, because Hypothesis reads its seed from the options in its
    own hook."""
    look_seldom()
    config.addinivalue_line("markers", "conforms(claim): a test of the conformance suite")
    # pytest's cache has nothing that counts, and where nothing can be written it is done without
    config.addinivalue_line("filterwarnings", "ignore::pytest.PytestCacheWarning")
    if getattr(config.option, "dist", None) == "load":
        # a worker of pytest-xdist that has no test left takes some of another's; the longest stand side by side
        config.option.dist = "worksteal"
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = "0"
    drawing.load_profile()
    try:
        options = read_options(config)
        bench = config.hook.pytest_conformance_bench(config=config)
        known = read_baseline(options.baseline, bench.rules) if options.baseline else frozenset()
        later = later_than(required_by(options.requirements), bench.rules)
        replayed = read_history(options.replay) if options.replay else None
    except InputError as problem:
        raise cannot_judge(problem) from None
    config.stash[OPTIONS] = options
    runner = Runner(
        bench, options.implementation, options.adapter_timeout, options.only, options.seed, options.level
    )
    kept_rules = KeptRules()
    config.pluginmanager.register(kept_rules, "conformance-kept-rules")
    selecting = Selecting(options, runner, replays=replayed is not None)
    config.pluginmanager.register(selecting, "conformance-selecting")
    testing = Testing(options, bench, runner, selecting, known | later, replayed, kept_rules)
    config.pluginmanager.register(testing, "conformance-testing")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(
            Reporting(config, options, bench, runner, testing, kept_rules, known, later),
            "conformance-reporting",
        )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Connects once, before anything is spread over processes, to find out whether there is an implementation to
    judge."""
    config = session.config
    reporting = config.pluginmanager.get_plugin("conformance-reporting")
    if reporting is None or config.option.collectonly:
        return
    _announce(config)
    try:
        about = reporting.meet()
    except (InputError, AdapterUnavailable, AdapterFault) as problem:
        raise cannot_judge(problem) from None
    if not about.capabilities:
        raise cannot_judge(
            f"{config.stash[OPTIONS].implementation} claims no capability: nothing can be judged"
        )


def _announce(config: pytest.Config) -> None:
    """Writes the first line of all: an implementation may take its time before it answers."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or reporter.no_header or reporter.verbosity < 0:
        return
    options = config.stash[OPTIONS]
    about = (
        f"conformance: --impl={one_line(options.implementation)}, seed {options.seed}, level {options.level}"
    )
    for line in [about, IN_PROCESS] if options.in_process else [about]:
        reporter.write_line(line)
    reporter.flush()


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Check:
    """Runs a history against the implementation; fails where that broke a rule."""
    checking: Checking = request.node.stash[CHECKING]
    return checking
