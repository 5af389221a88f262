# SPDX-License-Identifier: Apache-2.0
"""Dry extenders: extenders are called, but never to bind, since a plan or an explanation changes nothing."""

from __future__ import annotations

import json
from typing import Any

from refsched.config.types import Extender
from refsched.extenders.extender import Ask


def reach(config: Extender, *, remember: bool) -> Ask:
    """Returns the Ask for the extender. With ``remember`` the same call is made only once."""
    from refsched.processes.http.over_http import over_http  # few clusters have extenders

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
