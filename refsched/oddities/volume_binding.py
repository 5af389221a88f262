# SPDX-License-Identifier: Apache-2.0
"""The cases in which VolumeBinding of v1.37.2 panics. The specification does what would be correct.

No step of the plugin is replaced, since a scheduler that has panicked decides nothing.
Source: plugins/volumebinding/volume_binding.go, Score.
"""

from __future__ import annotations

from refsched.oddities.known_defect import NOT_REPORTED, KnownDefect, Oddity

CLASS_IN_AN_ANNOTATION = KnownDefect(
    "class-in-an-annotation",
    "R-VOLBIND-35",
    NOT_REPORTED,
    "panics with a nil pointer if it scores a node on which a claim would be provisioned from a"
    " CSIStorageCapacity, and the claim names its class in the annotation"
    " volume.beta.kubernetes.io/storage-class alone, and not in its spec",
    "counts such claims together, as claims whose spec names no class",
    "VolumeBinding",
    {},
    panics="nil pointer",
)
STORAGE_WITHOUT_A_CAPACITY = KnownDefect(
    "storage-without-a-capacity",
    "R-VOLBIND-33",
    NOT_REPORTED,
    "panics with a nil pointer if it scores a node on which a claim would be provisioned from a"
    " CSIStorageCapacity that says a maximumVolumeSize and no capacity",
    "counts such storage as used up",
    "VolumeBinding",
    {},
    panics="nil pointer",
)
PANICS_AT_SCORE: frozenset[Oddity] = frozenset({CLASS_IN_AN_ANNOTATION, STORAGE_WITHOUT_A_CAPACITY})
