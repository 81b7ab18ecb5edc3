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

# They come while Rust is built. The tests that need them report what is missing.
getters="scripts/browser.sh get; scripts/python.sh get; scripts/debian.sh mdb_stat=lmdb-utils \
    mdb_dump=lmdb-utils tabix=tabix bgzip=tabix"
setsid bash -c "$getters; true" > "$target/get.log" 2>&1 &
getting=$!
# They are a group of processes, which ends with this script.
trap 'kill -- -$getting 2> /dev/null || true' EXIT
# Locales with letters of two bytes, of two letters and in an encoding of one byte. Where they cannot
# be made, the tests that need them say so.
locales=$(realpath --canonicalize-missing "$target/locales")
mkdir -p "$locales"
for name in en_US.UTF-8 de_DE.UTF-8 cs_CZ.UTF-8 hu_HU.UTF-8 en_US.ISO-8859-1 de_DE.ISO-8859-1; do
    if [[ ! -d $locales/$name ]] && command -v localedef > /dev/null; then
        rm -rf "$locales/new"
        localedef -i "${name%%.*}" -f "${name#*.}" "$locales/new" || true
        [[ ! -d $locales/new ]] || mv "$locales/new" "$locales/$name"
    fi
done
LOCPATH=$locales logged make --no-print-directory test-rust TEST_ARGS="-- --show-output"
# The tests of the command have just built it.
export SORTWELL=$target/debug/sortwell
wait "$getting"
trap - EXIT
cat "$target/get.log"
# Tests of clusters mostly wait for processes of Ray, so others run at the same time. All of them end,
# as a test that is killed may leave such processes. Only Ctrl-C kills them.
setsid scripts/python.sh test --if-possible > "$target/python.log" 2>&1 &
python=$! failed=()
trap 'kill -- -$python 2> /dev/null || true' EXIT
logged make --no-print-directory test-oracle BUILT=1 || failed+=("random commands")
logged scripts/browser.sh test --if-possible || failed+=("the report page")
logged tail --lines=+1 --follow --pid="$python" "$target/python.log"
wait "$python" || failed+=("the Python package")
trap - EXIT
if ((${#failed[@]} > 0)); then
    printf 'test: failed: %s\n' "${failed[@]}" >&2
    exit 1
fi

left_out=$(sed -n 's/^.*LEFT OUT: //p' "$log" | sed 's/ (test [^()]*)$//' | sort -u \
    | awk '{ printf "%s%s", NR == 1 ? "" : "; ", $0 }')
echo "left out: $left_out" | tee "$target/left-out.txt"
