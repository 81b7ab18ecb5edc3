// Lines over a common axis, drawn by uPlot. Charts of one group share that axis, their cursor and
// what part of it they show; a button a line switches it on and off and tells its value.
//
// What lies along the axis, times or anything else, is given by an object:
//   places     where samples lie, from left to right
//   whole      from where to where it goes when all is shown
//   isLog      whether it grows by factors; all its places are above nought then
//   tick       how a place is written below the charts, of the place and the scale
//   steps      which distances ticks may have, where not any do
//   behind     draws what lies behind the lines of a chart, with its names or without
//   headroom   pixels above a large chart for those names
//   thinned    what is drawn of a line's values, where not all of them are
//
// A keyboard gets along without a mouse: arrows move the cursor, + and - zoom, Escape shows all.

const HEIGHT = { large: 250, small: 120 };
/** Above and below what is drawn by factors. */
const ROOM_FACTOR = 1.15;
/** Room at the left of all charts, so that their times stand below each other. */
const AXIS_WIDTH = 62;
const KEYS = "Arrows move along, plus and minus zoom, Escape shows all; a table is below.";
/** What charts of a group tell each other of a mouse. */
const SHARED_EVENTS = new Set(["mousemove", "mouseenter", "mouseleave"]);

let groups = 0;
/** Charts that belong together. `moved` hears of every move of the cursor: the sample, or null. */
class Group {
  constructor(across, moved) {
    this.across = across;
    this.moved = moved;
    this.charts = [];
    this.key = `group-${++groups}`;
  }

  /** Shows the cursor of all charts at a sample. */
  point(index) {
    const { places } = this.across;
    const at = Math.max(0, Math.min(places.length - 1, index));
    for (const chart of this.charts) {
      chart.setCursor({ left: chart.valToPos(places[at], "x"), top: 1 }, true, false);
    }
  }

  /** Shows a part of the axis in all charts. One that shows it already stays as it is, so that
   *  this comes to an end though each chart that changes says so to the group. */
  zoom(min, max) {
    for (const chart of this.charts) {
      const { x } = chart.scales;
      if (x.min !== min || x.max !== max) chart.setScale("x", { min, max });
    }
  }

  /** Shows so much more or less than now, around a place. */
  zoomAround(place, share, { min, max }) {
    const { whole, isLog } = this.across;
    const [there, back] = isLog ? [Math.log10, (power) => 10 ** power] : [Number, Number];
    const half = ((there(max) - there(min)) * share) / 2;
    const middle = there(place);
    this.zoom(Math.max(whole[0], back(middle - half)), Math.min(whole[1], back(middle + half)));
  }

  reset() {
    this.zoom(...this.across.whole);
  }

