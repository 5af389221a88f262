# SPDX-License-Identifier: Apache-2.0
"""Dynamic resource allocation: the devices that a claim gets, with the default feature gates.

Used by: DynamicResources.
"""
