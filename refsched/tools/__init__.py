# SPDX-License-Identifier: Apache-2.0
"""Tools: the command line, ``Cluster``, the planner, the pages of the rules, and scheduling in a cluster."""
