#!/usr/bin/env bash
# Makes the archive of a release: the command, the libraries, the header, the manual pages, the
# completions and all licences. It is the same to the byte for the same sources and compiler, in any
# folder. SOURCE_DATE_EPOCH sets the time of its files, by default that of the last commit.
#
#     packaging/dist.sh [DIRECTORY]

set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/common.sh

to=$(realpath --canonicalize-missing "${1:-target/dist}")
name=sortwell-$version-$(uname -m)-linux
staging=$(mktemp --directory)
trap 'rm -rf "$staging"' EXIT
root=$staging/$name

install_all "$root" PREFIX=/
# The prefix is the folder that the archive is unpacked into.
sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|; s|^libdir=.*|libdir=${prefix}/lib|
    s|^includedir=.*|includedir=${prefix}/include|' "$root/lib/pkgconfig/sortwell.pc"
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$root"
packaging/licenses.sh > "$root/THIRD-PARTY-LICENSES.txt"
(cd "$root" && find . -type f ! -name SHA256SUMS -print0 | LC_ALL=C sort --zero-terminated \
    | xargs -0 sha256sum > SHA256SUMS)

mkdir -p "$to"
tar --create --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner --mode='u=rwX,go=rX' --directory="$staging" "$name" \
    | gzip --no-name --best > "$to/$name.tar.gz"
(cd "$to" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$to/$name.tar.gz"
