# SPDX-License-Identifier: Apache-2.0
"""``python -m conformance.wrong``: what ``python -m refsched.mistakes`` does, which an installation has too."""

import sys

from refsched.mistakes.__main__ import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
