# SPDX-License-Identifier: Apache-2.0
"""Drawn parts: whether the specification passes as any part of a scheduler.

``python -m conformance.campaigns.drawn_parts 40-45 --examples=4 -n2`` draws a release, capabilities and plugins
with each of these seeds, and judges the specification as this part (what ``--only`` takes), with histories of the
same seed. With ``--alone`` the part is a scheduler that has nothing else (part_alone.py). A part is right about
what it claims, whatever that is, so no run may fail; one that has shown nothing of a plugin counts for nothing.
What else begins with a hyphen is an option of each run of the suite. Exit codes: 0 each part that was judged
passes, 1 one fails, 2 none was judged.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

from conformance.campaigns import part_alone
from conformance.campaigns.options import NO_SEEDS, seeds_in
from refsched.releases import RELEASES
from refsched.suite.adapters.answers import CAPABILITIES
from refsched.suite.histories.reads import plugin_names

ALONE = "--alone"


def part_of(seed: int) -> tuple[str, str]:
    """Returns the release and the part that are drawn with this seed. The newest release is drawn as often as all
    others."""
    drawn = random.Random(seed)
    *older, newest = RELEASES
    release = drawn.choice((*older, *(newest for _ in older)))
    capabilities = drawn.sample(sorted(CAPABILITIES), drawn.randint(1, 5))
    plugins = drawn.sample(plugin_names(release), drawn.randint(0, 4))
    return release, ",".join((*capabilities, *plugins))


def main(arguments: list[str]) -> int:
    """Judges the parts, and returns the exit code."""
    options = [argument for argument in arguments if argument.startswith("-") and argument != ALONE]
    named = {argument: seeds_in(argument) for argument in arguments if not argument.startswith("-")}
    unread = [argument for argument, seeds in named.items() if not seeds]
    if unread:
        print(NO_SEEDS.format(unread[0]), file=sys.stderr)
        return 2
    seeds = [seed for seeds in named.values() for seed in seeds]
    codes = Counter(_judged(seed, options, alone=ALONE in arguments) for seed in seeds)
    print(f"{codes[0]} parts pass, {codes[1]} fail, {codes[2]} have nothing to judge")
    return 1 if codes[1] else 0 if codes[0] else 2


def _judged(seed: int, options: Sequence[str], *, alone: bool) -> int:
    if alone:
        name, judged = str(part_alone.part_of(seed)), [f"--impl={part_alone.__name__}"]
    else:
        release, part = part_of(seed)
        name, judged = f"{release} {part}", [f"--impl=refsched.reference:{release}", f"--only={part}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "conformance"]
    done = subprocess.run(
        [*command, *judged, f"--hypothesis-seed={seed}", *options],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {part_alone.SEED: str(seed)},
    )
    print(f"seed {seed}: {name}: exit code {done.returncode}", flush=True)
    if done.returncode == 1:
        print(done.stdout, flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
