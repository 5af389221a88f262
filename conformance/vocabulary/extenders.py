# SPDX-License-Identifier: Apache-2.0
"""Extenders: their configuration, and the annotation that says what they answer about a pod."""

from __future__ import annotations

import json
from typing import Any

from conformance.vocabulary.objects import with_metadata
from refsched.suite.histories.extender_address import EXTENDERS
from refsched.suite.histories.extender_server import ANNOTATION

Json = dict[str, Any]


def extender(name: str = "a", **fields: Any) -> Json:
    """Returns the configuration of the extender of this name."""
    return {"urlPrefix": f"{EXTENDERS}/{name}", **fields}


FILTERS: Json = extender(filterVerb="filter", nodeCacheCapable=True)
"""This extender filters nodes by their names."""


def answered(pod: Json, answers: Json) -> Json:
    """Returns the pod, about which extenders answer so, by name and verb. Annotations that it has are lost."""
    return with_metadata(pod, annotations={ANNOTATION: json.dumps(answers)})
