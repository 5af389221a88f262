# SPDX-License-Identifier: Apache-2.0
"""NotedChoices: which choices were asked for, while another one makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from attrs import Factory, define

from refsched.framework.choices import Choices

T = TypeVar("T")


@define(eq=False)
class NotedChoices:
    """NotedChoices are made by ``choices``. ``asked`` is how many questions were asked, and ``open_questions`` are
    those that might have been answered otherwise."""

    choices: Choices
    asked: int = 0
    open_questions: list[str] = Factory(list)

    def choose(self, question: str, options: Sequence[T]) -> T:
        self.asked += 1
        if len(options) > 1 and options[1] != options[0]:
            self.open_questions.append(question)
        return self.choices.choose(question, options)
