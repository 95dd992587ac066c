"""`python -m runs`: see runs/cli.py."""

import sys

from data.command import exit_code_of
from runs.cli import main

if __name__ == "__main__":
    sys.exit(exit_code_of(main))
