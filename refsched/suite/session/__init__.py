# SPDX-License-Identifier: Apache-2.0
"""A run of the suite under pytest: options, property tests, counting, and what is reported at the end."""
