"""Counts the production lines of all crates: Rust files below src, without unit tests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path


def is_production(path: Path) -> bool:
    """Returns whether a file below `crates` is built into a library or a program."""
    return "src" in path.parts and not {"tests", "tests.rs"} & set(path.parts)


def main() -> None:
    """Prints the lines of each crate, and of all."""
    lines: Counter[str] = Counter()
    root = Path(__file__).resolve().parent.parent / "crates"
    for path in root.rglob("*.rs"):
        if is_production(path.relative_to(root)):
            crate = path.relative_to(root).parts[0]
            lines[crate] += len(path.read_text(encoding="utf-8").splitlines())
    for crate, count in lines.most_common():
        print(f"{count:7} {crate}")
    print(f"{lines.total():7} all")


if __name__ == "__main__":
    main()
