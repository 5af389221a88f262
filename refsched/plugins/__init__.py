# SPDX-License-Identifier: Apache-2.0
"""Plugins: each plugin has its own module, named as Kubernetes names the plugin."""
