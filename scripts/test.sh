#!/usr/bin/env bash
# Runs all tests but the slow ones, gets what they need, and ends with one line: what was left out
# because this machine or this user cannot do it. The line is also in left-out.txt in the target
# folder.

set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
log=$target/test.log
mkdir -p "$target"
: > "$log"

# Runs a command into the log, and shows it without what tests that passed have printed.
logged() {
    "$@" 2>&1 | tee -a "$log" | awk '
        /^successes:$/ { hidden = 1 }
        /^(failures:$|test result:)/ { hidden = 0 }
        !hidden { print; fflush() }'
}

# What cannot be had is said below, with the tests that need it.
scripts/browser.sh get || true
scripts/python.sh get || true
logged make --no-print-directory test-rust TEST_ARGS="-- --show-output"
# The tests of the command have just built it.
export SORTWELL=$target/debug/sortwell
logged make --no-print-directory test-oracle BUILT=1
logged scripts/browser.sh test --if-possible
logged scripts/python.sh test --if-possible

left_out=$(sed -n 's/^.*LEFT OUT: //p' "$log" | sed 's/ (test [^()]*)$//' | sort -u \
    | awk '{ printf "%s%s", NR == 1 ? "" : "; ", $0 }')
echo "left out: $left_out" | tee "$target/left-out.txt"
