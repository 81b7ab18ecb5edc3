# Functions and variables of the scripts in this folder, which source it at the top of the tree.

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
export SOURCE_DATE_EPOCH
# Packages are built with other flags of the compiler, so they have a folder of their own.
CARGO_TARGET_DIR=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}/packaging")
export CARGO_TARGET_DIR

# Keeps the paths of this machine out of what cargo builds in this folder. The identity of a build is
# made of names with hashes of paths, too.
hide_paths() {
    local home=${CARGO_HOME:-$HOME/.cargo} pair
    LDFLAGS=-Wl,--build-id=none
    RUSTFLAGS="-Clink-arg=$LDFLAGS"
    CFLAGS=
    # The last one that fits counts.
    for pair in "$home=/cargo" "$PWD=/sortwell" "$CARGO_TARGET_DIR=/target"; do
        RUSTFLAGS+=" --remap-path-prefix=$pair"
        CFLAGS+=" -ffile-prefix-map=$pair"
    done
    export RUSTFLAGS CFLAGS LDFLAGS
}

# Installs the command and the C library below a folder, without symbols for debuggers.
install_all() {
    local destdir=$1
    shift
    hide_paths
    make --no-print-directory install DESTDIR="$destdir" "$@" >&2
    find "$destdir" -name sortwell -path '*/bin/*' -exec strip --strip-unneeded {} +
    find "$destdir" -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
}
