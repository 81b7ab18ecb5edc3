"""Pages word for word: what fixed statistics and findings say, with all of it opened.

The words lie beside the fixtures. After a change that is meant, write them anew and read the
difference: GOLDEN=write make test-browser.
"""

from __future__ import annotations

import os
import unittest
from typing import ClassVar

from case import FIXTURES, PageCase

WORDS = """
for (const details of document.querySelectorAll('details')) details.open = true;
return document.getElementById('main').innerText;
"""


class Golden(PageCase):
    """Every page of one fixture, and one of several."""

    files: ClassVar[dict[str, list[str]]] = {
        "one-pass": ["one-pass"],
        "two-pass": ["two-pass"],
        "older": ["older"],
        "several": ["one-pass", "two-pass"],
        "bench": ["bench"],
    }

    def test_pages_say_what_they_said(self) -> None:
        """Words, figures, units and their order."""
        for name in self.files:
            with self.subTest(name):
                self.open(name)
                said = "\n".join(line.rstrip() for line in self.run_script(WORDS).splitlines())
                golden = FIXTURES / f"{name}.txt"
                if os.environ.get("GOLDEN") == "write":
                    golden.write_text(said + "\n")
                self.maxDiff = None
                self.assertEqual(said + "\n", golden.read_text())


if __name__ == "__main__":
    unittest.main()
