# SPDX-License-Identifier: Apache-2.0
"""The scheduling queue: which pods wait, where they wait, and what requeues them."""
