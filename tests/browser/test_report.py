"""The report page of sorts in a real browser: it draws, it answers, it asks nobody for anything.

Of the statistics under fixtures: two passes, one pass, and those of a version that recorded less,
behind a line of words.
"""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import browser
from case import COLOURS, FIXTURES, PageCase
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

PAGES = {
    "two": ["two-pass"],
    "one": ["one-pass"],
    "older": ["older"],
    "several": ["two-pass", "older", "one-pass"],
}
# Pages of statistics with one thing in them made into another; what goes wrong is given back.
MUTATE = """
const faults = [];
const wrong = [null, 'text', -1, 1e300, [], {}, [null, 'x', -1, {}]];
const given = JSON.parse(document.getElementById('sorts').textContent)[0].stats;
// Few samples do: it is every kind of thing that is tried, not every one.
for (const [key, values] of Object.entries(given.timeline)) {
  if (Array.isArray(values)) given.timeline[key] = values.slice(0, 4);
}
const required = ['records', 'bytes', 'seconds', 'passes'];
let tried = 0;
const attempt = (path, value) => {
  const stats = structuredClone(given);
  const last = path.slice(0, -1).reduce((inside, key) => inside[key], stats);
  last[path[path.length - 1]] = value;
  const sort = { name: 's', stats };
  tried += 1;
  try {
    headline(sort); tiles(stats); proofLine(stats); reportOf(sort); comparison([sort, sort]);
    widePlan(planOf(stats), 900); tallPlan(planOf(stats), 360);
  } catch (error) { faults.push(`${path.join('.')} = ${JSON.stringify(value)}: ${error}`); }
};
const walk = (inside, path) => {
  for (const key of Object.keys(inside)) {
    // What every statistics has was looked at before the page was made.
    const isRequired = path.length === 0 && required.includes(key);
    if (Array.isArray(inside) && key > 0) continue;
    for (const value of wrong) {
      if (!isRequired || typeof value === 'number') attempt([...path, key], value);
    }
    if (inside[key] && typeof inside[key] === 'object') walk(inside[key], [...path, key]);
  }
};
walk(given, []);
return [tried, faults];
"""


