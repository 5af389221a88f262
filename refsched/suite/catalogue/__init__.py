# SPDX-License-Identifier: Apache-2.0
"""Catalogue: every rule of the specification, read from the specification itself."""
