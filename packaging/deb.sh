#!/usr/bin/env bash
# Makes packages for Debian and its relatives: sortwell (the command), libsortwell0 (the shared
# library) and libsortwell-dev (header, static library, pkg-config file). It needs dpkg-dev.
#
#     packaging/deb.sh [DIRECTORY]

set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/common.sh

missing=()
for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    command -v "$tool" > /dev/null || missing+=("$tool")
done
if ((${#missing[@]} > 0)); then
    echo "deb: missing: ${missing[*]}; install dpkg-dev" >&2
    exit 1
fi

to=$(realpath --canonicalize-missing "${1:-target/deb}")
architecture=$(dpkg-architecture -qDEB_HOST_ARCH)
libraries=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
staging=$(mktemp --directory)
trap 'rm -rf "$staging"' EXIT
all=$staging/all

install_all "$all" PREFIX=/usr LIBDIR="$libraries"
packaging/licenses.sh > "$staging/copyright"
find "$all/usr/share/man" -name '*.1' -exec gzip --no-name --best {} +

# Moves files from what was installed into the root of a package.
move() {
    local package=$1 path
    shift
    for path in "$@"; do
        mkdir -p "$(dirname "$staging/$package$path")"
        mv "$all"$path "$(dirname "$staging/$package$path")/"
    done
}
move sortwell /usr/bin/sortwell /usr/share/man /usr/share/bash-completion /usr/share/zsh \
    /usr/share/fish
move libsortwell0 "$libraries/libsortwell.so.$version" "$libraries/libsortwell.so.0"
move libsortwell-dev /usr/include/sortwell.h "$libraries/libsortwell.a" \
    "$libraries/libsortwell.so" "$libraries/pkgconfig"

# Returns the packages that the programs of a package need.
needed() {
    mkdir -p "$staging/debian"
    printf 'Source: sortwell\n\nPackage: %s\nArchitecture: any\n' "$1" > "$staging/debian/control"
    (cd "$staging" && find "$1" -type f -perm /111 -exec dpkg-shlibdeps -O {} + \
        | sed -n 's/^shlibs:Depends=//p')
}

# Makes a package: name, section, packages it depends on, title, description.
pack() {
    local package=$1 section=$2 depends=$3 title=$4 text=$5
    local root=$staging/$package
    mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$package" "$to"
    cp "$staging/copyright" "$root/usr/share/doc/$package/copyright"
    gzip --no-name --best < CHANGELOG.md > "$root/usr/share/doc/$package/changelog.gz"
    cat > "$root/DEBIAN/control" << END
Package: $package
Version: $version
Architecture: $architecture
Maintainer: The sortwell developers <sortwell@localhost>
Installed-Size: $(du --summarize --apparent-size --block-size=1024 "$root/usr" | cut -f 1)
Depends: $depends
Section: $section
Priority: optional
Description: $title
 $text
END
    if [[ $package == libsortwell0 ]]; then
        printf 'libsortwell 0 libsortwell0 (>= %s)\n' "$version" > "$root/DEBIAN/shlibs"
        printf 'activate-noawait ldconfig\n' > "$root/DEBIAN/triggers"
    fi
    (cd "$root" && find usr -type f -print0 | LC_ALL=C sort --zero-terminated \
        | xargs -0 md5sum > DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$root"
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$root" "$to" > /dev/null
    echo "$to/${package}_${version}_$architecture.deb"
}

text='It sorts files far larger than memory at the speed of the disks, within a given memory.'
# A failure within an argument would go unnoticed.
depends=$(needed sortwell)
pack sortwell utils "$depends" "sort of files larger than memory" "$text"
depends=$(needed libsortwell0)
pack libsortwell0 libs "$depends" "sort of data larger than memory, library" "$text"
pack libsortwell-dev libdevel "libsortwell0 (= $version), libc6-dev" \
    "sort of data larger than memory, files for development" "$text"
