# SPDX-License-Identifier: Apache-2.0
"""Trial: one history, run against an implementation and judged."""

from __future__ import annotations

from copy import deepcopy

from attrs import evolve

from conformance.adapters.adapter import Adapter, ResetRefused
from conformance.driver import Driver, Transcript
from conformance.findings import Finding
from conformance.history import History, Json
from conformance.judge import ANSWERS, Judge
from conformance.recordings import Recording, replay_recording

WITHOUT_PREEMPTION = {"postFilter": {"disabled": [{"name": "*"}]}}


def try_history(adapter: Adapter, history: History, *, with_specification: bool = True) -> Transcript:
    """AdapterFault where the implementation does not answer as PROTOCOL.md says. What it will not be configured
    for ends the history before it begins."""
    if isinstance(history, Recording):
        return replay_recording(adapter, history)
    capabilities = adapter.hello.capabilities
    history = for_what_is_claimed(history, capabilities)
    try:
        session = adapter.reset(history.config, history.feature_gates)
    except ResetRefused as refused:
        transcript = Transcript(history, ended=str(refused))
        if refused.answer.error is not None:
            transcript.findings.append(Finding(ANSWERS, "reset", "an answer", refused.answer.error))
        return transcript
    judge = Judge(history, capabilities, with_specification=with_specification)
    transcript = Driver(session, capabilities, judge).run(history)
    transcript.decisive = judge.decisive
    transcript.choices, transcript.single = judge.choices, judge.single
    return transcript


def for_what_is_claimed(history: History, capabilities: frozenset[str]) -> History:
    """A scheduler that claims no preemption is configured to do none, and so is the specification beside it."""
    if "preemption" in capabilities:
        return history
    config = deepcopy(history.config)
    profiles = config.get("profiles") or [{"schedulerName": "default-scheduler"}]
    config["profiles"] = [_without_preemption(profile) for profile in profiles]
    return evolve(history, config=config)


def _without_preemption(profile: Json) -> Json:
    return {**profile, "plugins": {**(profile.get("plugins") or {}), **WITHOUT_PREEMPTION}}
