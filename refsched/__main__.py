# SPDX-License-Identifier: Apache-2.0
"""``python -m refsched``."""

from refsched.tools.cli.main import main

if __name__ == "__main__":
    main()
