# SPDX-License-Identifier: Apache-2.0
"""``refsched schedule``."""

from __future__ import annotations

from refsched.tools.cli.exit_codes import AGREED, DISAGREED
from refsched.tools.cli.inputs import InputOptions, note_absent, read
from refsched.tools.cli.progress import progress
from refsched.tools.planner.plan import as_value, write_plan
from refsched.tools.planner.planning import plan
from refsched.tools.printing import TABLE, Page, show_value


def schedule(given: InputOptions, output: str, namespace: str = "") -> int:
    """Runs the command and returns its exit code. With ``namespace`` only its pods are listed."""
    scheduler, manifests = read(given)
    with progress("placed", "pods") as show:
        found = plan(scheduler, manifests.objects, show)
    note_absent(manifests, (outcome.pod for outcome in found.outcomes))
    if output == TABLE:
        page = Page()
        write_plan(page, found, manifests.ignored, namespace)
        page.show()
    else:
        show_value(as_value(found, manifests.ignored), output)
    return AGREED if found.is_complete else DISAGREED
