"""A headless Chromium that opens pages of this machine, and what it said and asked for meanwhile.

`CHROMIUM` and `CHROMEDRIVER` name the programs; scripts/browser.sh finds them.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Callable

from selenium import webdriver
from selenium.webdriver.chrome.webdriver import WebDriver

WAIT_SECONDS = 10


def start() -> WebDriver:
    """A browser without a window, which notes what pages say and ask for."""
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ.get("CHROMIUM", "chromium")
    words = ["headless=new", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"]
    # Its sandbox refuses to work for root; the pages are our own.
    words += ["no-sandbox"] if os.geteuid() == 0 else []
    for word in words:
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(os.environ.get("CHROMEDRIVER", "chromedriver"))
    return webdriver.Chrome(options=options, service=service)


def look(driver: WebDriver, width: int = 1200, height: int = 900, dark: bool = False) -> None:
    """Sets the size of the window, and what the system prefers."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def show(driver: WebDriver, page: Path) -> None:
    """Opens a file and waits until it is drawn; what was noted before is forgotten."""
    driver.get("about:blank")
    requests(driver)
    complaints(driver)
    driver.get(page.resolve().as_uri())
    # Charts are drawn when they have a width, which is after the page is loaded.
    settled = "return document.querySelectorAll('.chart').length === everyChart.size"
    until(lambda: driver.execute_script(settled), "charts are drawn")
    driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 50))")


def until(holds: Callable[[], object], what: str) -> None:
    """Waits for something to become true."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {WAIT_SECONDS} s: {what}")
        time.sleep(0.02)


def complaints(driver: WebDriver) -> list[str]:
    """What the console said since the last time."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver: WebDriver) -> list[str]:
    """The addresses that were asked for since the last time."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
