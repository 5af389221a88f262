# SPDX-License-Identifier: Apache-2.0
"""Oddities: what a release does instead of what a rule says. The rules are stated without them."""
