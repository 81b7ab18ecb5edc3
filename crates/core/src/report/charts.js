// Lines over the time of a sort, drawn by uPlot. Charts of one group share their cursor and what
// part of the time they show; a button a line switches it on and off and tells its value.
//
// A keyboard gets along without a mouse: arrows move the cursor, + and - zoom, Escape shows all.

const HEIGHT = { large: 250, small: 120 };
/** Room at the left of all charts, so that their times stand below each other. */
const AXIS_WIDTH = 62;
const KEYS = "Arrows move along, plus and minus zoom, Escape shows all; a table is below.";
/** Seconds between ticks: round ones of seconds, minutes and hours. */
const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600,
  1200, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000, 3600000,
];
/** Rows of a table of samples; more are put together. */
const TABLE_ROWS = 120;

/** What charts of a group tell each other of a mouse. */
const SHARED_EVENTS = new Set(["mousemove", "mouseenter", "mouseleave"]);

let groups = 0;
/** Charts that belong together. `moved` hears of every move of the cursor: the sample, or null. */
class Group {
  constructor(times, phases, moved) {
    this.times = times;
    this.phases = phases;
    this.moved = moved;
    this.charts = [];
    this.key = `group-${++groups}`;
    this.end = times.length > 0 ? times.end : 0;
  }

  /** Shows the cursor of all charts at a sample. */
  point(index) {
    const at = Math.max(0, Math.min(this.times.length - 1, index));
    for (const chart of this.charts) {
      chart.setCursor({ left: chart.valToPos(this.times[at], "x"), top: 1 }, true, false);
    }
  }

  /** Shows a part of the time in all charts. One that shows it already stays as it is, so that
   *  this comes to an end though each chart that changes says so to the group. */
  zoom(min, max) {
    for (const chart of this.charts) {
      const { x } = chart.scales;
      if (x.min !== min || x.max !== max) chart.setScale("x", { min, max });
    }
  }

  reset() {
    this.zoom(0, this.end);
  }

  keyed(event, chart) {
    const { min, max } = chart.scales.x;
    const at = chart.cursor.idx ?? Math.floor(this.times.length / 2);
    const step = event.shiftKey ? 10 : 1;
    const around = (share) => {
      const half = ((max - min) * share) / 2;
      const middle = this.times[at];
      this.zoom(Math.max(0, middle - half), Math.min(this.end, middle + half));
    };
    const does = {
      ArrowLeft: () => this.point(at - step),
      ArrowRight: () => this.point(at + step),
      Home: () => this.point(0),
      End: () => this.point(this.times.length - 1),
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

/** Phases behind the lines, every other one shaded, with their names if `named`. */
function drawPhases(chart, phases, named) {
  const { ctx, bbox } = chart;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top - 18 * scale, bbox.width, bbox.height + 18 * scale);
  ctx.clip();
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  // Axes leave theirs behind.
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  phases.forEach(({ phase, from, to }, at) => {
    const left = chart.valToPos(from, "x", true);
    const right = chart.valToPos(to, "x", true);
    if (at % 2 === 0) {
      ctx.fillStyle = colour("--band");
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    const name = phaseWords(phase);
    const seen = Math.max(left, bbox.left);
    if (
      named &&
      ctx.measureText(name).width + 10 * scale < Math.min(right, bbox.left + bbox.width) - seen
    ) {
      ctx.fillStyle = colour("--soft");
      ctx.fillText(name, seen + 5 * scale, bbox.top - 6 * scale);
    }
  });
  ctx.restore();
}

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

function chartOptions(what, group, width) {
  const { times } = group;
  const axis = {
    stroke: () => colour("--soft"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const series = what.lines.map((line) => ({
    label: line.name,
    width: line.width ?? 1.75,
    points: { show: false },
    stroke: () => colour(line.colour),
    fill: line.filled ? () => `${colour(line.colour)}1f` : undefined,
  }));
  return {
    width,
    height: what.large ? HEIGHT.large : HEIGHT.small,
    padding: [what.large && group.phases.length > 0 ? 22 : 8, 10, 0, 0],
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
      points: { size: 7 },
    },
    scales: {
      // All samples are all of the time, though the middles of intervals end before it does.
      x: {
        time: false,
        range: (chart, min, max) =>
          min === times[0] && max === times[times.length - 1] ? [0, group.end] : [min, max],
      },
      y: { range: (chart, min, max) => [0, (Math.max(max ?? 0, what.floor ?? 0) || 1) * 1.06] },
    },
    series: [{}, ...series],
    axes: [
      {
        ...axis,
        size: 28,
        gap: 7,
        space: 70,
        incrs: TIME_STEPS,
        values: (chart, at) => at.map((value) => tickTime(value, chart.scales.x)),
      },
      {
        ...axis,
        size: AXIS_WIDTH,
        gap: 6,
        space: what.large ? 38 : 30,
        values: (chart, at) => at.map((value) => what.tick(value)),
      },
    ],
    hooks: {
      drawClear: [(chart) => drawPhases(chart, group.phases, what.large)],
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

/** When a sample began, with the digits that its interval has. */
function sampleTime(index, interval) {
  const digits = interval >= 1 ? 0 : interval >= 0.0999 ? 1 : interval >= 0.00999 ? 2 : 3;
  const time = index * interval;
  return time >= 600 ? seconds(time) : `${time.toFixed(digits)} s`;
}

/** Times on the axis, with the digits that the span shown asks for. */
function tickTime(value, { min, max }) {
  const span = max - min;
  if (span >= 14400) return `${Number((value / 3600).toFixed(2))} h`;
  if (span >= 600) return `${Number((value / 60).toFixed(2))} min`;
  return `${Number(value.toFixed(span < 2 ? 2 : 1))} s`;
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
      const value = index === null ? null : line.values[index];
      values[at].textContent = figure(value) === null ? line.idle : what.tell(value);
    });
  what.show(null);
  return make(
    "div",
    { class: "legend", role: "group", "aria-label": `Lines of ${what.title}` },
    buttons,
  );
}

/** A chart with its heading and its buttons, drawn when it has a place. `what` has a title, lines
 *  (name, colour, values, what stands beside it while nothing is pointed at) and how values are
 *  told (`tell`) and written on the axis (`tick`). */
function lineChart(what, group) {
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
      [group.times, ...what.lines.map((line) => drawn(line.values))],
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

/** What is drawn of samples: of a line that lies at nought for long, only the ends of that. */
const drawn = (values) =>
  values.map((value, at) => (value === 0 && !values[at - 1] && !values[at + 1] ? null : value));

/** The middles of intervals, as many as the longest of some lists; `end` is the end of the last. */
function timesOf(interval, length) {
  const times = Array.from({ length }, (_, at) => (at + 0.5) * interval);
  times.end = length * interval;
  return times;
}

/** Stretches of samples of one phase. */
function phasesOf(names, interval, length) {
  const phases = [];
  for (let at = 0; at < Math.min(names.length, length); at += 1) {
    const last = phases[phases.length - 1];
    if (last && last.phase === names[at]) last.to = (at + 1) * interval;
    else phases.push({ phase: names[at], from: at * interval, to: (at + 1) * interval });
  }
  return phases;
}

/** A list of as many figures as there are samples, of what may be shorter, missing or no list. */
function samples(values, length, scale = 1) {
  const given = list(values);
  return Array.from({ length }, (_, at) => {
    const value = figure(given[at]);
    return value === null ? null : value * scale;
  });
}
