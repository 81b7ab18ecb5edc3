#!/usr/bin/env bash
# Prints the licences of sortwell and of all code that its binaries contain. It installs
# cargo-about into target if it is missing.

set -euo pipefail
cd "$(dirname "$0")/.."

version=0.9.3
home=target/cargo-about-$version

if [[ $(cargo about --version 2> /dev/null) != "cargo-about $version" ]]; then
    export PATH=$PWD/$home/bin:$PATH
    if [[ ! -x $home/bin/cargo-about ]]; then
        echo "licenses: building cargo-about $version, which takes minutes" >&2
        "${CARGO:-cargo}" install cargo-about --version "$version" --locked --features cli --quiet \
            --root "$home" || { echo "licenses: cargo-about $version is missing" >&2; exit 1; }
    fi
fi
"${CARGO:-cargo}" fetch --quiet --locked
printf 'sortwell is under the licences MIT or Apache-2.0, at your choice.\n\n'
cat LICENSE-MIT
printf '\n'
cargo about generate --offline --fail --workspace --config packaging/about.toml \
    packaging/about.hbs
printf '\nuPlot, which draws the charts of report pages:\n\n'
cat crates/cli/src/report/uplot/LICENSE
