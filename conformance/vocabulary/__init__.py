# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of histories: objects as plain JSON, and the builder that puts them into a history."""
