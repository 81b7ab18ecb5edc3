// The time of a sort as the axis of charts: samples at equal intervals, ticks that are round times,
// and its phases behind the lines.

/** Seconds between ticks: round ones of seconds, minutes and hours. */
const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600,
  1200, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000, 3600000,
];
/** Rows of a table of samples; more are put together. */
const TABLE_ROWS = 120;

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

/** What is drawn of samples: of a line that lies at nought for long, only the ends of that. */
const drawn = (values) =>
  values.map((value, at) => (value === 0 && !values[at - 1] && !values[at + 1] ? null : value));

/** The axis of a sort's time in so many intervals: samples lie in their middles. */
function timeAcross(interval, length, phases) {
  return {
    places: Array.from({ length }, (_, at) => (at + 0.5) * interval),
    whole: [0, length * interval],
    steps: TIME_STEPS,
    tick: tickTime,
    thinned: drawn,
    headroom: phases.length > 0 && 22,
    behind: (chart, named) => drawPhases(chart, phases, named),
  };
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
