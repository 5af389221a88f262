# SPDX-License-Identifier: Apache-2.0
"""Who claims validation is judged by the configurations that it refuses, and nobody else is."""

from __future__ import annotations

from typing import Any

import pytest
from bent_schedulers import Bend, Bent

from conformance.strategies.configurations import ONCE
from conformance.vocabulary.objects import default_profile, node, profile_config
from refsched.errors import InputError
from refsched.plugins.default_preemption import DefaultPreemptionArgs
from refsched.suite.adapters.adapter import Adapter
from refsched.suite.histories.history import Create, History, Step
from refsched.suite.histories.judgement import Judgement
from refsched.suite.histories.trial import try_history

Json = dict[str, Any]

TOO_MANY = profile_config(default_profile(("DefaultPreemption", {"minCandidateNodesPercentage": 101})))
MOST = profile_config(default_profile(("DefaultPreemption", {"minCandidateNodesPercentage": 100})))


def answering(reset: Json | None, *, claims: bool = True) -> Bend:
    def bend(request: Json, answer: Json) -> Json:
        if "hello" in request and not claims:
            return answer | {
                "capabilities": [each for each in answer["capabilities"] if each != "validation"]
            }
        return reset if "reset" in request and reset is not None else answer

    return bend


def judged(config: Json, reset: Json | None = None, *steps: Step, claims: bool = True) -> Judgement:
    with Adapter("bent", Bent(lambda: answering(reset, claims=claims))) as adapter:
        return try_history(adapter, History(steps, config))


def test_who_refuses_it_in_whatever_words_decides_as_the_rule_says() -> None:
    done = judged(TOO_MANY, {"error": "no"})
    assert (done.findings, done.ended) == ([], "")
    assert "R-ARGS-10" in done.decisive
    assert (done.choices, done.single) == (1, 1)


def test_who_accepts_what_is_refused_breaks_the_rule_that_refuses_it() -> None:
    [found] = judged(TOO_MANY, {}).findings
    assert (found.rule, found.also, found.member) == ("R-ARGS-10", ("R-CONFIG-06",), "reset")
    assert "minCandidateNodesPercentage: 101 is not in [0, 100]" in str(found.expected)


def test_who_refuses_what_is_accepted_breaks_the_rule_of_answers() -> None:
    assert [one.rule for one in judged(MOST, {"error": "no"}).findings] == ["R-ANSWER-01"]


def test_what_is_unsupported_is_not_judged() -> None:
    done = judged(TOO_MANY, {"unsupported": "arguments"})
    assert (done.findings, done.ended) == ([], "unsupported: arguments")
    assert not done.decisive
    assert done.choices == 0


def test_who_does_not_claim_it_is_never_judged_by_it() -> None:
    with pytest.raises(InputError, match="minCandidateNodesPercentage"):
        judged(TOO_MANY, claims=False)


def test_a_history_with_steps_has_a_configuration_that_is_accepted() -> None:
    with pytest.raises(InputError, match="minCandidateNodesPercentage"):
        judged(TOO_MANY, None, Create(node("n1")))


def test_what_no_rule_refuses_is_not_judged() -> None:
    """Whether a certificate can be read is no rule of the scheduler."""
    extender = {"urlPrefix": "http://e", "tlsConfig": {"caData": "YQ=="}}
    with pytest.raises(InputError, match="tlsConfig"):
        judged(profile_config(extenders=[extender]))


@pytest.mark.parametrize("accepts", [False, True])
def test_who_accepts_it_decides_as_a_specification_without_the_rule(
    accepts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = judged(TOO_MANY, {} if accepts else {"error": "no"}).comparison
    assert comparison is not None
    assert comparison.agrees() is not accepts
    monkeypatch.setattr(DefaultPreemptionArgs, "validate", lambda args: None)
    assert comparison.agrees() is accepts


def test_each_change_is_another_one() -> None:
    seen = [(str(history.config), str(history.feature_gates)) for history in ONCE]
    assert len(seen) == len(set(seen))
    assert all(history.steps == () for history in ONCE)


def test_a_member_of_one_profile_is_changed_alone() -> None:
    """Two profiles that say the same differ in what one of them disables at queueSort."""
    of_two = [both for one in ONCE if len(both := one.config.get("profiles", ())) == 2]
    sorts = [[profile.get("plugins", {}).get("queueSort", {}) for profile in both] for both in of_two]
    assert any(one.get("disabled") != other.get("disabled") for one, other in sorts)
