"""`python -m runs`: see runs/cli.py."""

import sys

from runs.cli import main

if __name__ == "__main__":
    sys.exit(main())
