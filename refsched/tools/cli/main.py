# SPDX-License-Identifier: Apache-2.0
"""``refsched``: the commands, and the exit codes that they share.

0 agreed, passed or placed; 1 disagreed, failed or not placed; 2 could not be judged (bad input).
"""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from typing import NoReturn

import click

from refsched.errors import InputError, one_line
from refsched.processes.garbage_collection import look_seldom
from refsched.processes.standard_output import give_up_stdout
from refsched.tools.cli.about_clusters import ABOUT_CLUSTERS
from refsched.tools.cli.exit_codes import AGREED, NOT_JUDGED
from refsched.tools.cli.import_commands import import_group
from refsched.tools.cli.in_a_cluster import run, watch
from refsched.tools.cli.options import (
    json_option,
    of_implementation,
    output_option,
    trace_option,
    what_is_printed,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="refsched")
def cli() -> None:
    """How kube-scheduler decides, as a specification that runs."""


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@json_option
@click.option(
    "-j",
    "--processes",
    type=click.IntRange(1, 256),
    help="How many files are replayed at once.  [default: one for each core, where there are many files]",
)
def replay(paths: tuple[str, ...], as_json: bool, output: str, processes: int | None) -> None:
    """Replay recorded traces and report whether the specification allows what was recorded.

    FILE is a trace (.jsonl or .jsonl.gz), or a folder with traces below it.
    """
    from refsched.tools.cli.replay import replay as run

    sys.exit(run(paths, as_json=as_json or output == "json", processes=processes))


@cli.command(context_settings={"ignore_unknown_options": True})
@click.option("--scheduler", metavar="tcp://HOST:PORT", hidden=True)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[OPTION|TEST]...")
def conformance(arguments: tuple[str, ...], scheduler: str | None) -> None:
    """Test whether a scheduler decides as kube-scheduler does.

    \b
      --impl WHAT             a Python module, exec:COMMAND, "api:COMMAND {kubeconfig}" or kube-scheduler
                              (docs/adapters.md)
      --only WHAT             a part of a scheduler: predicates, or plugins (docs/partial.md)
      --level LEVEL           promised, observed or all rules
      --budget 10s            a fixed selection of tests: those that find most in that time
      --thorough              twenty times as many examples
      --hypothesis-seed N     other examples
      --baseline FILE         rules that are known to fail
      --report FILE           a report as .json or .html
      -o json                 the report on standard output, and all else on standard error
      --shard 3/8             one part of the tests (refsched report merge)
      --scheduler tcp://…     spread over the workers of this Dask scheduler
      --replay FILE           one failure again

    Every other option is pytest's, such as -n 2 or -k taints; TEST is a module of the suite or a test of one, such
    as test_queue.py. Exit code: 0 passed, 1 failed, 2 could not be judged.
    """
    if scheduler is not None:
        from refsched.tools.cli.spread import spread

        sys.exit(spread(arguments, scheduler))
    from refsched.tools.cli.conformance import conformance as run

    sys.exit(run(arguments))


@cli.group()
def report() -> None:
    """Work on reports of `refsched conformance`."""


