# SPDX-License-Identifier: Apache-2.0
"""What two releases decide differently, as clusters on which they do."""
