"""Takes a picture of a report page: picture.py PAGE.html PICTURE.png [WIDTH HEIGHT].

docs/report.png is one of a two-pass sort, 1040 wide and 1300 high. Run it with the Python that
`make browser` got ready, which has selenium.
"""

from __future__ import annotations

import sys
from pathlib import Path

import browser

page, picture, *size = sys.argv[1:]
width, height = map(int, size or (1040, 1300))
driver = browser.start()
try:
    browser.look(driver, width, height)
    browser.show(driver, Path(page))
    driver.save_screenshot(picture)
finally:
    driver.quit()
