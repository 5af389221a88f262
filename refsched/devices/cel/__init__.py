# SPDX-License-Identifier: Apache-2.0
"""CEL: the expressions with which device classes and requests select devices.

The syntax is cel-python's, whose parser is loaded with the first expression. The meaning is that of cel-go, which
kube-scheduler uses, and cel-python's own differs: numbers compare across types, values of different types are
unequal rather than an error, and what is missing is reported in cel-go's words (docs/decisions.md says what else
was tried). A selector that cannot be compiled fails for every device, unlike one whose evaluation fails.

Read on in `compiler` (from a tree to a function), `types` (what is refused before that), `operators`, `functions`,
`optional`, `values`, and `limits` (what bounds an evaluation; what an expression is estimated to cost is not
specified).
"""

from refsched.devices.cel.compiler import CelProgram, compile_selector
from refsched.devices.cel.values import CelError

__all__ = ["CelError", "CelProgram", "compile_selector"]
