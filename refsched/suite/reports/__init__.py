# SPDX-License-Identifier: Apache-2.0
"""Reports of a run: on the terminal, as JSON and as HTML."""
