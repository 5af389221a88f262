# SPDX-License-Identifier: Apache-2.0
"""Binding: from an assumed pod to a bound one, or the way back."""
