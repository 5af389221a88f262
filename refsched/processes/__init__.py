# SPDX-License-Identifier: Apache-2.0
"""Processes: schedulers that are served, forked or asked, extenders over HTTP, and requests to an API server."""
