# SPDX-License-Identifier: Apache-2.0
"""Mutants: the specification, or kube-scheduler itself, changed in one place by rule."""
