# SPDX-License-Identifier: Apache-2.0
"""Plugins: one module for one default plugin, named as Kubernetes names it."""
