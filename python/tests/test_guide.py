"""The examples of pages with Python: each works, and prints what the page shows."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

EXAMPLE = re.compile(r"```(sh|python)\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)
ROOT = Path(__file__).resolve().parents[2]


def examples(page):
    """Yields the language and the text of each example, and the output that follows, or None."""
    for language, text, shown in EXAMPLE.findall(page):
        yield language, text, shown or None


class Pages(unittest.TestCase):
    """Pages as a reader would type them."""

    # Else an example would join the cluster of another test that runs on this machine.
    @unittest.mock.patch.dict(os.environ, RAY_ADDRESS="local")
    def test_pages(self):
        paths = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
        pages = {path.name: path.read_text() for path in paths}
        pages = {name: page for name, page in pages.items() if "```python\n" in page}
        known = {"README.md", "python.md", "data-frames.md", "indexes.md", "cluster.md"}
        self.assertLessEqual(known, pages.keys())
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        for name, page in pages.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                self.assertGreater(self.run_page(page), 0)

    def run_page(self, page):
        """Runs the examples in one folder and namespace. Returns the number of outputs compared."""
        names, compared = {}, 0
        path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
        for language, text, shown in examples(page):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                if language == "python":
                    exec(text, names)
                else:
                    shell = ["sh", "-e", "-c", text]
                    environment = os.environ | {"PATH": path}
                    done = subprocess.run(shell, env=environment, check=True, capture_output=True)
                    print(done.stdout.decode(), end="")
            if shown is not None:
                self.assertEqual(printed.getvalue(), shown, text)
                compared += 1
        return compared


if __name__ == "__main__":
    unittest.main()
