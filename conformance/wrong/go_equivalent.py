# SPDX-License-Identifier: Apache-2.0
"""Mutants of kube-scheduler that nobody can tell from it, each with the reason why."""

from __future__ import annotations

from collections.abc import Mapping

EQUIVALENT: Mapping[str, str] = {}
