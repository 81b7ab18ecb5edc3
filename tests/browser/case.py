"""What tests of pages have in common: a browser for each class, its pages, and eyes.

Pages are made by the command at $SORTWELL of the JSON under fixtures, whose figures are made up.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

import browser
from selenium.webdriver.common.by import By

FIXTURES = Path(__file__).resolve().parent / "fixtures"
PHONE = 390
# How many colours a canvas has on it, and whether anything at all.
COLOURS = """
return [...document.querySelectorAll('canvas')].map((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
});
"""


class PageCase(unittest.TestCase):
    """One browser for all of a class; every test opens the pages it needs."""

    # The pages of the class: of which fixtures each is made.
    files: ClassVar[dict[str, list[str]]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        """Makes the pages and starts the browser."""
        cls.folder = tempfile.TemporaryDirectory(prefix="sortwell-browser-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = Path(os.environ["SORTWELL"]).resolve()
        cls.pages = {
            name: cls.page(name, [FIXTURES / f"{which}.json" for which in fixtures])
            for name, fixtures in cls.files.items()
        }
        cls.driver = browser.start()
        cls.addClassCleanup(cls.driver.quit)

    @classmethod
    def page(cls, name: str, files: list[Path]) -> Path:
        """A page of some files."""
        page = Path(cls.folder.name) / f"{name}.html"
        subprocess.run([cls.program, "report", *files, "-o", page], check=True)
        return page

    def setUp(self) -> None:
        """Every test begins in the light, with room."""
        browser.look(self.driver)

    def tearDown(self) -> None:
        """No page ever complains, or leaves itself."""
        self.assertEqual(browser.complaints(self.driver), [])
        asked = browser.requests(self.driver)
        self.assertTrue(all(address.startswith(("file:", "about:")) for address in asked), asked)
        self.assertTrue(all(address.endswith((".html", "blank")) for address in asked), asked)

    def open(self, page: str | Path) -> None:
        """Opens a page, by its name or its path."""
        browser.show(self.driver, self.pages[page] if isinstance(page, str) else page)

    def find(self, selector: str) -> list:
        """Elements."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "body") -> str:
        """What can be read in the first of these elements."""
        return self.find(selector)[0].text

    def run_script(self, script: str) -> object:
        """What a script gives back."""
        return self.driver.execute_script(script)

    def assert_narrow(self, name: str, opened_wide: bool) -> None:
        """Nothing sticks out of a page on a phone, opened so or made so, with all of it opened."""
        browser.look(self.driver, width=1200 if opened_wide else PHONE)
        self.open(name)
        for details in self.find("details"):
            self.driver.execute_script("arguments[0].open = true", details)
        browser.look(self.driver, width=PHONE)
        width = "return document.documentElement.scrollWidth"
        browser.until(lambda: self.run_script(width) <= PHONE, f"{name} is narrow")
