"""Takes a picture of a report page: picture.py PAGE.html PICTURE.png [WIDTH [HEIGHT]].

docs/report.png is one of a two-pass sort, 1200 wide and 1740 high. Run it with the Python that
`make browser` got ready, which has selenium.
"""

from __future__ import annotations

import sys
from pathlib import Path

import browser

page, picture, *size = sys.argv[1:]
width, height = [*map(int, size), 1200, 1740][:2] if len(size) != 1 else (int(size[0]), 1740)
driver = browser.start()
try:
    browser.look(driver, width, height)
    browser.show(driver, Path(page))
    driver.save_screenshot(picture)
finally:
    driver.quit()
