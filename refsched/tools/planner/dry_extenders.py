# SPDX-License-Identifier: Apache-2.0
"""Extenders that are asked for real, but never to bind: a plan or an explanation changes nothing."""

from __future__ import annotations

import json
from typing import Any

from refsched.config.types import Extender
from refsched.extenders.extender import Ask


def reach(config: Extender, *, remember: bool) -> Ask:
    """How the extender is asked. With ``remember`` the same question is put only once."""
    from refsched.tools.http.over_http import over_http  # few clusters have extenders

    ask = over_http(config)
    answers: dict[str, object] = {}

    def answer(verb: str, request: dict[str, Any]) -> object:
        if verb == config.bind_verb:
            return {}
        question = json.dumps([verb, request], sort_keys=True)
        if not remember or question not in answers:
            answers[question] = ask(verb, request)
        return answers[question]

    return answer
