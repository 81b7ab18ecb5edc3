// Tables of a finding, whether a bench measured them or a paper printed them: figures to the right
// of their columns, and where there are several measurements of one, their median with the range in
// a column of its own beside it.

/** Whose figures these are: measured here, or printed at a place of a paper. What does not say that
 *  it was measured is never shown as if it were. */
function sourceOf(source) {
  if (source === "measured") return { isMeasured: true, place: "" };
  return { isMeasured: false, place: words(object(source).printed) || "source not given" };
}

/** About three digits that count. */
function figured(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 0.001)) return String(Number(value.toPrecision(3)));
  if (Number.isInteger(value) || size >= 1000) return whole.format(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4);
}

/** A figure that was not measured, as a size, has no more digits than it was given. */
function exactly(value) {
  const [shown, own] = [figured(value), String(value)];
  return own.length < shown.length && Math.abs(value) < 1000 ? own : shown;
}

/** From the least to the most of several measurements; null where there is but one. */
function rangeOf(cell) {
  const { least, most: largest, count: runs } = object(cell);
  const isRange = figure(runs) > 1 && figure(least) !== null && figure(largest) !== null;
  return isRange ? `${figured(least)}–${figured(largest)}` : null;
}

/** A cell in words: the middle of several figures stands for them. */
function cellWords(cell) {
  if (typeof cell === "string") return cell;
  if (figure(cell) !== null) return exactly(cell);
  const { median, count: runs } = object(cell);
  return figure(runs) > 0 && figure(median) !== null ? figured(median) : DASH;
}

/** Figures as papers print them: `.2`, `320*`, `1+`, `2 to 3`, and a dash for none. */
const PRINTED_FIGURE = /^([-–]|[-−]?[\d.,]+ ?[*+%]?( ?(to|–) ?[\d.,]+)?)$/;
const isFigure = (cell) => typeof cell !== "string" || PRINTED_FIGURE.test(cell.trim());

/** What stands in each column: whether only figures do, and whether there are ranges to show. */
function columnsOf(part, rows) {
  const heads = list(part.columns).map(words);
  const length = most([heads.length, ...rows.map((row) => row.length)]);
  return Array.from({ length }, (_, at) => {
    const cells = rows.map((row) => row[at]).filter((cell) => cell !== undefined);
    return {
      at,
      head: heads[at] ?? "",
      isFigures: cells.every(isFigure),
      hasRanges: cells.some((cell) => rangeOf(cell) !== null),
    };
  });
}

/** Colours of steps, as those of workers: with the ink that can be read on them. */
const STEPS = ["waiting", "dealing", "reading", "sorting", "merging", "writing", "gathering"].map(
  (key) => ({ colour: `--${key}`, class: inkOf(ACTIVITIES.find((of) => of.key === key)) }),
);
const stepOf = (at) => STEPS[at % STEPS.length];

/** Steps of one whole as a bar, if that is what the rows are; the table below has their colours. */
function stepsBar(part, rows) {
  const heads = list(part.columns).map(words).join();
  const parts = rows.map(([name, taken], at) => [
    words(name),
    figure(taken) ?? figure(object(taken).median),
    stepOf(at),
  ]);
  const isWhole = parts.length > 1 && parts.every(([, taken]) => taken !== null && taken >= 0);
  return heads === "step,seconds" && isWhole
    ? stack(parts, sum(parts.map(([, taken]) => taken)))
    : null;
}

/** A table under its title, with what must be known to read it and, if printed, where. */
function foundTable(part) {
  const rows = list(part.rows).map(list);
  const columns = columnsOf(part, rows);
  const kind = ({ isFigures }) => (isFigures ? "figures" : "words");
  const heads = columns.flatMap((column) => [
    make("th", { scope: "col", class: kind(column) }, column.head),
    column.hasRanges && make("th", { scope: "col", class: "range" }, "min–max"),
  ]);
  const bar = stepsBar(part, rows);
  const cellsOf = (row, nth) =>
    columns.flatMap((column) => {
      const shown = cellWords(row[column.at]);
      const none = shown === DASH ? " none" : "";
      const isHead = column.at === 0;
      return [
        make(
          isHead ? "th" : "td",
          { class: `${kind(column)}${none}`, scope: isHead && "row" },
          bar && isHead ? swatched(shown, stepOf(nth).colour) : shown,
        ),
        column.hasRanges && make("td", { class: "range" }, rangeOf(row[column.at])),
      ];
    });
  const { isMeasured, place } = sourceOf(part.source);
  const title = words(part.title) || "A table without a title";
  // A bar stands between the title and the table, which then says what its figures are.
  const caption = bar ? "Seconds of each step, the middle of all runs" : title;
  const note = words(part.note);
  return make(
    "div",
    { class: "found" },
    bar && [make("h3", null, title), bar],
    table(
      caption,
      heads.filter(Boolean),
      rows.map((row, nth) => cellsOf(row, nth).filter(Boolean)),
    ),
    note && make("p", { class: "note" }, note),
    !isMeasured && make("p", { class: "source" }, "Printed: ", make("cite", null, place)),
  );
}

/** Every measurement, for who opens it. */
function samplesTable(samples_) {
  const rows = samples_.map((of) => [
    words(of.of) || DASH,
    words(of.unit) || DASH,
    make(
      "td",
      { class: "words" },
      list(of.values)
        .map((value) => (figure(value) === null ? DASH : String(Number(value.toPrecision(6)))))
        .join("  "),
    ),
  ]);
  const heads = ["Of", "Unit", make("th", { scope: "col", class: "words" }, "Values")];
  return (
    rows.length > 0 &&
    make(
      "details",
      { class: "found" },
      make("summary", null, "Every measurement"),
      make("div", { class: "tall" }, table("In the order of measurement", heads, rows)),
    )
  );
}
