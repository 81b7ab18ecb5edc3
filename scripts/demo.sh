#!/usr/bin/env bash
# The whole of sortwell once: make records, sort them, check them, and put the time beside that of a
# plain copy of the same file. Leaves nothing behind but the build.
#
# DEMO_RECORDS   how many 100-byte records (10 million, fewer where the disk is too full)
# DEMO_DIR       where the data goes (target/demo); it is removed at the end
# BIN            the command; without it, the demo builds one

set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

readonly record_bytes=100
# Input, output and a copy or spilled runs at once, and room to spare: 5 GB for 1 GB of records.
readonly space_factor=5
directory=${DEMO_DIR:-target/demo}

say() { printf '%s\n' "$@"; }
fail() { printf 'demo: %s\n' "$*" >&2; exit 1; }

require_tools() {
    local missing=()
    command -v cargo > /dev/null || missing+=("cargo (Rust: https://rustup.rs)")
    command -v cc > /dev/null || missing+=("cc (a C compiler, which Rust links with)")
    ((${#missing[@]} == 0)) || fail "missing: $(printf '%s; ' "${missing[@]}")install and try again"
}

# Sets `records`: what was asked for, or 10 million, or as many as the disk has room for.
choose_records() {
    local free_bytes most
    free_bytes=$(($(df -Pk "$directory" | awk 'NR == 2 { print $4 }') * 1024))
    most=$((free_bytes / record_bytes / space_factor))
    records=${DEMO_RECORDS:-10000000}
    if ((records > most)); then
        say "only $((free_bytes / 1000000)) MB free in $directory: $most records, not $records"
        records=$most
    fi
    ((records > 0)) || fail "no room for records in $directory; set DEMO_DIR to another place"
    bytes=$((records * record_bytes))
}

# Does a step and sets `took_us`.
timed() {
    local start=${EPOCHREALTIME/./}
    "$@"
    took_us=$((${EPOCHREALTIME/./} - start))
}

# Drops the file from the page cache, so that a step begins by reading the disk; needs no rights.
# Where dd cannot do it, `temperature` says so.
temperature=cold
cool() {
    sync "$1" 2> /dev/null || sync
    dd if="$1" iflag=nocache count=0 status=none 2> /dev/null || temperature="as cached"
}

copy_durably() {
    cp --reflink=never "$1" "$2" 2> /dev/null || cp "$1" "$2"
    sync "$2" 2> /dev/null || sync
}

# A line of the table: name, microseconds, note. Bytes by microseconds are megabytes by seconds.
line() {
    printf '  %-11s %3d.%02d s %6d MB/s   %s\n' \
        "$1" $(($2 / 1000000)) $(($2 / 10000 % 100)) $((bytes / $2)) "$3"
}

sortwell=${BIN:-${CARGO_TARGET_DIR:-target}/release/sortwell}
if [[ -z ${BIN:-} ]]; then
    require_tools
    say "building (the first time takes a minute or two)"
    cargo build --release --quiet --package sortwell-cli --bin sortwell
fi

# A demo that was killed may have left its own folder; anyone else's is not ours to remove.
[[ -n ${DEMO_DIR:-} ]] || rm -rf "$directory"
[[ ! -e $directory ]] || fail "$directory exists already; remove it or choose another DEMO_DIR"
mkdir -p "$directory"
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM
choose_records
say "$records records of $record_bytes bytes, $((bytes / 1000000)) MB, in $directory"

timed "$sortwell" generate "$records" "$directory/input"
generate_us=$took_us

cool "$directory/input"
say "" "sortwell sort:"
timed "$sortwell" sort --format "fixed:$record_bytes" --key 0..10 --stats text \
    --output "$directory/sorted" "$directory/input"
sort_us=$took_us

say "" "sortwell validate:"
timed "$sortwell" validate "$directory/sorted"
validate_us=$took_us
rm "$directory/sorted"

cool "$directory/input"
timed copy_durably "$directory/input" "$directory/copy"
copy_us=$took_us

say "" "$((bytes / 1000000)) MB, input $temperature:"
line generate "$generate_us" ""
line sort "$sort_us" "from disk to durable, proven output"
line validate "$validate_us" ""
line "plain copy" "$copy_us" "cp and sync of the same file"
hundredths=$((100 * sort_us / copy_us))
printf 'sorting took %d.%02d times as long as copying\n' $((hundredths / 100)) $((hundredths % 100))
