# SPDX-License-Identifier: Apache-2.0
"""Breaking: the specification is broken in one place after another, to see which rule a scheduler breaks."""
