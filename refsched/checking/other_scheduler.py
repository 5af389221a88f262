# SPDX-License-Identifier: Apache-2.0
"""OtherScheduler: in what the scheduler that is checked may differ from the specification."""

from __future__ import annotations

from attrs import frozen

from refsched.checking.own_plugins import OwnPlugins


@frozen
class OtherScheduler:
    """An OtherScheduler may differ from the specification in these ways, and is right all the same."""

    reports_claims: bool = False
    """It reports each of its writes into a ResourceClaim."""
    reports_nominations: bool = False
    """It reports each nomination that it takes back."""
    may_keep_nominations: bool = False
    """It may leave a nomination as it was where the specification takes it back. What follows is open then."""
    in_real_time: bool = False
    """Its clock goes on between what is asked of it, so that it is open whether a hint is too old."""
    may_search_all: bool = False
    """It may pass over the node that a batch hinted at."""
    own_plugins: OwnPlugins | None = None
    """What plugins did that it alone has is taken as given."""
