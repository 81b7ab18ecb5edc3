#!/usr/bin/env bash
# Checks what a release promises: dependencies without known faults, the least version of Rust, every
# feature by itself, the oldest Ray, and packages that build from their own files. It takes minutes, and rustup for
# the least version.

set -euo pipefail
cd "$(dirname "$0")/.."

CARGO=${CARGO:-cargo}
# Each version of Rust builds its own files; apart, they do not throw out those of the other builds.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/release-check

step() {
    echo "=== $*"
    "$@" || { echo "release-check: failed: $*" >&2; exit 1; }
}

step scripts/deny.sh

least=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
if ! command -v rustup > /dev/null; then
    echo "release-check: rustup is missing; it is needed for Rust $least: https://rustup.rs" >&2
    exit 1
fi
if ! rustup toolchain list | grep --quiet "^$least"; then
    step rustup toolchain install "$least" --profile minimal
fi
step "$CARGO" "+$least" check --quiet --workspace --locked

# The combinations that users can choose: nothing, and each feature alone. The default features, all
# of them, are what the tests build.
for features in "" compression counters dates icu regex sqlite; do
    for package in sortwell-engine sortwell sortwell-cli sortwell-capi sortwell-python; do
        # The feature is of indexes, which the engine does not know.
        [[ "$package $features" != "sortwell-engine sqlite" ]] || continue
        step "$CARGO" check --quiet --package "$package" --no-default-features \
            --features "$features"
    done
done

step "$CARGO" check --quiet --package sortwell --no-default-features --features serde

step "$CARGO" package --quiet --workspace --allow-dirty
step scripts/python.sh oldest
step packaging/check.sh
echo "=== release-check: all good"
