# SPDX-License-Identifier: Apache-2.0
"""Wrong schedulers: the specification with one thing wrong in it, to see whether the suite finds it.

The mistakes themselves are in ``refsched.mistakes``, as a report compares a scheduler with them. Here all of
them are run against the suite, mutants are sampled, and the smallest cluster is found that shows a rule.
``pytest conformance/ --impl="exec:python -m conformance.wrong NAME"`` runs one, ``python -m conformance.wrong``
lists them.
"""
