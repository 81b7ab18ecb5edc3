// What happened over the time of a sort: which charts there are of its timeline, and its table.

const HOW = "Point at a chart, or select it with Tab and use the arrow keys.";

/** Says where the cursor of the charts is, or how to have one. */
function tellCursor(readout, at) {
  if (readout.textContent !== (at ?? HOW))
    readout.replaceChildren(at === null ? HOW : make("b", null, at));
}

/** The timeline as charts, with a table for those who do not see them. */
function timeSection(stats) {
  const given = object(stats.timeline);
  const interval = figure(given.interval_seconds);
  const length = Object.values(given).reduce(
    (all, values) => Math.max(all, list(values).length),
    0,
  );
  if (!(interval > 0) || length === 0) return null;
  if (length === 1) {
    const sentence = `The job took less than ${Number(interval.toFixed(3))} s: too short for charts.`;
    return section("Over time", null, make("p", { class: "note" }, sentence));
  }
  const of = (name, scale) => samples(given[name], length, scale);
  const has = (name) => list(given[name]).length > 0;
  const ofWaits = (name, scale) => samples(object(given.waiting_for)[name], length, scale);
  const readout = make("output", { "aria-live": "polite" }, "");
  const phases = list(given.phase);
  const group = new Group(
    timeAcross(interval, length, phasesOf(phases, interval, length)),
    (index) => {
      const at =
        index === null ? null : `${sampleTime(index, interval)}, ${phaseWords(phases[index])}`;
      tellCursor(readout, at);
    },
  );
  group.moved(null);
  const whats = charts(stats, { of, ofWaits, has }, interval);
  return section(
    "Over time",
    "Bytes per second of each stream, and the load of processors, disks and memory. " +
      "Drag over a range to enlarge it; a double click shows everything again.",
    make(
      "div",
      { class: "charts-bar" },
      readout,
      make("button", { type: "button", onclick: () => group.reset() }, "Show all"),
    ),
    whats.map((what) => lineChart(what, group)),
    make(
      "details",
      null,
      make("summary", null, "Show as a table"),
      make("div", { class: "tall" }, timeTable(whats, phases, interval, length)),
    ),
  );
}

/** The charts of a timeline that there are samples for. */
function charts(stats, { of, ofWaits, has }, interval) {
  const mean = (values) => sum(values) / Math.max(1, values.length);
  const streams = STREAMS.filter(({ key }) => has(key) && sum(of(key)) > 0).map((stream) => {
    const values = of(stream.key, 1e-6 / interval);
    return { ...stream, values, filled: true, idle: bytes(sum(of(stream.key))) };
  });
  const whats = [
    {
      name: "streams",
      title: "Throughput",
      unit: "MB/s",
      large: true,
      lines: streams,
      tell: (value) => `${short(value)} MB/s`,
      tick: (value) => whole.format(value),
    },
  ];
  const line = (key, name, colour_, scale, idleWords) => {
    const values = of(key, scale);
    return has(key) && { key, name, colour: colour_, values, idle: idleWords(values) };
  };
  const coreSeconds = (values) => `${short(sum(values) * interval)} s`;
  whats.push({
    name: "processors",
    title: "Processors",
    unit: "cores busy, workers waiting",
    tell: (value) => value.toFixed(2),
    tick: decimalTick,
    lines: [
      line("user_seconds", "User", "--user", 1 / interval, coreSeconds),
      line("system_seconds", "System", "--system", 1 / interval, coreSeconds),
      line("waiting_seconds", "Waiting for I/O", "--waiting-line", 1 / interval, coreSeconds),
    ],
  });
  const waited = STREAMS.map((stream) => {
    const values = ofWaits(stream.key, 1 / interval);
    return { ...stream, key: `waiting_${stream.key}`, values, idle: coreSeconds(values) };
  }).filter(({ values }) => sum(values) > 0);
  whats.push({
    name: "waits",
    title: "Reasons for waiting",
    unit: "workers",
    tell: (value) => value.toFixed(2),
    tick: decimalTick,
    lines: waited,
  });
  const meanWords = (values) => `mean ${short(mean(values))}`;
  whats.push({
    name: "requests",
    title: "Requests in flight",
    unit: "of all workers",
    tell: (value) => short(value),
    tick: decimalTick,
    lines: [
      line("reads_in_flight", "Reads", "--input-read", 1, meanWords),
      line("writes_in_flight", "Writes", "--output-written", 1, meanWords),
    ],
  });
  const budget = figure(stats.memory_budget);
  const mib = 1 / (1 << 20);
  whats.push({
    name: "memory",
    title: "Memory",
    unit: budget ? `MiB; dashed: the ${memory(budget)} allowed` : "MiB",
    tell: (value) => memory(value / mib),
    tick: (value) => whole.format(value),
    floor: budget && budget * mib,
    limit: budget && { value: budget * mib },
    lines: [
      {
        ...line(
          "memory",
          "Resident",
          "--memory",
          mib,
          (values) => `peak ${memory(most(values) / mib)}`,
        ),
        filled: true,
      },
    ].filter(({ key }) => key),
  });
  return whats
    .map((what) => ({ ...what, lines: what.lines.filter(Boolean) }))
    .filter(({ lines }) => lines.length > 0);
}

const decimalTick = (value) => String(Number(value.toFixed(2)));

/** The samples as rows; where there are many, means of some at a time. */
function timeTable(whats, phases, interval, length) {
  const step = Math.max(1, Math.ceil(length / TABLE_ROWS));
  const lines = whats.flatMap((what) => what.lines.map((line) => ({ ...line, tell: what.tell })));
  const mean = (values) => {
    const known = values.filter((value) => value !== null);
    return known.length > 0 ? sum(known) / known.length : null;
  };
  const rows = [];
  for (let at = 0; at < length; at += step) {
    const cells = lines.map((line) => {
      const value = mean(line.values.slice(at, at + step));
      return value === null ? DASH : line.tell(value);
    });
    rows.push([sampleTime(at, interval), phaseWords(phases[at]), ...cells]);
  }
  const each = step === 1 ? "" : `, as the mean of ${step} samples`;
  return table(
    `Each row covers ${Number((interval * step).toFixed(3))} s from the time in its first column${each}`,
    ["Time", "Phase", ...lines.map((line) => line.name)],
    rows,
  );
}
