# What the scripts of packaging share. They source it at the top of the tree.

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
export SOURCE_DATE_EPOCH

# What is built here has other flags of the compiler, so that it lies apart.
CARGO_TARGET_DIR=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}/packaging")
export CARGO_TARGET_DIR

# No path of this machine gets into what cargo builds.
home=${CARGO_HOME:-$HOME/.cargo}
# The last one that fits counts.
for pair in "$home=/cargo" "$PWD=/sortwell" "$CARGO_TARGET_DIR=/target"; do
    RUSTFLAGS+=" --remap-path-prefix=$pair"
    CFLAGS+=" -ffile-prefix-map=$pair"
done
export RUSTFLAGS CFLAGS
unset home pair

# Installs everything below a folder: DESTDIR, and variables of make.
install_all() {
    local destdir=$1
    shift
    make --no-print-directory install DESTDIR="$destdir" "$@" >&2
    find "$destdir" -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
}
