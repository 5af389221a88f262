# SPDX-License-Identifier: Apache-2.0
"""Objects: what the API server stores, as far as scheduling reads it."""
