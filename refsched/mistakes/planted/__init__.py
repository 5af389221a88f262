# SPDX-License-Identifier: Apache-2.0
"""Planted wrong schedulers, by area: each is the specification with one mistake in it."""
