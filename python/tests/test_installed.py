"""The time of an import, and what the wheel has installed."""

import sysconfig
import unittest
from pathlib import Path

from test_memory import run

import sortwell


class Installed(unittest.TestCase):
    """The package as pip installs it."""

    def test_import_time(self):
        # Processor time, as other programs may run. They also make the processor slower at times.
        code = (
            "import time; b = time.process_time(); import sortwell; print(time.process_time() - b)"
        )
        times = [float(run("-c", code)) for _ in range(7)]
        self.assertLess(min(times), 0.05)

    def test_no_dependency_is_imported(self):
        others = "('numpy', 'pyarrow', 'polars', 'pandas')"
        code = f"import sys, sortwell; print([m for m in {others} if m in sys.modules])"
        self.assertEqual(run("-c", code), "[]\n")

    def test_command_and_its_pages(self):
        self.assertEqual(
            Path(sysconfig.get_path("scripts"), "sortwell").read_bytes()[:4], b"\x7fELF"
        )
        share = Path(sysconfig.get_path("data"), "share")
        for name in ("sortwell", "sortwell-sort"):
            self.assertIn(".TH", (share / "man/man1" / f"{name}.1").read_text())
        self.assertIn("sortwell", (share / "bash-completion/completions/sortwell").read_text())

    def test_documentation(self):
        for name in sortwell.__all__:
            with self.subTest(name):
                self.assertTrue(name == "__version__" or getattr(sortwell, name).__doc__)
        self.assertTrue(Path(sortwell.__file__).with_name("py.typed").exists())


if __name__ == "__main__":
    unittest.main()
