# SPDX-License-Identifier: Apache-2.0
"""Adapters: how the suite reaches an implementation, and how it tells whose fault it is that it does not."""
