# SPDX-License-Identifier: Apache-2.0
"""Inputs of ``schedule`` and ``explain``: manifests, a configuration, feature gates and a seed."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from attrs import frozen

from refsched import remembering
from refsched.errors import InputError, counted
from refsched.framework.choices import SeededChoices
from refsched.machine.profiles import scheduler_of
from refsched.machine.scheduler import Scheduler
from refsched.objects.pod import Pod
from refsched.reading.configuration.feature_gates import with_feature_gates
from refsched.reading.configuration.read import default_config, read_config
from refsched.reading.configuration.unread import WholeConfiguration, unread_args
from refsched.reading.documents import MAX_TEXT, read_documents, read_text
from refsched.reading.files import open_file
from refsched.reading.manifests import Manifests, read_manifests
from refsched.releases import DEFAULT, release_of
from refsched.releases.release import Release
from refsched.tools.cli.progress import progress
from refsched.tools.planner.absent_kinds import absent_kinds
from refsched.tools.planner.cluster import latest_time
from refsched.tools.planner.dry_extenders import reach
from refsched.tools.printing import note, some

GATES_OPTION = "--feature-gates"
_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
"""These are the booleans that Go's strconv.ParseBool reads."""


@frozen
class InputOptions:
    """An InputOptions has the command's options as they were written; ``kubernetes`` is that of
    ``release_option``, and ``feature_gates`` that of ``gates_option``."""

    files: Sequence[str]
    config: str | None
    feature_gates: str
    kubernetes: str
    seed: int
    release_option: str = "--kubernetes"
    gates_option: str = GATES_OPTION


def read(given: InputOptions, *, remember: bool = False) -> tuple[Scheduler, Manifests]:
    """Returns a scheduler of an empty cluster, and what is to be shown to it. Its clock starts when the cluster
    was observed; ``remember`` is for ``reach``. Raises InputError, which names the file, or the option, and what
    is wrong in it."""
    release = release_given(given)
    config = default_config(release) if given.config is None else config_of(given.config, release)
    for unread in unread_args(config, release):
        note(f"{given.config}: {unread}")
    with _kept(), progress("reading", "objects") as show:
        manifests = read_manifests(given.files, release=release, progress=show)
    note_unknown(manifests)
    try:
        scheduler = scheduler_of(
            config,
            SeededChoices(given.seed),
            release=release,
            start=latest_time(manifests.objects),
            reach=partial(reach, remember=remember),
        )
    except InputError as error:
        raise error.at(given.config or "the default configuration") from None
    return remembering.remember(scheduler), manifests


def release_given(given: InputOptions) -> Release:
    """Returns the release with these feature gates. Raises InputError, which names the option."""
    try:
        release = release_of(given.kubernetes or DEFAULT.name)
    except InputError as error:
        raise error.at(given.release_option) from None
    try:
        return with_feature_gates(parse_gates(given.feature_gates), release)
    except InputError as error:
        raise error.at(given.gates_option) from None


def note_unknown(manifests: Manifests) -> None:
    """Warns of members that are no fields, in what a cluster printed."""
    for unknown, count in manifests.unknown.items():
        note(f"{unknown} ({counted(count, 'object')}) is not a known field, and is ignored")


@contextmanager
def _kept() -> Iterator[None]:
    """Keeps what is created inside until the command ends, without garbage collection: among a million objects
    this takes longer than reading them."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def note_absent(manifests: Manifests, pods: Iterable[str]) -> None:
    """Warns of the kinds of which nothing was given, if they could matter to these pods."""
    asked = frozenset(pods)
    of = (shown for shown in manifests.objects if isinstance(shown, Pod) and shown.key in asked)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind, named in absent_kinds(manifests.objects, of).items():
        kinds.setdefault(named, []).append(kind)
    for named, absent in kinds.items():
        prints = f"kubectl get {','.join(absent)} -A -o yaml"
        note(f"no {', no '.join(absent)} given, which could matter to {some(named, 2)}: {prints}")


def parse_gates(text: str) -> dict[str, bool]:
    """Reads ``A=true,B=false``, as kube-scheduler's own option is written."""
    gates = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (side.strip() for side in part.partition("="))
        if value not in _BOOLEANS:
            raise InputError(f"expected true or false, found {value!r:.60}", name)
        gates[name] = _BOOLEANS[value]
    return gates


def config_of(path: str, release: Release) -> WholeConfiguration:
    """Reads a file with one KubeSchedulerConfiguration. Raises InputError, which names it."""
    return config_in(document_of(path), path, release)


def config_in(document: Any, path: str, release: Release) -> WholeConfiguration:
    """Reads the KubeSchedulerConfiguration of this file. Raises InputError, which names it."""
    try:
        return read_config(document, release)
    except InputError as error:
        raise error.at(path) from None


def document_of(path: str) -> Any:
    """Returns the one document of a file with a configuration."""
    try:
        with open_file(path) as file:
            data = file.read(MAX_TEXT + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=path) from None
    documents: list[Any] = [document.value for document in read_documents(read_text(data, path), path)]
    if len(documents) != 1:
        raise InputError(
            f"expected one KubeSchedulerConfiguration, found {len(documents)} documents", where=path
        )
    return documents[0]
