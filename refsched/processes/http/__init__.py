# SPDX-License-Identifier: Apache-2.0
"""Extenders over HTTP and TLS, as kube-scheduler calls them."""
