# SPDX-License-Identifier: Apache-2.0
"""Trace: the one vocabulary of recordings, of the wire protocol and of the Python interface."""
