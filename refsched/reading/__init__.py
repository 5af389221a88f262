# SPDX-License-Identifier: Apache-2.0
"""Reading: objects, records and configurations from files, with defaults, and what the API server refuses."""
