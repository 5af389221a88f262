# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page."""

from __future__ import annotations

from html import escape

from conformance.suite.verdicts import Result


def html(result: Result) -> str:
    return f"<!doctype html><title>{escape(result.headline)}</title>\n"
