#!/usr/bin/env bash
# Makes the Python wheel and the source distribution of a release. Both are the same to the byte for
# the same sources and compiler, in any folder. It needs Python 3.11 with venv, and a network for
# maturin.
#
#     packaging/wheel.sh [DIRECTORY]
#
# With FROM_SDIST=1 the wheel is built from the source distribution, not from this tree.

set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/target/wheel-env
. packaging/common.sh

to=$(realpath --canonicalize-missing "${1:-target/wheels}")
maturin=$(sed -n 's/^requires = \["\(maturin==[^"]*\)"\]$/\1/p' python/pyproject.toml)
if [[ $("$tools/bin/maturin" --version 2> /dev/null) != "${maturin/==/ }" ]]; then
    "${PYTHON:-python3}" -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "$maturin"
fi
export PATH=$tools/bin:$PATH

mkdir -p "$to"
cd python
PYTHONPATH=build_backend python -B -c 'import sys, sortwell_build
print(sys.argv[1] + "/" + sortwell_build.build_sdist(sys.argv[1]))' "$to"
if [[ ${FROM_SDIST:-} == 1 ]]; then
    unpacked=$(mktemp --directory)
    trap 'rm -rf "$unpacked"' EXIT
    tar --extract --directory="$unpacked" --file="$to/sortwell-$version.tar.gz"
    cd "$unpacked/sortwell-$version"
    hide_paths
else
    cd ..
    hide_paths
    cd python
fi
# The tag is that of the oldest system that the wheel runs on.
export MATURIN_PEP517_ARGS="--profile release --compatibility pypi"
python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --wheel-dir "$to" .
ls "$to/sortwell-$version"-*.whl
