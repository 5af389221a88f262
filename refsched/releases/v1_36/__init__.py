# SPDX-License-Identifier: Apache-2.0
"""Kubernetes 1.36, as v1.36.3 has it: release 1.37, except for what is named here."""

from __future__ import annotations

from attrs import evolve

from refsched.releases.v1_37 import V1_37

V1_36 = evolve(V1_37, name="1.36", tag="v1.36.3")
