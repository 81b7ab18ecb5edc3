"""The Python examples of the README and the guides: each works, and prints what the page shows."""

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def examples(page):
    """Yields the examples of a page, with the output that follows directly, or None."""
    for part in page.split("```python\n")[1:]:
        code, rest = part.split("```\n", 1)
        rest = rest.lstrip("\n")
        shown = rest.removeprefix("```text\n")
        yield code, None if shown == rest else shown.split("```")[0]


class Pages(unittest.TestCase):
    """Pages as a reader would type them."""

    def test_pages(self):
        paths = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
        pages = {path.name: path.read_text() for path in paths}
        pages = {name: page for name, page in pages.items() if "```python\n" in page}
        self.assertLessEqual({"README.md", "python.md", "data-frames.md"}, pages.keys())
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        for name, page in pages.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                self.assertGreater(self.run_page(page), 0)

    def run_page(self, page):
        """Runs the examples in one namespace. Returns the number of outputs compared."""
        names, compared = {}, 0
        for code, shown in examples(page):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(code, names)
            if shown is not None:
                self.assertEqual(printed.getvalue(), shown)
                compared += 1
        return compared


if __name__ == "__main__":
    unittest.main()
