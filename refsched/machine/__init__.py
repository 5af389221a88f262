# SPDX-License-Identifier: Apache-2.0
"""The machine: inputs go in, records come out, and nothing else moves it."""
