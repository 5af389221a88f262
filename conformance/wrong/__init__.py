# SPDX-License-Identifier: Apache-2.0
"""Wrong schedulers: the specification with one thing wrong in it, to see whether the suite finds it.

Each is an edit of one line or a few, applied when the module is imported, in a process of its own; the
specification that judges it is not touched. ``pytest conformance/ --impl="exec:python -m conformance.wrong NAME"``
runs one, ``python -m conformance.wrong`` lists them.
"""
