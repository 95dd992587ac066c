#!/usr/bin/env bash
# Check a running server and the checkout it came from: ./validate-submission.sh URL [DIR]
# Exits 1 if a check fails, 2 if it is called wrongly.
set -uo pipefail

usage() {
    echo "usage: $0 URL [DIR]"
    echo "  URL  a running server, e.g. http://localhost:8000"
    echo "  DIR  its checkout (default: the folder of this script)"
}

case "${1:-}" in
    -h | --help) usage; exit 0 ;;
    http://* | https://*) url="${1%/}" ;;
    *) usage >&2; exit 2 ;;
esac
[ "$#" -le 2 ] || { usage >&2; exit 2; }
dir="${2:-$(dirname "${BASH_SOURCE[0]}")}"
[ -f "$dir/openenv.yaml" ] || { echo "$dir holds no openenv.yaml: name the checkout" >&2; exit 2; }
cd "$dir" || exit 2
command -v curl >/dev/null || { echo "this script needs curl" >&2; exit 2; }

failed=0
say() { printf '%-4s  %s\n' "$1" "$2"; }
fail() { say FAIL "$1"; failed=1; }

# 1. The server answers a reset.
if code=$(curl --silent --show-error --max-time 60 --output /dev/null --write-out '%{http_code}' \
    --request POST --header 'Content-Type: application/json' --data '{}' "$url/reset"); then
    if [ "$code" = 200 ]; then
        say PASS "POST $url/reset answers 200"
    else
        fail "POST $url/reset answers $code, not 200"
    fi
else
    fail "POST $url/reset does not answer: is the server running there?"
fi

# 2. The image builds.
if ! command -v docker >/dev/null; then
    say SKIP "docker build: docker is not installed"
elif ! docker info >/dev/null 2>&1; then
    say SKIP "docker build: docker has no engine to talk to"
elif docker build --tag supportops-env:submission .; then
    say PASS "docker build works"
else
    fail "docker build failed; its output is above"
fi

# 3. OpenEnv's own checks of the checkout.
openenv=.venv/bin/openenv
[ -x "$openenv" ] || openenv=$(command -v openenv)
# From 0.10 on, when the distribution is called openenv, it can build the image too; that is done above.
line='from importlib.metadata import version; version("openenv")'
skip_build=$("$(dirname "$openenv")/python" -c "$line" 2>/dev/null && echo --skip-build)
if [ -z "$openenv" ]; then
    fail "openenv validate: openenv is not installed; try: make venv"
elif [ ! -f uv.lock ] && ! make --silent lock; then
    fail "openenv validate: there is no uv.lock, and make lock failed"
elif "$openenv" validate . $skip_build; then
    say PASS "openenv validate passes"
else
    fail "openenv validate does not pass; its output is above"
fi

if [ "$failed" = 1 ]; then
    echo "Not ready: see the lines with FAIL."
    exit 1
fi
echo "Ready: no check failed."
