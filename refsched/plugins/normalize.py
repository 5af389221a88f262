# SPDX-License-Identifier: Apache-2.0
"""Normalize: raw scores are scaled to 0..100.

Source: plugins/helper/normalize_score.go, DefaultNormalizeScore.
"""

from __future__ import annotations

from collections.abc import Mapping

from refsched.framework.interface import MAX_NODE_SCORE


def normalize(scores: Mapping[str, int], *, reverse: bool = False) -> dict[str, int]:
    """Returns scores in proportion to the largest, which becomes 100, or 0 with ``reverse``.

    If all are 0, they stay 0, or become 100 with ``reverse``. Scores are not negative.
    """
    largest = max(scores.values(), default=0)
    scaled = {
        score: MAX_NODE_SCORE * score // largest if largest else 0 for score in dict.fromkeys(scores.values())
    }
    if reverse:
        scaled = {score: MAX_NODE_SCORE - of_largest for score, of_largest in scaled.items()}
    return {node: scaled[score] for node, score in scores.items()}
