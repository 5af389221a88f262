# SPDX-License-Identifier: Apache-2.0
"""Capabilities that are needed together, by tests and by the cases whose histories they vary."""

from __future__ import annotations

VOLUMES = ("volumes",)
OBJECTS = (*VOLUMES, "devices")
CYCLE = ("scripted", "hold", "queue", "preemption", "nominations")
