# SPDX-License-Identifier: Apache-2.0
"""Each rule with the smallest cluster that shows it, and the causes that an upgrade has."""
