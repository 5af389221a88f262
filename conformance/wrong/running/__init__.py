# SPDX-License-Identifier: Apache-2.0
"""Running wrong schedulers against the suite, and the pages that say what became of them."""
