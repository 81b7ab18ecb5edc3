#!/usr/bin/env bash
# Runs the fuzz targets, one after the other, and stops at the first finding with how to repeat it.
#
# FUZZ_SECONDS   how long each (60)
# FUZZ_TARGETS   which (all of them)
# --if-possible  where cargo-fuzz or a nightly Rust is missing, says so and leaves it out
#
# What it has learned stays in fuzz/corpus, which is not in the repository; it begins with that and
# with what lies in fuzz/seeds.

set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
logs=${CARGO_TARGET_DIR:-target}/fuzz-logs

fail() { printf 'fuzz: %s\n' "$*" >&2; exit 1; }

if [[ $seconds == 0 ]]; then
    echo "fuzz: left out, FUZZ_SECONDS is 0"
    exit 0
fi
if ! cargo +nightly fuzz --version > /dev/null 2>&1; then
    missing="no cargo-fuzz with a nightly Rust here: rustup toolchain install nightly, cargo install"
    [[ ${1:-} == --if-possible ]] || fail "$missing cargo-fuzz"
    echo "fuzz: LEFT OUT, $missing cargo-fuzz"
    exit 0
fi

# Texts that are compared gain nothing by being long.
longest_of() { case $1 in encoders) echo 64 ;; *) echo 4096 ;; esac; }

read -ra targets <<< "${FUZZ_TARGETS:-$(cargo +nightly fuzz list | tr '\n' ' ')}"
mkdir -p "$logs"
echo "fuzz: building ${#targets[@]} targets"
cargo +nightly fuzz build > "$logs/build" 2>&1 || { tail -n 40 "$logs/build" >&2; fail "no build"; }

for target in "${targets[@]}"; do
    log=$logs/$target
    corpora=("fuzz/corpus/$target")
    [[ -d fuzz/seeds/$target ]] && corpora+=("fuzz/seeds/$target")
    mkdir -p "${corpora[0]}"
    if cargo +nightly fuzz run "$target" "${corpora[@]}" -- -max_total_time="$seconds" \
        -max_len="$(longest_of "$target")" -timeout=20 -print_final_stats=1 > "$log" 2>&1; then
        count=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
        echo "fuzz: $target: nothing found in $count inputs, $seconds s"
    else
        grep -v '^#' "$log" | tail -n 40 >&2
        input=$(awk '/Test unit written to/ { print $NF }' "$log" | tail -n 1)
        fail "$target: FOUND something; all it said is in $log" \
            "${input:+; to repeat: cargo +nightly fuzz run $target $input}"
    fi
done
