# SPDX-License-Identifier: Apache-2.0
"""Planted wrong schedulers: the specification with one thing wrong in it, by area."""