@report.command()
@click.argument("parts", nargs=-1, required=True, metavar="PART.json...")
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Write the report of the whole, as .json or .html. May be given more than once.",
)
def merge(parts: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    """Make one report of the parts of a run: of the JSON reports that `--shard 1/3 --report PART.json` and so on
    have written. It does not depend on how the run was split. Exit code: that of the whole run.
    """
    from refsched.tools.cli.report import merge as run

    sys.exit(run(parts, outputs))


@report.command()
@click.argument("before", metavar="BEFORE.json")
@click.argument("after", metavar="AFTER.json")
@output_option
def compare(before: str, after: str, output: str) -> None:
    """Show what has changed between two JSON reports: rules with another verdict, new failures, and failures that
    vanished. Exit code: 0 the same, 1 they differ, 2 a file is no report.
    """
    from refsched.tools.cli.report import compare as run

    sys.exit(run(before, after, output))


@report.command()
@click.argument("file", metavar="REPORT.json")
@output_option
def verify(file: str, output: str) -> None:
    """Run again what a JSON report says was run, in this folder, and compare: the same scheduler, seed, tests and
    baseline. The report names the program that is started, so verify only one that you trust. Exit code: 0 every
    rule has the same verdict, 1 they differ, 2 it could not be judged.
    """
    from refsched.tools.cli.report import verify as run

    sys.exit(run(file, output))


@report.command()
@click.argument("files", nargs=-1, required=True, metavar="REPORT.json...")
@click.option("-o", "--output", required=True, metavar="FILE", help="Ends in .md or .html.")
def page(files: tuple[str, ...], output: str) -> None:
    """Write a page to publish: to which rules a scheduler conforms, but for which, with the seeds and versions,
    and the commands that show it again. The JSON reports are of runs that differ in their seeds or tests. Exit
    code: 2 if one of them was not judged, or is of another scheduler or version.
    """
    from refsched.tools.cli.report import page as run

    run(files, output)


@cli.command()
@click.argument("module", default="refsched.reference")
def serve(module: str) -> None:
    """Answer the wire protocol on stdin and stdout.

    MODULE is an implementation written in Python (refsched/processes/implementation.py):
    by default the specification.
    """
    from refsched.processes.serving import load
    from refsched.processes.serving import serve as answer_requests

    answer_requests(load(module), sys.stdin.buffer, sys.stdout.buffer)


@cli.command()
@of_implementation
@json_option
def fingerprint(implementation: str, as_json: bool, output: str) -> None:
    """Say which release of Kubernetes a scheduler decides like, rule by rule.

    The scheduler runs the smallest clusters on which the releases decide differently (docs/differences.md). Exit
    code: 0 if it decides like one release throughout, 1 if not, 2 if no cluster shows a difference.
    """
    from refsched.tools.cli.fingerprint import fingerprint as run

    sys.exit(run(implementation, as_json=as_json or output == "json"))


@cli.command()
@of_implementation
@click.option(
    "--scenario", required=True, metavar="FILE", help="A scenario, or a trace whose inputs are given again."
)
@trace_option
@click.option(
    "--start",
    default="",
    metavar="TIME",
    help="The time at which the clock starts, such as 2026-01-01T00:00:00Z.",
)
@what_is_printed
def record(implementation: str, scenario: str, output: str, start: str, form: str) -> None:
    """Record what an implementation does, as a trace. Nothing is judged; `refsched replay` does that.

    A scenario is a file of manifests, in the order in which they are created, with a ConfigMap among them that is
    labelled refsched.dev/scenario and lists the steps (docs/scenarios.md):

    \b
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: refsched-scenario, labels: {refsched.dev/scenario: steps}}
      data:
        steps: |
          - create: Node n1            # the next of the manifests
          - create: Pod default/web
          - schedule: 5                # at most 5 attempts
          - advance: 10                # seconds
          - update: {apiVersion: v1, kind: Pod, ...}
          - delete: {apiVersion: v1, kind: Pod, namespace: default, name: web}
          - permit: {pod: default/web, decision: allow}
          - release: {pod: default/web}
          - observe: true

    Exit code: 0 if the trace was written, 2 if it could not be.
    """
    from pathlib import Path

    from refsched.suite.recording.command import record_scenario

    record_scenario(
        implementation,
        Path(scenario),
        Path(output),
        start,
        lambda line: click.echo(one_line(line)),
        as_json=form == "json",
    )


@cli.group()
def new() -> None:
    """Write files to begin with."""


@new.command()
@click.option("--language", required=True, type=click.Choice(["python", "typescript", "go", "rust", "java"]))
@click.option(
    "--output",
    default=".",
    show_default=True,
    metavar="DIR",
    help="The folder; nothing in it is overwritten.",
)
def adapter(language: str, output: str) -> None:
    """Write a small scheduler that the suite can test, in a language.

    It filters nodes by taints and host ports, and answers the wire protocol (docs/protocol.md) on stdin and
    stdout. Its README has the command that runs the suite on it. Exit code: 2 if a file is there already.
    """
    from pathlib import Path

    from refsched.tools.cli.new import adapter as run

    run(language, Path(output))


for command in (*ABOUT_CLUSTERS, run, watch, import_group):
    cli.add_command(command)


@cli.command()
@click.argument("rule_id", required=False, metavar="[RULE]")
@click.option("--search", "text", metavar="WORDS", help="List the rules in which all these words occur.")
@output_option
def rule(rule_id: str | None, text: str | None, output: str) -> None:
    """Show a rule, such as R-NOM-01, with the smallest cluster that shows it, and run that.

    Exit code: 0 if the rule, or one with these words, was shown, 2 if there is none.
    """
    from refsched.tools.cli.rule import rule as run

    sys.exit(run(rule_id, text, output))


def main(commands: click.Group = cli) -> None:
    """Runs one of the commands. It ends with one of the exit codes whatever happens, and an error is one line:
    also a full disk, a closed stream and a defect of refsched."""
    look_seldom()
    stdout = sys.stdout
    if stdout is None:
        _end("standard output is closed")
    for stream in (stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            sys.exit(commands.main(standalone_mode=False) or AGREED)
        finally:
            sys.stdout.flush()
    except SystemExit:
        if sys.stdout is not stdout:
            sys.exit(NOT_JUDGED)  # click has replaced it, and ends with 1: the reader of a pipe is no more
        raise
    except InputError as error:
        _end(str(error))
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        for line in shown.getvalue().splitlines():
            click.echo(one_line(line.expandtabs(4)), err=True)
        sys.exit(NOT_JUDGED)
    except (click.Abort, KeyboardInterrupt):
        _end("interrupted")
    except OSError as error:
        give_up_stdout()
        place = f"{error.filename}: " if isinstance(error.filename, str) else ""
        _end("" if isinstance(error, BrokenPipeError) else f"{place}{error.strerror or error}")
    except Exception as error:
        from refsched.processes.serving import described

        _end(
            f"refsched itself fails, which it never should: {described(error)}. "
            "Please report it, with what was given"
        )


def _end(problem: str) -> NoReturn:
    if problem and sys.stderr is not None:
        from refsched.tools.printing import folded  # what it imports takes long

        with suppress(OSError):
            click.echo(folded(f"refsched: {one_line(problem)}"), err=True)
    sys.exit(NOT_JUDGED)
