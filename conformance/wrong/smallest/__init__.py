# SPDX-License-Identifier: Apache-2.0
"""Smallest: for each rule the smallest history that a scheduler without the rule decides otherwise.

``python -m conformance.wrong examples`` computes them and writes them to ``docs/examples/rules``.
"""
