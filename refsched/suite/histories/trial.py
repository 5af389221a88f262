# SPDX-License-Identifier: Apache-2.0
"""Trial: one history, run against an implementation and judged."""

from __future__ import annotations

from attrs import evolve

from refsched.releases import release_of
from refsched.suite.adapters.adapter import Adapter, ResetRefused
from refsched.suite.findings import Comparison, Finding
from refsched.suite.histories.configuration import can_be_configured_for
from refsched.suite.histories.driver import Driver
from refsched.suite.histories.extender_address import with_extender_address
from refsched.suite.histories.history import History, Step
from refsched.suite.histories.judge import ANSWERS, Judge
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.part import part_of
from refsched.suite.histories.recordings import Recording, replay_recording
from refsched.suite.histories.refusal import RESET, Refusal, refusal_of
from refsched.suite.histories.sent_to_part import history_for, step_for
from refsched.suite.level import Level


def try_history(
    adapter: Adapter, history: History, *, with_specification: bool = True, level: Level = Level.ALL
) -> Judgement:
    """Runs a history. Raises AdapterFault if the implementation does not answer as docs/protocol.md says. A
    configuration that it refuses ends the history before it begins."""
    if isinstance(history, Recording):
        return replay_recording(adapter, history, level)
    release = release_of(adapter.hello.kubernetes)
    if not can_be_configured_for(history.config, release):
        return Judgement(history, ended="needs another release of Kubernetes", needs_more=True)
    trial = Trial(adapter, history, with_specification=with_specification, level=level)
    for step in history.steps:
        trial.take(step)
    return trial.judgement


class Trial:
    """A Trial is a history whose steps come one by one; those of ``beginning`` do not count, only its
    configuration does. If it has none, the specification may refuse the configuration. ``kubernetes`` is the
    release by which the implementation is judged, if not the one by which it decides."""

    def __init__(
        self,
        adapter: Adapter,
        beginning: History,
        *,
        with_specification: bool = True,
        level: Level = Level.ALL,
        kubernetes: str = "",
    ) -> None:
        self._part = part_of(adapter.hello)
        self._beginning = history_for(self._part, beginning)
        self._steps: list[Step] = []
        reached = with_extender_address(self._beginning)
        judged, part = reached, self._part
        if kubernetes:
            part = evolve(part, kubernetes=kubernetes)
            judged = with_extender_address(history_for(part, beginning))
        refusal = refusal_of(judged, part)
        self._judge = refusal or Judge(judged, part, with_specification=with_specification, level=level)
        self._driver: Driver | None = None
        self._refused = Judgement(self._beginning)
        self.was_refused = False
        """It says whether the implementation refuses this configuration."""
        try:
            session = adapter.reset(reached.config, reached.feature_gates)
        except ResetRefused as refused:
            self._take_refused(refused)
        else:
            if isinstance(self._judge, Judge):
                self._driver = Driver(session, self._part, self._judge)
            else:
                self._refused.findings.append(self._judge.accept())

    def _take_refused(self, refused: ResetRefused) -> None:
        self.was_refused = True
        error = refused.answer.error
        if error is not None and isinstance(self._judge, Refusal):
            self._judge.has_accepted = False
            return
        self._refused.ended = str(refused)
        if error is not None:
            self._refused.findings.append(Finding(ANSWERS, RESET, "an answer", error))

    def take(self, step: Step) -> None:
        """Runs the next step, without what the implementation does not do. Raises AdapterFault as ``try_history``
        does."""
        needed = step_for(self._part, step)
        if needed is None:
            return
        self._steps.append(needed)
        if self._driver is not None:
            self._driver.take(needed)

    @property
    def findings(self) -> list[Finding]:
        return self._happened.findings

    @property
    def _happened(self) -> Judgement:
        return self._driver.judgement if self._driver is not None else self._refused

    @property
    def judgement(self) -> Judgement:
        """Returns what happened so far."""
        judge = self._judge
        return evolve(
            self._happened,
            history=evolve(self._beginning, steps=tuple(self._steps)),
            decisive=judge.decisive,
            choices=judge.choices,
            single=judge.single,
            comparison=Comparison(judge.agrees, judge.asked),
            usual=history_for(self._part, History(())).config,
        )
