# SPDX-License-Identifier: Apache-2.0
"""Kubernetes API: requests to a real API server, and watches of what it has."""
