# SPDX-License-Identifier: Apache-2.0
"""Rulebook: each rule with the smallest cluster that shows it, for the terminal and for the site."""
