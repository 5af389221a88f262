# SPDX-License-Identifier: Apache-2.0
"""TaintToleration before 1.37: the plugin has no PreFilter.

Changed by: kubernetes #140000 (PreFilter passes over pods whose resize is deferred, behind a feature gate).
Source: plugins/tainttoleration/taint_toleration.go.
"""

from __future__ import annotations

from attrs import frozen

from refsched.plugins import taint_toleration as current


@frozen
class TaintToleration(current.TaintToleration):
    POINTS = ("filter", "preScore", "score")
    pre_filter = None  # type: ignore[assignment]  # There is no such method.
