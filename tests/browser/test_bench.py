"""The page of a bench in a real browser: what was measured, what papers printed, and its charts."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import browser
from case import COLOURS, FIXTURES, PageCase
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

PAGES = {"bench": ["bench"]}
DASH = "\N{EN DASH}"
# Findings with one thing in them made into another; what goes wrong is given back.
MUTATE = """
const faults = [];
const wrong = [null, true, 'text', -1, 0, 1e300, [], {}, [null, 'x', -1, {}, [[]]],
  { toString: 1, valueOf: 1 }];
const { bench: given } = JSON.parse(document.getElementById('sorts').textContent);
let tried = 0;
const attempt = (path, value) => {
  const finding = structuredClone(given);
  const last = path.slice(0, -1).reduce((inside, key) => inside[key], finding);
  if (value === undefined && Array.isArray(last)) last.splice(path[path.length - 1], 1);
  else if (value === undefined) delete last[path[path.length - 1]];
  else last[path[path.length - 1]] = value;
  tried += 1;
  try { make('main', null, benchOf(finding)); }
  catch (error) { faults.push(`${path.join('.')} = ${JSON.stringify(value)}: ${error}`); }
};
const walk = (inside, path) => {
  for (const key of Object.keys(inside)) {
    // Few of each list do: it is every kind of thing that is tried, not every one.
    if (Array.isArray(inside) && key > 2) continue;
    for (const value of [...wrong, undefined]) attempt([...path, key], value);
    if (inside[key] && typeof inside[key] === 'object') walk(inside[key], [...path, key]);
  }
};
walk(given, []);
return [tried, faults];
"""
# What a line of the first chart is drawn with, by the keys of uPlot.
LINES = "return [...everyChart][0].series.slice(1).map(({ show, dash }) => [show, Boolean(dash)])"
SPAN = "const { min, max } = [...everyChart][0].scales.x; return [min, max]"


class Bench(PageCase):
    """The page of a finding: lines over sizes, tables of all kinds of cells."""

    files = PAGES

    def setUp(self) -> None:
        """Every test begins with the page."""
        super().setUp()
        self.open("bench")

    def changed(self, change: dict) -> None:
        """Opens the page of the same finding with some of its parts exchanged."""
        finding = json.loads((FIXTURES / "bench.json").read_text())
        path = Path(self.folder.name) / "changed.json"
        path.write_text(json.dumps({**finding, **change}))
        self.open(self.page("changed", [path]))

    def values(self) -> list[str]:
        """What stands beside the lines of the first chart."""
        return [value.text for value in self.find("[data-chart=lines-0] .value")]

    def hover(self, share: float) -> None:
        """Points at a place of the first chart, from 0 at its left to 1."""
        over = self.find("[data-chart=lines-0] .u-over")[0]
        aside = int((share - 0.5) * (over.size["width"] - 2))
        ActionChains(self.driver).move_to_element_with_offset(over, aside, 0).perform()

    def rows(self, table) -> list[list[str]]:
        """The words of a table's rows."""
        found = table.find_elements(By.CSS_SELECTOR, "tbody tr")
        return [[cell.text for cell in row.find_elements(By.XPATH, "*")] for row in found]

    def test_headline(self) -> None:
        """What was asked, the answer, and where it was measured stand on top."""
        self.assertEqual(self.text("h1"), "One sort at sizes from 10 MB to 10 GB")
        self.assertIn("two threads take 0.63 of the time", self.text(".answer"))
        self.assertEqual(self.text("#what"), "bench scale")
        self.assertIn(f"12.4\n12.0{DASH}13.0 in 5 runs", self.text(".tiles"))
        setting = ["Example Processor 9000", "8 GiB", "6.1.0", "/dev/sda1", "cold: dropped"]
        for words in [*setting, "2026-11-22 12:00:00 UTC", "sortwell bench scale /data --runs 5"]:
            self.assertIn(words, self.text(".setting"))
        self.assertEqual(len(self.find(".advice li")), 3)

    def test_charts_are_drawn(self) -> None:
        """Both have lines on them; printed ones are dashed and name their paper."""
        self.assertEqual(len(self.find("canvas")), 2)
        self.assertGreater(min(self.run_script(COLOURS)), 8)
        self.assertEqual(self.run_script(LINES), [[True, False], [True, False], [True, True]])
        scales = "return [...everyChart].map(({ scales: { x, y } }) => [x.distr, y.distr])"
        self.assertEqual(self.run_script(scales), [[3, 3], [1, 1]])
        self.assertIn("Figure 4, page 11", self.text(".lines .source"))
        self.assertEqual(self.text(".across"), "GB sorted")
        self.assertEqual(browser.requests(self.driver), [self.pages["bench"].as_uri()])

    def test_hover_tells_values(self) -> None:
        """Each line says its value where it has one, and a dash where only others have."""
        self.assertEqual(self.values(), ["measured", "measured", "printed"])
        self.hover(0)
        self.assertEqual(self.values(), ["0.0210", "0.0200", DASH])
        self.assertEqual(self.text("output"), "GB sorted: 0.01")
        self.hover(1)
        self.assertEqual(self.values(), ["19.8", "12.4", DASH])
        ActionChains(self.driver).move_to_element(self.find("h1")[0]).perform()
        self.assertEqual(self.values(), ["measured", "measured", "printed"])

    def test_lines_are_switched(self) -> None:
        """A button a line, by mouse and by keys."""
        button = self.find("[data-chart=lines-0] .legend button")[2]
        button.click()
        self.assertEqual([shown for shown, _ in self.run_script(LINES)], [True, True, False])
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        button.send_keys(Keys.SPACE)
        self.assertEqual([shown for shown, _ in self.run_script(LINES)], [True, True, True])

    def test_keyboard(self) -> None:
        """Arrows go from place to place of all lines; plus zooms by factors, Escape shows all."""
        chart = self.find("[data-chart=lines-0] .chart")[0]
        chart.send_keys(Keys.HOME)
        self.assertEqual(self.text("output"), "GB sorted: 0.01")
        chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.text("output"), "GB sorted: 0.05")
        self.assertEqual(self.values(), [DASH, DASH, "2.90"])
        chart.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.values(), ["0.112", "0.0780", "7"])
        whole = self.run_script(SPAN)
        self.assertLess(whole[0], 0.01)
        self.assertGreater(whole[1], 10)
        chart.send_keys("+")
        browser.until(lambda: self.run_script(SPAN) != whole, "a part is shown")
        self.assertGreater(self.run_script(SPAN)[0], 0)
        self.assertLess(self.run_script(SPAN)[1], 5)
        chart.send_keys(Keys.ESCAPE)
        browser.until(lambda: self.run_script(SPAN) == whole, "all is shown again")

    def test_measured_and_printed_are_apart(self) -> None:
        """Each part has its own tables, and each printed one its paper and page under it."""
        parts = {part.text.split("\n")[0]: part for part in self.find("section")}
        measured, printed = parts["Measured here"], parts["Printed in the papers"]
        self.assertEqual(len(measured.find_elements(By.CSS_SELECTOR, "div.found")), 3)
        self.assertEqual(measured.find_elements(By.CSS_SELECTOR, ".source"), [])
        tables = printed.find_elements(By.CSS_SELECTOR, "div.found")
        self.assertEqual(len(tables), 2)
        for table, place in zip(tables, ["Table 2, page 7 of Nobody", "section 6, page 9"]):
            self.assertIn(place, table.find_element(By.CSS_SELECTOR, ".source").text)
        papers = printed.find_elements(By.CSS_SELECTOR, ".references li")
        self.assertIn("Proceedings of Nothing 1994", papers[0].text)
        paper = "return getComputedStyle(arguments[0]).borderTopStyle"
        self.assertEqual(self.driver.execute_script(paper, printed), "dashed")

    def test_cells(self) -> None:
        """Figures, ranges of several runs, and words; figures stand to the right."""
        tables = self.find(".found table")
        self.assertEqual(self.rows(tables[0]), [["10", "12.4", f"12.0{DASH}13.0", "806", "2"]])
        steps = self.rows(tables[2])
        self.assertEqual(steps[0], ["1 launch the program", "0.0120", f"0.0116{DASH}0.0126"])
        self.assertEqual(steps[5], ["7 end the program", "0.0010", ""], "of a single run")
        printed = self.find(".printed table")[0]
        self.assertEqual(self.rows(printed)[1][3:], ["100", "8.2*", ".2", "1+"], "as printed")
        side = "return [...arguments[0].querySelectorAll('tbody tr:first-child > *')]"
        side += ".map((cell) => getComputedStyle(cell).textAlign)"
        sides = ["left"] * 3 + ["right"] * 4
        self.assertEqual(self.driver.execute_script(side, printed), sides)
        bar = self.find(".found .stack > span")
        self.assertEqual(len(bar), 6)
        self.assertIn("3 read the input", bar[2].get_attribute("title"))

    def test_tables_for_those_who_see_no_charts(self) -> None:
        """Charts have their figures, and samples are all there."""
        for details in self.find("details"):
            self.driver.execute_script("arguments[0].open = true", details)
        of_chart = self.rows(self.find(".lines details table")[0])
        self.assertEqual(len(of_chart), 10, "places of all lines together")
        self.assertEqual(of_chart[2], ["0.05", DASH, DASH, "2.90"])
        samples = self.rows(self.find("details.found table")[0])
        self.assertEqual(len(samples), 14)
        self.assertEqual(samples[0][:2], ["0.01 GB, 1 thread", "s"])
        self.assertEqual(len(samples[0][2].split()), 5)
        for table in self.find("table"):
            self.assertTrue(table.find_elements(By.CSS_SELECTOR, "caption"))
            heads = table.find_elements(By.CSS_SELECTOR, "th")
            self.assertTrue(all(head.get_attribute("scope") in ("col", "row") for head in heads))

    def test_a_phone_is_wide_enough(self) -> None:
        """Nothing sticks out of a narrow page."""
        for opened_wide in [False, True]:
            with self.subTest(opened_wide=opened_wide):
                self.assert_narrow("bench", opened_wide)

    def test_light_and_dark(self) -> None:
        """As the system prefers; charts are drawn in other colours then."""
        paper = "return getComputedStyle(document.body).backgroundColor"
        light = self.run_script(paper)
        browser.look(self.driver, dark=True)
        browser.until(lambda: self.run_script(paper) != light, "the page is dark")
        self.assertGreater(min(self.run_script(COLOURS)), 8)

    def test_findings_are_never_markup(self) -> None:
        """Words that would be a script are read as words, wherever they stand."""
        evil = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"

        def poisoned(value: object) -> object:
            if isinstance(value, dict):
                return {key: poisoned(inside) for key, inside in value.items()}
            if isinstance(value, list):
                return [poisoned(inside) for inside in value]
            return evil if isinstance(value, str) and value != "measured" else value

        finding = json.loads((FIXTURES / "bench.json").read_text())
        self.changed(poisoned(finding))
        self.assertIn(evil, self.text("h1"))
        self.assertIn(evil, self.text(".source"))
        self.assertEqual(self.find("img"), [])
        self.assertIsNone(self.run_script("return window.evil ?? null"))

    def test_findings_of_any_shape(self) -> None:
        """Whatever is missing or of another kind, the page goes without it."""
        tried, faults = self.run_script(MUTATE)
        self.assertGreater(tried, 1000)
        self.assertEqual(faults, [])
        self.changed(dict.fromkeys(["title", "answer", "about", "charts", "setting"]))
        self.assertEqual(self.text("h1"), "Scale")
        self.changed({"tables": [{"title": "Of whom?", "rows": [[1]]}]})
        self.assertIn("source not given", self.text(".printed"), "never shown as measured")

    def test_charts_of_any_points(self) -> None:
        """Charts are drawn of what has a place on their axes, and the page does not hang."""
        cases = {
            "one point": ([[1, 1]], 1, 1),
            "twice at a place": ([[1, 1], [1, 2], [1, 3], [2, 1]], 1, 1),
            "backwards": ([[3, 1], [2, 2], [1, 3]], 1, 1),
            "nought and below": ([[0, 0], [-1, -2], [1, -3]], 0, 1),
            "beyond all": ([[1e300, 1e300], [1, -1e300]], 0, 0),
            "far apart": ([[1e-15, 1e15], [1e15, 1e-15]], 1, 1),
            "no points": ([None, [], "x", [None, 1], ["1", 1], {"0": 1}], 0, 0),
        }
        for name, (points, by_factors, by_steps) in cases.items():
            for is_log in [True, False]:
                with self.subTest(name, logarithmic=is_log):
                    line = {"name": "a", "source": "measured", "points": points}
                    self.changed({"charts": [{"logarithmic": is_log, "lines": [line]}]})
                    expected = by_factors if is_log else by_steps
                    self.assertEqual(len(self.find("canvas")), expected)
                    self.assertEqual(browser.complaints(self.driver), [])


if __name__ == "__main__":
    unittest.main()
