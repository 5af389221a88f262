# SPDX-License-Identifier: Apache-2.0
"""Oddities: what a release does instead of what a rule says. The text of the rule stands without them."""
