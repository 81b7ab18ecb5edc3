#!/usr/bin/env bash
# Gets programs from Debian's packages, where root may; each is COMMAND=PACKAGE. Programs that are
# there are left as they are. Fails if one is missing afterwards.

set -euo pipefail
cd "$(dirname "$0")/.."

log=target/debian.log
packages=()
for program; do
    command -v "${program%%=*}" > /dev/null || packages+=("${program#*=}")
done
((${#packages[@]} > 0)) || exit 0
if [[ $EUID == 0 ]] && command -v apt-get > /dev/null; then
    mkdir -p target
    echo "debian: installing ${packages[*]} by apt-get"
    { apt-get update && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${packages[@]}"; } > "$log" 2>&1 && exit 0
    tail -n 5 "$log" >&2
fi
echo "debian: missing: ${packages[*]}" >&2
exit 1
