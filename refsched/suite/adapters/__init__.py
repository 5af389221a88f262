# SPDX-License-Identifier: Apache-2.0
"""Adapters: how the suite reaches an implementation, and who is responsible if it does not."""
