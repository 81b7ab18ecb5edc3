// Latency of requests: for each stream a histogram, all over one axis of times whose every
// decade is as wide as the next, with marks at the quantiles.

const ROW = { height: 56, bars: 38, gap: 14, axis: 24 };
const QUANTILES = ["p50", "p90", "p99", "max"];

/** The streams whose requests were timed, with their buckets as figures. */
function timedStreams(stats) {
  const latency = object(stats.latency);
  return STREAMS.map((stream) => {
    const of = object(latency[stream.key]);
    const buckets = list(of.buckets)
      .map((bucket) => [figure(list(bucket)[0]), figure(list(bucket)[1]) ?? 0])
      .filter(([upper]) => upper > 0);
    return { ...stream, of, buckets };
  }).filter(({ of }) => figure(of.count) > 0);
}

/** The span of all times, as exponents of ten. */
function spanOf(streams) {
  const times = streams
    .flatMap(({ of, buckets }) => [
      ...buckets.filter(([, amount]) => amount > 0).map(([upper]) => upper),
      ...QUANTILES.map((name) => figure(of[name])),
    ])
    .filter((time) => time > 0);
  if (times.length === 0) return null;
  const least = times.reduce((all, time) => Math.min(all, time), Infinity);
  // A bucket reaches down from its upper bound; one of these is no wider than a factor of two.
  const low = Math.log10(least / 2);
  return { low, high: Math.max(low + 1, Math.log10(most(times)) + 0.05) };
}

/** One stream's bars and marks, from `top` down. */
function histogramRow(stream, top, place) {
  const { of, buckets } = stream;
  const known = buckets.filter(([, amount]) => amount > 0);
  const largest = most(known.map(([, amount]) => amount));
  const floor = top + ROW.height;
  let below = null;
  const bars = buckets.map(([upper, amount]) => {
    const from = below !== null && below < upper ? below : upper / 2;
    below = upper;
    if (amount <= 0) return null;
    const left = place(from);
    const height = Math.max(1.5, (ROW.bars * amount) / largest);
    return draw(
      "rect",
      {
        x: left + 0.5,
        y: floor - height,
        width: Math.max(1, place(upper) - left - 1),
        height,
        rx: 1,
        fill: `var(${stream.colour})`,
      },
      draw(
        "title",
        null,
        `${brief(from)} to ${brief(upper)}: ${counted(amount, "request")}, ${percent(amount / of.count)}`,
      ),
    );
  });
  const marks = ["p50", "p99"]
    .filter((name) => figure(of[name]) > 0)
    .map((name) => {
      const x = place(of[name]);
      return draw(
        "g",
        null,
        draw("line", {
          x1: x,
          x2: x,
          y1: floor - ROW.bars - 4,
          y2: floor,
          stroke: "var(--ink)",
          "stroke-width": 1.25,
          "stroke-dasharray": name === "p50" ? null : "3 3",
        }),
        label(x, floor - ROW.bars - 8, "quantile", name),
      );
    });
  return draw(
    "g",
    null,
    label(0, top + 11, "title", stream.name, "start"),
    draw("line", {
      x1: place(0),
      x2: place(Infinity),
      y1: floor + 0.5,
      y2: floor + 0.5,
      stroke: "var(--line)",
    }),
    bars,
    marks,
  );
}

/** Round times of a span, as many as there is room for. */
function ticksOf({ low, high }, room) {
  const steps = room / (high - low) > 220 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let decade = Math.floor(low); decade <= high; decade += 1) {
    ticks.push(
      ...steps
        .map((step) => step * 10 ** decade)
        .filter((time) => Math.log10(time) >= low && Math.log10(time) <= high),
    );
  }
  return ticks;
}

function histograms(streams, span, width) {
  const left = width >= 560 ? 120 : 2;
  const right = width - 26;
  const { low, high } = span;
  const place = (time) => {
    const share = time > 0 ? (Math.log10(time) - low) / (high - low) : 0;
    return left + (right - left) * Math.max(0, Math.min(1, share));
  };
  // Names stand beside the bars, or above them where there is no room.
  const extra = left > 100 ? 0 : 16;
  const step = ROW.height + ROW.gap + extra;
  const height = streams.length * step + ROW.axis - ROW.gap;
  const rows = streams.map((stream, at) => {
    const row = histogramRow(stream, at * step + extra, place);
    row
      .querySelector("text")
      .setAttribute("y", extra ? at * step + 12 : at * step + ROW.height - 6);
    return row;
  });
  const ticks = ticksOf(span, right - left).map((time) => {
    const x = place(time);
    return draw(
      "g",
      null,
      draw("line", { x1: x, x2: x, y1: 0, y2: height - ROW.axis + 4, stroke: "var(--line)" }),
      label(x, height - 5, "tick", brief(time).replace(/\.0+ /, " "), x < 20 ? "start" : "middle"),
    );
  });
  const what = streams.map(
    ({ name, of }) => `${name}: half within ${brief(of.p50)}, 99% within ${brief(of.p99)}`,
  );
  return draw(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      height,
      role: "img",
      "aria-label": `Times of requests. ${what.join(". ")}`,
    },
    ticks,
    rows,
  );
}

function latencyParts(stats) {
  const streams = timedStreams(stats);
  const span = spanOf(streams);
  if (!span) return [];
  const place = make("div", { class: "latency" });
  const drawn = streams.filter(({ buckets }) => buckets.some(([, amount]) => amount > 0));
  if (drawn.length > 0)
    watchWidth(place, (width) => place.replaceChildren(histograms(drawn, span, width)));
  const rows = streams.map(({ name, colour: of, of: figures }) => [
    make("th", { scope: "row" }, swatched(name, of)),
    count(figures.count),
    ...QUANTILES.map((quantile) => brief(figure(figures[quantile]))),
  ]);
  return [
    place,
    table(
      "Seconds from the start to the end of a request: half of the requests took at most p50, and so on",
      ["Stream", "Requests", ...QUANTILES],
      rows,
    ),
  ];
}
