# SPDX-License-Identifier: Apache-2.0
"""Binding: an assumed pod is bound, or its reservations are released."""
