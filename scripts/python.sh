#!/usr/bin/env bash
# The tests of the Python package: they build its wheel, install it, and run python/tests.
#
# get                    gets what the tests need through pip into target: maturin, NumPy, hypothesis,
#                        mypy, pyarrow, Polars, nanoarrow, pandas, DuckDB, lmdb, tpchgen-cli, Ray,
#                        aiohttp
# test                   builds and installs the wheel, and runs the tests
# test --if-possible     the same; without a tool that they need, leaves them out and says so
#
# kills                  kills tasks, exchanges and nodes of cluster sorts: CLUSTER_KILLS, CLUSTER_SEED
# kills --if-possible    the same; without a tool that it needs, leaves them out and says so
# oracle                 runs random commands through the package beside the model: CASES, SEED
# oldest                 runs tests of clusters with the oldest Ray and aiohttp that the package allows
#
# SORTWELL_PYTHON_PROFILE is the profile of cargo; release by default, as the demo and the torture
# also build the command in it. With SORTWELL_PYTHON_BUILT there is no wheel: the
# tests use the build of the tests in Rust. PYTHON names another interpreter than python3.

set -euo pipefail
cd "$(dirname "$0")/.."

packages=(maturin==1.16.0 numpy==2.4.6 hypothesis==6.170.17 mypy==2.4.1
    pyarrow==26.0.1 polars==2.1.0 nanoarrow==0.9.0 pandas==3.1.1 duckdb==2.0.1
    lmdb==3.0.0 tpchgen-cli==4.0.0 ray==2.60.0 aiohttp==3.14.5)
python3=${PYTHON:-python3}
home=$PWD/target/python-env
python=$home/bin/python
wheels=target/python-wheels

fail() { printf 'python: %s\n' "$*" >&2; exit 1; }

# Prints in a line the tools that are missing.
missing() {
    if ! "$python3" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
        echo "no Python 3.11 or newer"
    elif [[ $(cat "$home/pins" 2> /dev/null) != "$(pins)" ]]; then
        if "$python3" -c 'import ensurepip' 2> /dev/null; then
            echo "no ${packages[*]} for Python (make python, with a network)"
        else
            echo "no module ensurepip for Python (on Debian apt-get install python3-venv)"
        fi
    fi
}

# Prints what an environment is made of: its place, the interpreter and the packages.
pins() { echo "$home Python $(version_of "$python3"), ${packages[*]}"; }

# Prints the version of an interpreter, as far as packages depend on it.
version_of() { "$1" -c 'import sys; print(*sys.version_info[:2], sep=".")' 2> /dev/null; }

# Makes the environment, unless there is one of this interpreter and place: packages are replaced in
# it, so that it stays as it was without a network.
make_environment() {
    if [[ $(version_of "$python") != "$(version_of "$python3")" ]] \
        || ! grep -qsF "$home/bin/" "$home/bin/pip"; then
        "$python3" -m venv --clear "$home"
    fi
}

get() {
    if [[ -n $(missing) ]]; then
        mkdir -p target
        { make_environment \
            && "$home/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" \
            && pins > "$home/pins"; } \
            > target/python-env.log 2>&1 || tail -n 3 target/python-env.log >&2
    fi
    lacking=$(missing)
    [[ -z $lacking ]] || fail "$lacking"
}

