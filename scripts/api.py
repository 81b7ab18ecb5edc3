#!/usr/bin/env python3
"""Writes the public surface of the crate sortwell to crates/sortwell/api.txt.

It takes a nightly Rust and cargo-public-api (cargo install cargo-public-api --locked). A test
compares the items of the root with the file.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "crates" / "sortwell" / "src"
HEAD = "# The public surface of the crate sortwell; make api writes it anew.\n"


def surface(package: str, *options: str) -> list[str]:
    """Returns the public items of a package, one a line, without implementations of traits."""
    command = ["cargo", "+nightly", "public-api", "-p", package, "-sss", "--color", "never"]
    command += ["--target-dir", str(ROOT / "target" / "api"), *options]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


def main() -> None:
    """Writes the file."""
    own = surface("sortwell", "--features", "serde")
    reexported = [line.rpartition("::")[2] for line in own if line.startswith("pub use ")]
    own = [line for line in own if not line.startswith(("pub use ", "pub mod ", "impl "))]
    own = list(dict.fromkeys(own))  # an implementation comes under its trait and its type
    item = re.compile(r"pub (?:struct|trait|type(?= sortwell::\w+ =)) sortwell::(\w+)")
    jobs = [found[1] for found in map(item.match, own) if found]
    # An item of another crate comes under its first public path. Where several items of the engine
    # have one name, the path in the source of the crate tells which is meant.
    sources = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.rs"))
    paths = {path.rpartition("::")[2]: path for path in re.findall(r"pub use ([\w:]+);", sources)}
    others = surface("sortwell-engine") + surface("sortwell-index")
    others = [line for line in others if not line.startswith("impl ")]
    crates = "sortwell_(?:engine|index)"
    subject = re.compile(rf"({crates}(?:::[a-z_]+)*::)(\w+)")
    declared = re.compile(rf"pub (?:struct|enum|trait|type) ({crates}(?:::[a-z_]+)*::\w+)")
    places: dict[str, set[str]] = {}
    for found in filter(None, map(declared.search, others)):
        places.setdefault(found[1].rpartition("::")[2], set()).add(found[1])
    inherited = set()
    for line in others:
        found = subject.search(line)
        if not found or found[2] not in reexported or line.startswith("pub use "):
            continue
        is_alone = len(places.get(found[2], ())) <= 1
        if is_alone or found[0] == paths[found[2]]:
            inherited.add(line.replace(found[1], "sortwell::", 1))
    items = [f"item {name}" for name in sorted(reexported + jobs)]
    text = HEAD + "\n".join([*items, "", *own, *sorted(inherited)]) + "\n"
    (ROOT / "crates" / "sortwell" / "api.txt").write_text(text, encoding="utf-8")
    print(f"{len(items)} public items")


if __name__ == "__main__":
    sys.exit(main())
