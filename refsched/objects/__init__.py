# SPDX-License-Identifier: Apache-2.0
"""Objects: the objects that the API server stores, as far as scheduling reads them."""
