# SPDX-License-Identifier: Apache-2.0
"""Checking: is what another scheduler did allowed by the specification?"""
