# SPDX-License-Identifier: Apache-2.0
"""What others have recorded of a cluster, as traces (docs/importing.md)."""
