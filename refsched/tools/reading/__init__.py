# SPDX-License-Identifier: Apache-2.0
"""Reading: objects from files that people write and clusters print, and what the API server refuses of
these."""
