# SPDX-License-Identifier: Apache-2.0
"""``refsched run``: the specification schedules in a real cluster."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click
from attrs import asdict

from refsched.errors import InputError, counted, one_line
from refsched.processes.kubernetes_api.client import Client
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.record_json import line_of, to_json
from refsched.records import Output
from refsched.releases import DEFAULT, release_of
from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.inputs import GATES_OPTION, config_in, document_of, parse_gates
from refsched.tools.running.setting_up import Options
from refsched.tools.running.setting_up import run as run_scheduler


def options_of(kubernetes: str, gates: str, config: str | None, scheduler_name: str, seed: int) -> Options:
    """Returns the options as they were written on the command line. Raises InputError, which names the one that is
    wrong."""
    try:
        release = release_of(kubernetes or DEFAULT.name)
    except InputError as error:
        raise error.at("--kubernetes") from None
    try:
        set_gates = parse_gates(gates)
        release = with_feature_gates(set_gates, release)
    except InputError as error:
        raise error.at(GATES_OPTION) from None
    written = None if config is None else document_of(config)
    read = None if config is None else config_in(written, config, release)
    return Options(release, scheduler_name, read, seed, written, set_gates)


def run(kubeconfig: str, options: Options, *, as_json: bool = False) -> int:
    """Returns the exit code, when SIGINT or SIGTERM ends it, or when another one leads. As JSON each record is a
    line of standard output, and what is said otherwise goes to standard error."""
    say, show = (_log, _show_record) if as_json else (_say, lambda record: None)
    leads = run_scheduler(Client(kubeconfig), options, say, _until_a_signal(), show)
    if not leads:
        say("the lease could not be renewed: another one may lead")
    return AGREED if leads else DISAGREED


def shadow(kubeconfig: str, options: Options, *, as_json: bool = False) -> int:
    """Returns the exit code, when SIGINT or SIGTERM ends it. As JSON each decision is a line of standard
    output."""
    from refsched.tools.running.shadow import ComparedDecision
    from refsched.tools.running.shadow import shadow as run_beside

    def show(compared: ComparedDecision) -> None:
        if as_json:
            _print_json(asdict(compared))
        else:
            _say(str(compared))

    beside = run_beside(Client(kubeconfig), options, _log if as_json else _say, show, _until_a_signal())
    if as_json:
        _print_json({"compared": beside.compared, "differ": beside.differs})
    else:
        _say(f"compared {counted(beside.compared, 'decision')}, of which {beside.differs} differ")
    return DISAGREED if beside.differs else AGREED


def watch(kubeconfig: str, output: str, options: Options, *, as_json: bool = False) -> int:
    """Returns the exit code, when SIGINT or SIGTERM ends it."""
    from refsched.tools.running.event_recorder import header_of, trace_writer
    from refsched.tools.running.event_recorder import watch as record

    client = Client(kubeconfig)
    with trace_writer(output) as write:
        goes_on = _until_a_signal()
        say = _log if as_json else _say
        say(f"writes down what is seen of {', '.join(options.schedulers)}; Ctrl-C ends it")
        header = partial(header_of, options.document, options.release.name, options.gates)
        attempts = record(client, header, options.schedulers, write, goes_on, say)
    if as_json:
        _print_json({"output": output, "attempts": attempts})
    else:
        _say(f"saw {counted(attempts, 'attempt')}")
    return AGREED


def _until_a_signal() -> Callable[[], bool]:
    """Returns what says whether to go on: until SIGINT or SIGTERM."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    return lambda: not ended.is_set()


def _say(line: str) -> None:
    click.echo(one_line(line))


def _log(line: str) -> None:
    click.echo(one_line(line), err=True)


def _show_record(record: Output) -> None:
    _print_json(to_json(record))


def _print_json(members: Mapping[str, Any]) -> None:
    click.echo(line_of(members), nl=False)
