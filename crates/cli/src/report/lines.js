// Charts of a finding: lines through points, each line with places of its own along the axis, which
// may grow by factors. What papers printed is dashed, and its points are hollow.

/** Beyond these a double and a chart have no digits left; by factors, there is a least one too. */
const DRAWN_MOST = 1e15;
const DRAWN_LEAST = 1e-15;

/** The points of a line that axes have places for, from left to right. */
function pointsOf(line, isLog) {
  const hasPlace = (value) =>
    figure(value) !== null && Math.abs(value) <= DRAWN_MOST && (!isLog || value >= DRAWN_LEAST);
  return list(line.points)
    .map(list)
    .filter(([x, y]) => hasPlace(x) && hasPlace(y))
    .sort((one, other) => one[0] - other[0]);
}

/** All places of some lines in their order, with what each line has there: a figure or null. A
 *  place that one line has twice is there twice. */
function joined(lines) {
  const rows = new Map();
  lines.forEach(({ points }, line) => {
    let [last, again] = [null, 0];
    for (const [x, y] of points) {
      again = x === last ? again + 1 : 0;
      last = x;
      if (!rows.has(x)) rows.set(x, []);
      const here = rows.get(x);
      here[again] ??= { x, values: lines.map(() => null) };
      here[again].values[line] = y;
    }
  });
  return [...rows.values()].flat().sort((one, other) => one.x - other.x);
}

/** The axis that holds all places, with a little room at both ends. */
function axisOf(places, isLog) {
  const [first, last] = [places[0], places[places.length - 1]];
  const room = isLog
    ? 10 ** Math.max(0.06, 0.03 * Math.log10(last / first))
    : (last - first) * 0.03 || Math.abs(first) * 0.1 || 1;
  return {
    places,
    whole: isLog ? [first / room, last * room] : [first - room, last + room],
    isLog,
    tick: tickFigure,
  };
}

/** A figure on an axis: no more digits than it needs. */
function tickFigure(value) {
  const size = Math.abs(value);
  if (size >= 1e4) return rounded(value).replace(/\.0+(?= |$)/, "");
  return size >= 1000 ? whole.format(value) : String(Number(value.toPrecision(3)));
}

/** The lines of a chart that have points, with their colours and whose figures they are. */
function linesOf(chart, isLog) {
  return list(chart.lines)
    .map(object)
    .map((line, at) => {
      const source = sourceOf(line.source);
      return {
        name: words(line.name) || `line ${at + 1}`,
        colour: sortColour(at),
        place: source.place,
        points: pointsOf(line, isLog),
        marked: true,
        dashed: !source.isMeasured,
        idle: source.isMeasured ? "measured" : "printed",
        absent: DASH,
      };
    })
    .filter(({ points }) => points.length > 0);
}

/** Where the dashed lines were printed. */
function printedPlaces(lines) {
  const printed = lines.filter(({ dashed }) => dashed);
  return printed.map(({ name, place }) =>
    make("p", { class: "source" }, `${name}, printed: `, make("cite", null, place)),
  );
}

/** A chart with what its axes are, its readout, and its table for those who do not see it. */
function foundChart(chart, at) {
  const isLog = chart.logarithmic === true;
  const [across, up] = [words(chart.x) || "x", words(chart.y) || "y"];
  const found = linesOf(chart, isLog);
  if (found.length === 0) return null;
  const rows = joined(found);
  const lines = found.map((line, nth) => ({ ...line, values: rows.map((row) => row.values[nth]) }));
  const readout = make("output", { "aria-live": "polite" }, "");
  const group = new Group(
    axisOf(
      rows.map(({ x }) => x),
      isLog,
    ),
    (index) => tellCursor(readout, index === null ? null : `${across}: ${exactly(rows[index].x)}`),
  );
  group.moved(null);
  const title = words(chart.title) || "A chart without a title";
  const what = {
    name: `lines-${at}`,
    title,
    unit: isLog ? `${up}; both axes logarithmic` : up,
    large: true,
    height: 310,
    isLog,
    lines,
    tell: figured,
    tick: tickFigure,
  };
  const cells = rows.map(({ x, values }) => [
    exactly(x),
    ...values.map((value) => (value === null ? DASH : figured(value))),
  ]);
  return make(
    "div",
    { class: "lines" },
    lineChart(what, group),
    make("p", { class: "across" }, across),
    make(
      "div",
      { class: "charts-bar" },
      readout,
      make("button", { type: "button", onclick: () => group.reset() }, "Show all"),
    ),
    printedPlaces(lines),
    make(
      "details",
      null,
      make("summary", null, "Show as a table"),
      make(
        "div",
        { class: "tall" },
        table(`${title}: ${up}`, [across, ...lines.map(({ name }) => name)], cells),
      ),
    ),
  );
}
