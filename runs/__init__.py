"""Runs: episodes that were played, kept so that they can be replayed, re-graded and compared."""
