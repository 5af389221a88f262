# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.34, as v1.34.2 has it: release 1.35, except for what is named here."""

from __future__ import annotations

from attrs import evolve

from refsched.releases.v1_35 import V1_35

V1_34 = evolve(V1_35, name="1.34", tag="v1.34.2")
