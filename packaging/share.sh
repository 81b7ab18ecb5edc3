#!/usr/bin/env bash
# Writes the manual pages and the completions of a command into a share directory:
#
#     packaging/share.sh COMMAND DIRECTORY

set -euo pipefail

command=$1
share=$2

"$command" man --to "$share/man/man1"
while read -r shell file; do
    mkdir -p "$(dirname "$share/$file")"
    "$command" completions "$shell" > "$share/$file"
done << 'END'
bash bash-completion/completions/sortwell
zsh zsh/site-functions/_sortwell
fish fish/vendor_completions.d/sortwell.fish
END
