# SPDX-License-Identifier: Apache-2.0
"""Pages and pictures that are made from the tables and docstrings of the code."""