  keyed(event, chart) {
    const { places } = this.across;
    const at = chart.cursor.idx ?? Math.floor(places.length / 2);
    const step = event.shiftKey ? 10 : 1;
    const around = (share) => this.zoomAround(places[at], share, chart.scales.x);
    const does = {
      ArrowLeft: () => this.point(at - step),
      ArrowRight: () => this.point(at + step),
      Home: () => this.point(0),
      End: () => this.point(places.length - 1),
      "+": () => around(0.5),
      "=": () => around(0.5),
      "-": () => around(2),
      Escape: () => this.reset(),
    }[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    does();
  }
}

const everyChart = new Set();
/** Colours are read when lines are drawn: after a change of theme they are drawn again. */
const redrawCharts = () => everyChart.forEach((chart) => chart.redraw(true, true));

/** A round line across, at a value of the axis. */
function drawLimit(chart, limit) {
  const { ctx, bbox } = chart;
  const y = Math.round(chart.valToPos(limit.value, "y", true));
  ctx.save();
  ctx.strokeStyle = colour("--soft");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** The scale along the axis: all samples are all of it, though it may reach beyond them. */
function scaleAcross({ places, whole, isLog }) {
  return {
    time: false,
    distr: isLog ? 3 : 1,
    range: (chart, min, max) =>
      min === places[0] && max === places[places.length - 1] ? whole : [min, max],
  };
}

/** The scale upwards: with nought on it, or by factors. */
function scaleUp({ isLog, floor }) {
  if (isLog) {
    const range = (min, max) => uPlot.rangeLog(min / ROOM_FACTOR, max * ROOM_FACTOR, 10, false);
    return { distr: 3, range: (chart, min, max) => range(min ?? 1, max ?? 10) };
  }
  const least = (min) => Math.min(0, min ?? 0) * 1.06;
  const largest = (max) => (Math.max(max ?? 0, floor ?? 0) || 1) * 1.06;
  return { range: (chart, min, max) => [least(min), largest(max)] };
}

function seriesOf(line) {
  return {
    label: line.name,
    width: line.width ?? 1.75,
    dash: line.dashed ? [7, 5] : undefined,
    spanGaps: line.marked,
    points: {
      show: Boolean(line.marked),
      size: 7,
      width: 1.75,
      fill: () => colour(line.dashed ? "--card" : line.colour),
    },
    stroke: () => colour(line.colour),
    fill: line.filled ? () => `${colour(line.colour)}1f` : undefined,
  };
}

/** The words of ticks; those that would stand too close are null, and stay without. */
const ticked = (places, words_) => places.map((place) => (place === null ? null : words_(place)));

/** By factors, lines stand at powers of ten, if there are some: all between them would be a fog. */
function powersOfTen(chart, places) {
  const isPower = (place) => Number.isInteger(Number(Math.log10(place).toFixed(9)));
  const powers = places.map((place) => (isPower(place) ? place : null));
  return powers.filter((place) => place !== null).length > 1 ? powers : places;
}

function chartOptions(what, group, width) {
  const { across } = group;
  const axis = {
    stroke: () => colour("--soft"),
    font: "12px system-ui, sans-serif",
    ticks: { show: false },
  };
  const grid = { stroke: () => colour("--line"), width: 1 };
  const gridOf = ({ isLog }) => (isLog ? { ...grid, filter: powersOfTen } : grid);
  return {
    width,
    height: what.height ?? (what.large ? HEIGHT.large : HEIGHT.small),
    // At the right there is room for half of the last word below the chart.
    padding: [(what.large && across.headroom) || 8, 28, 0, 0],
    legend: { show: false },
    cursor: {
      // What is drawn out is shown by the whole group, below; here only the cursor is shared.
      sync: {
        key: group.key,
        setSeries: false,
        filters: { pub: (type) => SHARED_EVENTS.has(type) },
      },
      drag: { x: true, y: false },
      y: false,
      // Points that are marked anyway grow under the cursor, and hollow ones fill.
      points: {
        size: (chart, at) => (what.lines[at - 1].marked ? 12 : 7),
        fill: (chart, at) => colour(what.lines[at - 1].colour),
      },
    },
    scales: { x: scaleAcross(across), y: scaleUp(what) },
    series: [{}, ...what.lines.map(seriesOf)],
    axes: [
      {
        ...axis,
        grid: gridOf(across),
        size: 28,
        gap: 7,
        space: 70,
        incrs: across.steps,
        values: (chart, at) => ticked(at, (value) => across.tick(value, chart.scales.x)),
      },
      {
        ...axis,
        grid: gridOf(what),
        size: AXIS_WIDTH,
        gap: 6,
        space: what.large ? 38 : 30,
        values: (chart, at) => ticked(at, what.tick),
      },
    ],
    hooks: {
      drawClear: across.behind ? [(chart) => across.behind(chart, what.large)] : [],
      draw: what.limit ? [(chart) => drawLimit(chart, what.limit)] : [],
      setCursor: [
        (chart) => {
          what.show(chart.cursor.idx ?? null);
          group.moved(chart.cursor.idx ?? null);
        },
      ],
      setScale: [
        (chart, scale) => scale === "x" && group.zoom(chart.scales.x.min, chart.scales.x.max),
      ],
    },
  };
}

/** The buttons of a chart: each switches a line; `tell` puts a value beside each. */
function legendOf(what, switched) {
  const values = what.lines.map(() => make("span", { class: "value" }));
  const buttons = what.lines.map((line, at) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": "true",
        class: line.dashed && "dashed",
        colour: line.colour,
        onclick: (event) => {
          const pressed = event.currentTarget.getAttribute("aria-pressed") !== "true";
          event.currentTarget.setAttribute("aria-pressed", String(pressed));
          switched(at, pressed);
        },
      },
      make("i"),
      line.name,
      values[at],
    ),
  );
  what.show = (index) =>
    what.lines.forEach((line, at) => {
      const value = index === null ? null : figure(line.values[index]);
      const without = index === null ? line.idle : (line.absent ?? line.idle);
      values[at].textContent = value === null ? without : what.tell(value);
    });
  what.show(null);
  return make(
    "div",
    { class: "legend", role: "group", "aria-label": `Lines of ${what.title}` },
    buttons,
  );
}

/** A chart with its heading and its buttons, drawn when it has a place. `what` has a title, lines
 *  (name, colour, values, what stands beside it while nothing is pointed at, or where it has no
 *  value; dashed or not, its points marked or not) and how values are shown (`tell`) and written on the axis (`tick`). */
function lineChart(what, group) {
  const thinned = group.across.thinned ?? ((values) => values);
  let chart = null;
  const switches = new Map();
  const switched = (at, shown) => {
    switches.set(at, shown);
    chart?.setSeries(at + 1, { show: shown });
  };
  const legend = legendOf(what, switched);
  const place = make("div", {
    class: "chart",
    tabindex: "0",
    role: "group",
    "aria-label": `Chart of ${what.title}. ${KEYS}`,
    onkeydown: (event) => chart && group.keyed(event, chart),
  });
  const touched = (event) => {
    if (event.pointerType !== "touch" || !chart) return;
    const left = event.clientX - chart.over.getBoundingClientRect().left;
    group.point(chart.posToIdx(left));
  };
  place.addEventListener("pointerdown", touched);
  place.addEventListener("pointermove", touched);
  watchWidth(place, (width) => {
    if (chart) {
      chart.setSize({ width, height: chart.height });
      return;
    }
    chart = new uPlot(
      chartOptions(what, group, width),
      [group.across.places, ...what.lines.map((line) => thinned(line.values))],
      place,
    );
    switches.forEach((shown, at) => chart.setSeries(at + 1, { show: shown }));
    chart.over.addEventListener("dblclick", () => group.reset());
    group.charts.push(chart);
    everyChart.add(chart);
  });
  return make(
    "div",
    { "data-chart": what.name },
    make(
      "div",
      { class: "chart-head" },
      make("h3", null, what.title, " ", make("span", null, what.unit)),
      legend,
    ),
    place,
  );
}
