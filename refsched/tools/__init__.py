# SPDX-License-Identifier: Apache-2.0
"""Tools around the specification: the command line, the planner, serving, and extenders over HTTP."""
