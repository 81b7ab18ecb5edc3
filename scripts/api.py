#!/usr/bin/env python3
"""Writes the public surface of the crate sortwell to crates/sortwell/api.txt.

It takes a nightly Rust and cargo-public-api (cargo install cargo-public-api). A test compares the
items of the root with the file.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = "# The public surface of the crate sortwell; make api writes it anew.\n"


def surface(package: str) -> list[str]:
    """Returns the public items of a package, one a line, without implementations of traits."""
    command = ["cargo", "+nightly", "public-api", "-p", package, "-sss", "--color", "never"]
    command += ["--target-dir", str(ROOT / "target" / "api")]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


def main() -> None:
    """Writes the file."""
    own = surface("sortwell")
    reexported = [line.rpartition("::")[2] for line in own if line.startswith("pub use ")]
    own = [line for line in own if not line.startswith(("pub use ", "pub mod ", "impl "))]
    jobs = [line.rpartition("::")[2] for line in own if line.startswith("pub struct ")]
    # An item of the engine comes under its first public path; the crate's root has all of them.
    subject = re.compile(r"(sortwell_engine(?:::[a-z_]+)*::)(\w+)")
    inherited = set()
    for line in surface("sortwell-engine"):
        found = subject.search(line)
        if found and found[2] in reexported and not line.startswith(("impl ", "pub use ")):
            inherited.add(line.replace(found[1], "sortwell::", 1))
    items = [f"item {name}" for name in sorted(reexported + jobs)]
    text = HEAD + "\n".join([*items, "", *own, *sorted(inherited)]) + "\n"
    (ROOT / "crates" / "sortwell" / "api.txt").write_text(text, encoding="utf-8")
    print(f"{len(items)} public items")


if __name__ == "__main__":
    sys.exit(main())