# Builds the wheel and installs it.
install() {
    local pip=("$python" -m pip --quiet --disable-pip-version-check)
    rm -rf "$wheels"
    PATH=$home/bin:$PATH "${pip[@]}" wheel --no-build-isolation --no-deps --wheel-dir "$wheels" ./python
    "${pip[@]}" install --no-deps --force-reinstall "$wheels"/*.whl
}

# Puts the package in place from the build of the tests in Rust. A wheel would need another build, as
# features are resolved for it alone.
put() {
    local built=${CARGO_TARGET_DIR:-target}/debug site
    cargo build --quiet --workspace --lib --bins --tests
    site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    rm -rf "$site"/sortwell "$site"/sortwell-*.dist-info
    cp -r python/sortwell "$site"
    cp "$built/libsortwell_native.so" "$site/sortwell/_native.abi3.so"
    # As pip does: many processes of the tests import it.
    "$python" -m compileall -q "$site/sortwell"
    cp "$built/sortwell" "$home/bin"
    packaging/share.sh "$built/sortwell" "$home/share"
}

# Ends with 1 if tools are missing and the first word is --if-possible; the second one says what is
# left out then.
may_run() {
    lacking=$(missing)
    if [[ -n $lacking ]]; then
        [[ $1 == --if-possible ]] || fail "$lacking"
        echo "LEFT OUT: $2: $lacking"
        return 1
    fi
}

place() {
    if [[ -n ${SORTWELL_PYTHON_BUILT:-} ]]; then put; else install; fi
}

run_tests() {
    may_run "${1:-}" "tests of the Python package" || return 0
    place
    if [[ -n ${TESTS:-} ]]; then
        check_types
        (of_package $TESTS)
        return
    fi
    # The time of an import is measured while nothing else runs.
    (of_package test_installed)
    # Cluster sorts mostly wait for processes of Ray, so the other tests run at the same time. The
    # examples of the guides are among them, as they sort on a cluster too.
    of_package test_cluster test_cluster_faults test_cluster_options test_cluster_output \
        test_cluster_random test_guide \
        > target/python-cluster.log 2>&1 &
    local others clusters=$! failed=()
    trap 'kill '$clusters EXIT
    others=$(cd python/tests && ls test_*.py | grep -v 'test_cluster\|test_guide\|test_installed')
    check_types || failed+=("types")
    (of_package ${others//.py/}) || failed+=("tests of the package")
    run_oracle || failed+=("random commands")
    # Tests of clusters that are killed would leave processes of Ray.
    wait "$clusters" || { cat target/python-cluster.log >&2; failed+=("tests of clusters"); }
    trap - EXIT
    ((${#failed[@]} == 0)) || fail "failed: ${failed[*]}"
    grep -v '(raylet)\|^ ' target/python-cluster.log || true
}

# Checks the types that the package states.
check_types() {
    "$python" -m mypy --strict --no-error-summary --cache-dir target/python-mypy python/sortwell \
        && "$python" -m mypy.stubtest sortwell --allowlist python/tests/stubtest.txt
}

# Becomes a run of tests of the package, by the names of their modules.
of_package() {
    cd python/tests
    PYTHONDONTWRITEBYTECODE=1 exec "$python" -m unittest "$@"
}

run_kills() {
    if [[ ${CLUSTER_KILLS:=200} == 0 ]]; then
        echo "kills of cluster sorts: left out, CLUSTER_KILLS is 0"
        return
    fi
    may_run "${1:-}" "kills of cluster sorts" || return 0
    place
    (cd python/tests && CLUSTER_KILLS=$CLUSTER_KILLS "$python" -B -m unittest test_cluster_faults.Kills)
}

# Runs random commands. The interpreter takes some memory of its own.
run_oracle() {
    local program=$home/bin/sortwell-by-package
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$python" "$PWD/python/tests/as_command.py" > "$program"
    chmod +x "$program"
    PYTHONPATH=tests "$python" -B -m oracle --bin "$program" --own-mib 48 --jobs "$(nproc)" \
        --cases "${CASES:-60}" --seed "${SEED:-29}"
}

# Runs tests of clusters in an environment of its own. The other tests have the newest Ray.
run_oldest() {
    local versions
    versions=$(sed -n 's/^cluster = //p' python/pyproject.toml | tr -d '[]" ' | tr ',' '\n' \
        | sed -n 's/^\(.*\)>=\(.*\)$/\1==\2.*/p')
    home=$PWD/target/python-oldest
    python=$home/bin/python
    "$python3" -m venv "$home"
    "$home/bin/pip" install --quiet --disable-pip-version-check "${packages[0]}" $versions
    place
    (of_package test_cluster test_cluster_options test_cluster_output)
}

case ${1:-} in
    get) get ;;
    test) run_tests "${2:-}" ;;
    kills) run_kills "${2:-}" ;;
    oracle) run_oracle ;;
    oldest) run_oldest ;;
    *) fail "say get, test, kills, oracle or oldest" ;;
esac
