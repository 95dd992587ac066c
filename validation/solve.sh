#!/bin/sh
# Wins the episodes of validation/oracle.jsonl on a running server; exits with 1 if one is not won.
set -eu
cd "$(dirname "$0")/.."
exec "${PYTHON:-python3}" -m policies.validation_files --play "${1:-http://127.0.0.1:${PORT:-8000}}"
