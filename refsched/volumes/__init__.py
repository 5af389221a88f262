# SPDX-License-Identifier: Apache-2.0
"""Volume binding: the volumes that a pod's claims may have on a node, from the search to the bound claim.

Used by: VolumeBinding.
"""
