#!/usr/bin/env bash
# Builds each package, installs it into an empty root, and tries it there (smoke.sh). The archive
# and the wheel are built twice, in different folders, and must be equal to the byte. It ends with
# one line on what was left out because this machine cannot do it.

set -euo pipefail
cd "$(dirname "$0")/.."

base=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}/packages")
rm -rf "$base/out"
mkdir -p "$base/out"
roots=$(mktemp --directory)
trap 'rm -rf "$roots"' EXIT
left_out=()

step() {
    echo "=== $*"
    "$@" || { echo "packages: failed: $*" >&2; exit 1; }
}

# Runs the smoke test with what is installed below a folder, and nothing else of sortwell.
try() {
    local root=$1 libraries=$2
    shift 2
    step env PATH="$root/bin:$root/usr/bin:/usr/bin:/bin" LD_LIBRARY_PATH="$root$libraries" \
        PKG_CONFIG_PATH="$root$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="${sysroot:-}" \
        PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
        packaging/smoke.sh "$@"
}

archive() {
    step packaging/dist.sh "$base/out/archive"
    CARGO_TARGET_DIR=$base/again step packaging/dist.sh "$base/out/archive-again"
    step diff --recursive "$base/out/archive" "$base/out/archive-again"
    tar --extract --directory="$roots" --file="$(ls "$base"/out/archive/*.tar.gz)"
    mv "$roots"/sortwell-* "$roots/archive"
    (cd "$roots/archive" && sha256sum --check --quiet SHA256SUMS)
    try "$roots/archive" /lib command c
}

wheel() {
    if ! "${PYTHON:-python3}" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))'; then
        left_out+=("the Python wheel: no Python 3.11 with venv")
        return
    fi
    step packaging/wheel.sh "$base/out/wheel"
    CARGO_TARGET_DIR=$base/again FROM_SDIST=1 step packaging/wheel.sh "$base/out/wheel-again"
    step diff --recursive "$base/out/wheel" "$base/out/wheel-again"
    "${PYTHON:-python3}" -m venv "$roots/wheel"
    "$roots/wheel/bin/pip" install --quiet --disable-pip-version-check --no-index \
        "$base"/out/wheel/*.whl
    PYTHON=$roots/wheel/bin/python try "$roots/wheel" /lib command python
    "$roots/wheel/bin/pip" uninstall --quiet --disable-pip-version-check --yes sortwell
    if [[ -n $(find "$roots/wheel" -name '*sortwell*') ]]; then
        echo "packages: files are left after the wheel was removed" >&2
        exit 1
    fi
    beside_one_library
    from_the_tree
}

# Tries the wheel beside one library at a time, in the versions of the tests of the package.
beside_one_library() {
    local name pin
    for name in numpy pyarrow polars nanoarrow; do
        pin=$(grep --only-matching "\b$name==[0-9.]*" scripts/python.sh)
        "${PYTHON:-python3}" -m venv "$roots/$name"
        step "$roots/$name/bin/pip" install --quiet --disable-pip-version-check \
            "$pin" "$base"/out/wheel/*.whl
        step "$roots/$name/bin/python" -B "python/tests/alone/${name}_alone.py"
    done
}

# Installs from this tree as the guide says. pip makes an environment for the build. The flags of
# the compiler are those of wheel.sh, so that cargo finds what it has built.
from_the_tree() {
    "${PYTHON:-python3}" -m venv "$roots/tree"
    (
        . packaging/common.sh
        hide_paths
        step "$roots/tree/bin/pip" install --quiet --disable-pip-version-check ./python
    )
    PYTHON=$roots/tree/bin/python try "$roots/tree" /lib command python
}

debian() {
    if ! command -v dpkg-shlibdeps > /dev/null; then
        left_out+=("packages for Debian: dpkg-dev is missing")
        return
    fi
    step packaging/deb.sh "$base/out/deb"
    if [[ $(id -u) != 0 ]]; then
        left_out+=("installing packages for Debian: takes root")
        return
    fi
    local root=$roots/debian
    mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} "$root/var/log"
    touch "$root/var/lib/dpkg/status"
    # The root holds nothing else, not even a C library.
    step dpkg --root="$root" --force-depends --force-script-chrootless --log=/dev/null \
        --install "$base"/out/deb/*.deb
    sysroot=$root try "$root" "/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" command c
    step dpkg --root="$root" --force-depends --force-script-chrootless --log=/dev/null \
        --purge sortwell libsortwell-dev libsortwell0
    if [[ -n $(find "$root" -path "$root/var" -prune -o -type f -print) ]]; then
        echo "packages: files are left after the packages for Debian were removed" >&2
        exit 1
    fi
}

container() {
    local tool
    for tool in podman docker; do
        if "$tool" info > /dev/null 2>&1; then
            step "$tool" build --tag sortwell-check --file packaging/Containerfile .
            step "$tool" run --rm sortwell-check --version
            return
        fi
    done
    left_out+=("the container image: neither podman nor docker runs")
}

export CARGO_TARGET_DIR=$base
archive
wheel
debian
container
printf -v words '%s; ' "${left_out[@]:-nothing}"
echo "=== packages: all good; left out: ${words%; }"
