#!/usr/bin/env bash
# Checks the dependencies against deny.toml: licences, known vulnerabilities, sources.
#
# The advisory database is taken at one commit, so that a check depends on the tree alone. Move it
# forward before a release. The script gets cargo-deny and the database into target where they are
# missing. ADVISORY_DB names a clone or a mirror of the database to get the commit from.

set -euo pipefail
cd "$(dirname "$0")/.."

version=0.20.2
commit=bf5c0d245a92671908518d7e765914d437954ed6 # 21 August 2026
source=${ADVISORY_DB:-https://github.com/RustSec/advisory-db}
# The folder in which cargo-deny looks for a database of that address.
database=target/advisory-dbs/advisory-db-3157b0e258782691
home=target/cargo-deny-$version

fail() { printf 'deny: %s\n' "$*" >&2; exit 1; }

if [[ $(cargo deny --version 2> /dev/null) != "cargo-deny $version" ]]; then
    export PATH=$PWD/$home/bin:$PATH
    if [[ ! -x $home/bin/cargo-deny ]]; then
        echo "deny: building cargo-deny $version, which takes minutes"
        "${CARGO:-cargo}" install cargo-deny --version "$version" --locked --quiet --root "$home" \
            || fail "cargo-deny $version is missing: cargo install cargo-deny --version $version"
    fi
fi
if [[ $(git -C "$database" rev-parse HEAD 2> /dev/null) != "$commit" ]]; then
    rm -rf "$database"
    git init --quiet "$database"
    git -C "$database" fetch --quiet --depth 1 "$source" "$commit" \
        || fail "the advisory database is missing: no commit $commit from $source (ADVISORY_DB" \
            "names another place to get it from)"
    git -C "$database" checkout --quiet FETCH_HEAD
fi
# Offline, as cargo-deny would fetch the latest state of the database otherwise.
cargo fetch --quiet --locked
exec cargo deny --offline check --hide-inclusion-graph
