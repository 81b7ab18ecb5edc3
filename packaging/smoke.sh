#!/usr/bin/env bash
# Sorts the same rows through the command, C and Python, as they are installed, and compares the
# results:
#
#     packaging/smoke.sh INTERFACE...
#
# INTERFACE is command, c or python. PATH, PKG_CONFIG_PATH and LD_LIBRARY_PATH point to them, and
# PYTHON names the interpreter.

set -euo pipefail
examples=$(cd "$(dirname "$0")/../crates/capi/examples" && pwd)
cd "$(mktemp --directory)"
trap 'rm -rf "$PWD"' EXIT

printf 'name,amount\n"Lee, Ann",10.50\nBob,2\nDee,-3.25\nEve,7\n' > in.csv
printf 'name,amount\n"Lee, Ann",10.50\nEve,7\nBob,2\nDee,-3.25\n' > expected.csv
for interface in "$@"; do
    case $interface in
        command) sortwell sort -k amount:decimal:desc -o out.csv in.csv ;;
        c)
            cc -o sort_file "$examples/sort_file.c" $(pkg-config --cflags --libs sortwell)
            ./sort_file out.csv in.csv -- key=amount:decimal:desc > statistics.json
            ;;
        python)
            "${PYTHON:-python3}" -c 'import sortwell
statistics = sortwell.sort("in.csv", "out.csv", key="amount:decimal:desc")
assert statistics.records == 4, statistics'
            ;;
        *) echo "smoke: no interface '$interface'" >&2 && exit 2 ;;
    esac
    cmp expected.csv out.csv
    rm out.csv
    echo "smoke: $interface ok"
done
