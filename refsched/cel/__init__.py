# SPDX-License-Identifier: Apache-2.0
"""CEL: the Common Expression Language, as far as selectors of devices use it. It knows nothing of scheduling.

The syntax is cel-python's. The meaning is that of cel-go, which kube-scheduler uses, and which differs from
cel-python's own: numbers compare across types, values of different types are unequal rather than an error,
and what is missing is reported in cel-go's words (docs/decisions.md says what else was tried). A selector
that cannot be compiled fails for every device, unlike one whose evaluation fails.

The modules are `compiler` (from a tree to a function), `types` (what is refused before that), `operators`,
`functions`, `optional`, `values`, `results`, `steps` (what releases do otherwise), and `limits` (what bounds an
evaluation; the estimated cost of an expression is not specified).

Used by: DynamicResources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refsched.cel.steps import AS_PROMISED, CelSteps
from refsched.cel.values import CelError

if TYPE_CHECKING:
    from refsched.cel.compiler import CelProgram

__all__ = ["CelError", "CelSteps", "compile_selector"]


def compile_selector(expression: str, steps: CelSteps = AS_PROMISED) -> CelProgram:
    """Returns the expression as a function of a device. Raises CelError. The compiler is loaded by the first
    call."""
    from refsched.cel.compiler import compile_selector as compile_now

    return compile_now(expression, steps)
