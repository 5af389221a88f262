# SPDX-License-Identifier: Apache-2.0
"""Mistakes: the specification with one thing wrong in it, as schedulers were or may be wrong.

``planted`` has edits that were made by hand, of one line or a few; ``operators`` change one node of a syntax tree.
When a scheduler fails, a report compares what it did with what these do. ``python -m refsched.mistakes`` lists
those that were made by hand, and

    refsched conformance --impl="exec:python -m refsched.mistakes NAME"

judges one of them. Nothing here imports the specification before it is edited.
"""
