# SPDX-License-Identifier: Apache-2.0
"""The report as JSON."""

from __future__ import annotations

import json

from conformance.suite.verdicts import Result


def json_text(result: Result) -> str:
    return json.dumps({"headline": result.headline}) + "\n"
