# SPDX-License-Identifier: Apache-2.0
"""Cases: fixed histories, each with a permanent name and the sentence that it is there to decide.

A module holds the cases of one area as ``CASES``. ``pytest conformance/ -k NAME`` runs one of them.
"""
