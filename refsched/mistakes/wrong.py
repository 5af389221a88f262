# SPDX-License-Identifier: Apache-2.0
"""What is said of one wrong scheduler that was made by hand."""

from attrs import frozen


@frozen
class Wrong:
    """A wrong scheduler: the specification with ``before`` replaced by ``after``.

    ``before`` occurs once in ``module``. ``says`` is a sentence about what the scheduler does wrong, and
    ``cites`` names the report of a scheduler with this mistake, if any.
    ``breaks`` lists the rules whose sentences are not true of it; a report that names one of them first names
    the right rule. ``kubernetes`` is the release that it decides by, if not the newest. ``shows_with`` is a
    capability without which a part of a scheduler does not show this mistake, though it may show others by which
    the same rules are broken.
    """

    name: str
    says: str
    module: str
    before: str
    after: str
    cites: str = ""
    breaks: tuple[str, ...] = ()
    kubernetes: str = ""
    shows_with: str = ""