class Report(PageCase):
    """Pages of sorts."""

    files = PAGES

    def button(self, name: str):
        """The button of a line in the first chart, and beside it its value."""
        found = [one for one in self.find(".legend button") if one.text.startswith(name)]
        return found[0], found[0].find_element(By.CSS_SELECTOR, ".value")

    def test_pages_open_and_draw(self) -> None:
        """Every page opens from a file; charts are no blank sheets."""
        charts = {"two": 5, "one": 4, "older": 0, "several": 1}
        for name, expected in charts.items():
            with self.subTest(name):
                self.open(name)
                self.assertEqual(len(self.find("canvas")), expected)
                colours = self.run_script(COLOURS)
                self.assertTrue(all(number > 8 for number in colours), colours)
                self.assertGreater(len(self.find("section h2")), 2)
                self.assertEqual(browser.requests(self.driver), [self.pages[name].as_uri()])

    def test_headline(self) -> None:
        """What a sort came to stands on top."""
        self.open("two")
        self.assertEqual(self.text("h1"), "50,000,000 records sorted in 8.79 s")
        for words in ["569 MB/s", "records.bin", "of 1 GiB", "Proven", "7c4e91b02f5ad8367710c3e9"]:
            self.assertIn(words, self.text())
        self.assertIn("another disk", self.text(".advice"))
        boxes = [title.text for title in self.find(".plan .title")]
        self.assertEqual(boxes, ["Input", "Memory", "Runs on disk", "Merge", "Output"])
        self.open("one")
        boxes = [title.text for title in self.find(".plan .title")]
        self.assertEqual(boxes, ["Input", "Memory", "Output"])
        self.assertEqual(self.find(".advice"), [])

    def open_changed(self, fixture: str, changes: dict) -> None:
        """Opens the page of a fixture of which some things are others."""
        stats = json.loads((FIXTURES / f"{fixture}.json").read_text()) | changes
        file = Path(self.folder.name) / "changed.json"
        file.write_text(json.dumps(stats))
        self.open(self.page("changed", [file]))

    def test_a_short_sort_has_no_empty_charts(self) -> None:
        """One sample is no line; the page says that there was no time for more."""
        one = json.loads((FIXTURES / "one-pass.json").read_text())["timeline"]
        one = {key: of[:1] if isinstance(of, list) else of for key, of in one.items()}
        self.open_changed("one-pass", {"timeline": one})
        self.assertEqual(self.find("canvas"), [])
        self.assertIn("too short for charts", self.text())

    def test_runs_merged_again_are_counted_apart(self) -> None:
        """Runs that were merged into longer ones first are no runs of their own."""
        self.open_changed("two-pass", {"runs": 90, "runs_merged_again": 40, "merge_width": 60})
        expected = "90 runs, 40 of them merged into longer ones first, merged 60 at once"
        self.assertIn(expected, self.text())

    def test_runs_of_merges_are_no_more_runs(self) -> None:
        """With many passes, more runs are merged than loads have become."""
        self.open_changed("two-pass", {"runs": 65, "runs_merged_again": 69, "merge_width": 60})
        self.assertIn("65 runs, all of them merged into longer ones first", self.text())

    def test_settings_and_the_compression_of_runs_are_shown(self) -> None:
        """The page shows the settings of the user, and the bytes that compression has saved."""
        packed = {"wanted": "auto", "choice": "zstd:1", "bytes": 690e6, "stored_bytes": 272e6}
        levers = [
            {"name": "merge width", "value": "4"},
            {"name": "compression of runs", "value": "auto"},
        ]
        self.open_changed("two-pass", {"run_compression": packed, "levers": levers})
        for words in ["Runs compressed", "zstd:1, 690 MB stored as 272 MB", "Merge width"]:
            self.assertIn(words, self.text())
        self.assertNotIn("Compression of runs", self.text())

    def test_inputs_that_are_not_named_are_counted(self) -> None:
        """Of many inputs, the first ones are named."""
        job = json.loads((FIXTURES / "one-pass.json").read_text())["job"]
        self.open_changed("one-pass", {"job": job | {"inputs": ["a", "b"], "input_count": 300}})
        self.assertIn("from a, b and 298 more", self.text())

    def test_a_small_output_has_its_own_bytes(self) -> None:
        """Whole pages are written, and cut to the length of the output."""
        streams = json.loads((FIXTURES / "one-pass.json").read_text())["streams"]
        small = {"records": 5, "bytes": 500, "streams": streams | {"output_written": 4096}}
        self.open_changed("one-pass", small)
        self.assertIn("Output\n5 records\n500 B", self.text(".plan"))

    def test_rows_that_were_left_out_are_counted(self) -> None:
        """The head says how many rows --ragged drop has left out, of jobs that have the option."""
        self.open_changed("one-pass", {"ragged_rows_dropped": 3})
        expected = "3 rows left out: a different number of cells than the header or first row."
        self.assertIn(expected, self.text())
        self.open_changed("one-pass", {"ragged_rows_dropped": None})
        self.assertNotIn("left out", self.text())

    def test_the_last_word_below_a_chart_is_whole(self) -> None:
        """Half of the last word on the axis has room beside the chart."""
        self.open("two")
        beside = (
            "const [chart] = everyChart; return chart.width - chart.bbox.left / devicePixelRatio"
        )
        beside += " - chart.bbox.width / devicePixelRatio"
        self.assertGreaterEqual(self.run_script(beside), 24)

    def test_what_the_processor_counted(self) -> None:
        """Counts for each record and in all; or a line that says why there are none."""
        title = "Processor counters"
        self.open("two")
        tiles = self.text("section > .tiles").split("\n")
        self.assertEqual(tiles[:3], ["Cycles", "963 per record", "48.1 G in total"])
        self.assertEqual(tiles[3:6], ["Instructions", "1.34 per cycle", "64.5 G in total"])
        self.assertEqual(tiles[6:8], ["Cache misses", "3.22 per record"])
        self.assertEqual(tiles[9:11], ["TLB misses", "8.05 per record"])
        self.open("one")
        self.assertIn(title, self.text())
        self.assertEqual(self.find("section > .tiles"), [])
        self.assertIn("misses: the processor shows none, as in", self.text(".counters"))
        self.open("older")
        self.assertNotIn(title, self.text())

    def test_older_statistics_say_what_they_lack(self) -> None:
        """What was not recorded is named; the rest is there."""
        self.open("older")
        self.assertIn("did not record", self.text("[data-missing]"))
        self.assertIn("No proof", self.text())
        self.assertIn("writing runs", self.text())

    def test_hover_tells_values(self) -> None:
        """Under the cursor every line of every chart says its value, and goes back after it."""
        self.open("two")
        read, value = self.button("Input read")
        self.assertIn("5.00 GB", read.text)
        over = self.find("[data-chart=streams] .u-over")[0]
        ActionChains(self.driver).move_to_element_with_offset(over, -300, 0).perform()
        self.assertRegex(value.text, r"^[\d,.]+ MB/s$")
        self.assertIn("writing runs", self.text("output"))
        memory = self.find("[data-chart=memory] .value")[0].text
        self.assertRegex(memory, r"^[\d.]+ [MG]iB$")
        ActionChains(self.driver).move_to_element(self.find("h1")[0]).perform()
        self.assertIn("5.00 GB", value.text)
        self.assertIn("Point at a chart", self.text("output"))

    def test_drawing_out_a_stretch_zooms_all_charts(self) -> None:
        """Drag, double click, and the button that shows all."""
        self.open("two")
        spans = "return [...everyChart].map(({ scales: { x } }) => x.max - x.min)"
        whole = self.run_script(spans)
        self.assertEqual(len(set(whole)), 1)
        self.assertAlmostEqual(whole[0], 8.8)
        over = self.find("[data-chart=streams] .u-over")[0]

        def drag() -> None:
            chain = ActionChains(self.driver).move_to_element_with_offset(over, -200, 0)
            chain.click_and_hold().move_by_offset(150, 0).release().perform()
            browser.until(lambda: max(self.run_script(spans)) < 3, "all charts are zoomed")
            self.assertEqual(len(set(self.run_script(spans))), 1)

        drag()
        ActionChains(self.driver).double_click(over).perform()
        browser.until(lambda: self.run_script(spans) == whole, "all is shown again")
        drag()
        self.find(".charts-bar button")[0].click()
        browser.until(lambda: self.run_script(spans) == whole, "all is shown again")

    def test_keyboard(self) -> None:
        """Lines are switched, the cursor moved and time zoomed without a mouse."""
        self.open("two")
        read, _ = self.button("Input read")
        shown = "return [...everyChart][0].series[1].show"
        self.run_script("document.querySelector('.legend button').focus()")
        self.assertEqual(self.driver.switch_to.active_element, read)
        read.send_keys(Keys.SPACE)
        self.assertEqual(read.get_attribute("aria-pressed"), "false")
        self.assertFalse(self.run_script(shown))
        read.send_keys(Keys.ENTER)
        self.assertEqual(read.get_attribute("aria-pressed"), "true")
        self.assertTrue(self.run_script(shown))
        # Behind the four buttons comes the chart itself.
        chart = self.find("[data-chart=streams] .chart")[0]
        for _ in range(4):
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.assertEqual(self.driver.switch_to.active_element, chart)
        chart.send_keys(Keys.HOME)
        chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.text("output"), "0.2 s, writing runs")
        chart.send_keys("+")
        spans = "return [...everyChart].map(({ scales: { x } }) => x.max - x.min)"
        browser.until(lambda: max(self.run_script(spans)) < 5, "all charts are zoomed")
        chart.send_keys(Keys.ESCAPE)
        browser.until(lambda: min(self.run_script(spans)) > 8, "all is shown again")

    def test_light_and_dark(self) -> None:
        """As the system prefers, until somebody chooses; charts follow."""
        paper = "return getComputedStyle(document.body).backgroundColor"
        ink = "return colour('--input-read')"
        self.open("two")
        light, stroke = self.run_script(paper), self.run_script(ink)
        browser.look(self.driver, dark=True)
        browser.until(lambda: self.run_script(paper) != light, "the page is dark")
        self.assertNotEqual(self.run_script(ink), stroke)
        self.find("#theme")[0].click()
        browser.until(lambda: self.run_script(paper) == light, "the page is light")
        self.open("two")
        browser.until(lambda: self.run_script(paper) != light, "a page opens dark")
        self.assertGreater(min(self.run_script(COLOURS)), 8)

    def test_a_phone_is_wide_enough(self) -> None:
        """Nothing sticks out of a narrow page, opened so or made so."""
        for name in PAGES:
            for opened_wide in [False, True]:
                with self.subTest(name, opened_wide=opened_wide):
                    self.assert_narrow(name, opened_wide)

    def test_tables_for_those_who_see_no_charts(self) -> None:
        """Every chart has its figures in a table with a caption and heads."""
        self.open("two")
        tables = self.find("table")
        self.assertGreaterEqual(len(tables), 5)
        for table in tables:
            self.assertTrue(table.find_elements(By.CSS_SELECTOR, "caption"))
            heads = table.find_elements(By.CSS_SELECTOR, "th")
            self.assertTrue(all(head.get_attribute("scope") in ("col", "row") for head in heads))
        samples = self.find("details .tall tbody tr")
        self.assertEqual(len(samples), 88)
        for picture in self.find("svg[role=img], .chart"):
            self.assertTrue(picture.get_attribute("aria-label"))

    def test_several_sorts_beside_each_other(self) -> None:
        """A column each, and the whole report of each when it is opened."""
        self.open("several")
        self.assertEqual(self.text("h1"), "3 sorts compared")
        heads = [head.text for head in self.find(".compare thead th")][1:]
        self.assertEqual(heads, ["two-pass.json", "older.json", "one-pass.json"])
        self.assertNotIn("Cycles per record", self.text(".compare"))
        self.find("details.each > summary")[0].click()
        drawn = "return everyChart.size"
        browser.until(lambda: self.run_script(drawn) == 6, "the report of the first is drawn")
        self.assertGreater(min(self.run_script(COLOURS)), 8)

    def test_counters_beside_each_other(self) -> None:
        """Cycles compare where two sorts have them."""
        self.open(self.page("counted", [FIXTURES / "two-pass.json", FIXTURES / "two-pass.json"]))
        rows = [row.text for row in self.find(".compare tbody tr")]
        self.assertIn("Cycles per record 963 963", rows)
        self.assertIn("Instructions per cycle 1.34 1.34", rows)

    def test_statistics_are_never_markup(self) -> None:
        """Words that would be a script are read as words."""
        evil = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"
        stats = json.loads((FIXTURES / "two-pass.json").read_text())
        stats["advice"] = [evil]
        stats["counters"] = {"missing": evil}
        stats["engine"] = stats["merge"] = stats["algorithm"] = evil
        stats["machine"] = dict.fromkeys(stats["machine"], evil)
        stats["job"] = {"inputs": [evil], "output": evil, "command": evil}
        stats["timeline"]["phase"][3] = evil
        stats["phases"][1]["phase"] = evil
        path = Path(self.folder.name) / "<img src=x onerror=evil=3>.json"
        path.write_text(json.dumps(stats))
        self.open(self.page("evil", [path]))
        self.assertIn(evil, self.text())
        self.assertEqual(self.find("img"), [])
        self.assertIsNone(self.run_script("return window.evil ?? null"))

    def test_statistics_of_any_shape(self) -> None:
        """Whatever is missing, short or of another kind, the page goes without it."""
        for name in ["two", "one"]:
            self.open(name)
            tried, faults = self.run_script(MUTATE)
            self.assertGreater(tried, 700)
            self.assertEqual(faults, [])

    def test_timelines_of_any_shape(self) -> None:
        """Charts are drawn of what there is, whatever its figures, and the page does not hang."""
        given = (FIXTURES / "two-pass.json").read_text()

        def cut(stats: dict) -> None:
            timeline = stats["timeline"]
            timeline["spill_read"] = timeline["spill_read"][:50]
            timeline["memory"] = None
            timeline["user_seconds"] = [None, "x", *timeline["user_seconds"][2:]]
            del timeline["phase"], timeline["reads_in_flight"], timeline["writes_in_flight"]

        def shorten(stats: dict) -> None:
            for name, values in stats["timeline"].items():
                stats["timeline"][name] = values[:1] if isinstance(values, list) else values

        cases = {
            "cut": (cut, 3),
            "one sample": (shorten, 0),
            "long ages": (lambda stats: stats["timeline"].update(interval_seconds=1e300), 5),
            "no time": (lambda stats: stats["timeline"].update(interval_seconds=1e-300), 5),
            "beyond numbers": (lambda stats: stats["timeline"].update(memory=[1e308] * 88), 5),
            "below nought": (lambda stats: stats["timeline"].update(user_seconds=[-1] * 88), 5),
        }
        for name, (change, charts) in cases.items():
            with self.subTest(name):
                stats = json.loads(given)
                change(stats)
                path = Path(self.folder.name) / "changed.json"
                path.write_text(json.dumps(stats))
                self.open(self.page("changed", [path]))
                self.assertEqual(len(self.find("canvas")), charts)
                self.assertEqual(browser.complaints(self.driver), [])


if __name__ == "__main__":
    unittest.main()
