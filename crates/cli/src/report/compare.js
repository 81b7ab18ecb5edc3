// Several sorts beside each other: their figures in a table, their throughput in one chart, their
// phases as bars, and the report of each for who opens it.

/** Returns the proven part of a sort: 0 for nothing, 1 for the order, 2 for the records too. */
function proofOf(stats) {
  if (isOf(stats.proof)) return 2;
  return stats.is_order_proven === true ? 1 : 0;
}

/** Figures of several sorts, one row each: name, value, its words, whether less is better, and
 * whether the row is there only if two sorts have it, or more. */
const COMPARED = [
  ["Seconds", (stats) => figure(stats.seconds), seconds, true],
  ["MB/s", rate, (value) => (value >= 10 ? whole.format(value) : short(value)), false],
  ["Records", (stats) => figure(stats.records), count],
  ["Bytes", (stats) => figure(stats.bytes), bytes],
  ["Passes", (stats) => figure(stats.passes), count],
  ["Runs", (stats) => figure(stats.runs), count],
  ["Spilled", (stats) => figure(object(stats.streams).spill_written), bytes],
  ["Threads", (stats) => figure(stats.threads), count],
  ["User seconds", (stats) => figure(stats.user_seconds), decimal, true],
  ["System seconds", (stats) => figure(stats.system_seconds), decimal, true],
  ["Cycles per record", cyclesARecord, short, true, true],
  ["Instructions per cycle", instructionsACycle, short, undefined, true],
  ["Memory allowed", (stats) => figure(stats.memory_budget), memory],
  ["Memory at the peak", (stats) => figure(stats.memory_peak), memory, true],
  ["Proof", proofOf, (value) => ["no", "order only", "yes"][value]],
];

const sortColour = (at) => `--sort-${at % 6}`;

const sameAmount = (sorts) =>
  new Set(sorts.map(({ stats }) => `${stats.records} ${stats.bytes}`)).size === 1;

function comparisonTable(sorts) {
  const same = sameAmount(sorts);
  const rows = COMPARED.map(([name, of, tell, less, isRare]) => {
    // Less is no better of less.
    const judged = same || less === false ? less : undefined;
    const values = sorts.map(({ stats }) => of(stats));
    const known = values.filter((value) => value !== null);
    if (isRare && known.length < 2) return null;
    const best =
      judged === undefined || new Set(known).size < 2
        ? null
        : judged
          ? Math.min(...known)
          : most(known);
    return [
      name,
      ...values.map((value) =>
        make(
          "td",
          { class: value !== null && value === best ? "best" : null },
          value === null ? DASH : tell(value),
        ),
      ),
    ];
  }).filter(Boolean);
  const heads = [
    make("th", { scope: "col" }, make("span", { class: "visually-hidden" }, "Figure")),
    ...sorts.map((sort, at) => make("th", { scope: "col" }, swatched(sort.name, sortColour(at)))),
  ];
  return table("The best of a row is marked", heads, rows, { class: "compare" });
}

/** All bytes a second of each sort over its own time, in one chart. */
function overlaid(sorts) {
  const timed = sorts
    .map((sort, at) => ({ ...sort, at, given: object(sort.stats.timeline) }))
    .filter(
      ({ given }) =>
        figure(given.interval_seconds) > 0 &&
        STREAMS.some(({ key }) => list(given[key]).length > 0),
    );
  if (timed.length === 0) return null;
  const interval = Math.max(...timed.map(({ given }) => given.interval_seconds));
  const totals = timed.map(({ given }) => resampled(given, interval));
  const length = most(totals.map((values) => values.length));
  const lines = timed.map((sort, at) => ({
    name: sort.name,
    colour: sortColour(sort.at),
    values: samples(totals[at], length),
    idle: seconds(sort.stats.seconds),
  }));
  const readout = make("output", null, "");
  const group = new Group(timeAcross(interval, length, []), (index) => {
    tellCursor(readout, index === null ? null : sampleTime(index, interval));
  });
  group.moved(null);
  const what = {
    name: "compared",
    title: "Throughput",
    unit: "MB/s, all streams together",
    large: true,
    lines,
    tell: (value) => `${short(value)} MB/s`,
    tick: (value) => whole.format(value),
  };
  const untimed = sorts
    .filter((_, at) => !timed.some((sort) => sort.at === at))
    .map(({ name }) => name);
  const note = untimed.length > 0 ? `Not recorded: ${untimed.join(", ")}.` : null;
  return section(
    "Over time",
    note,
    make(
      "div",
      { class: "charts-bar" },
      readout,
      make("button", { type: "button", onclick: () => group.reset() }, "Show all"),
    ),
    lineChart(what, group),
    make(
      "details",
      null,
      make("summary", null, "Show as a table"),
      make("div", { class: "tall" }, timeTable([what], [], interval, length)),
    ),
  );
}

/** MB/s of all streams in intervals that may be longer than those of the samples. */
function resampled(given, interval) {
  const own = given.interval_seconds;
  const length = Math.max(...STREAMS.map(({ key }) => list(given[key]).length));
  const totals = new Array(Math.ceil((length * own) / interval - 1e-9)).fill(0);
  for (let at = 0; at < length; at += 1) {
    const moved = sum(STREAMS.map(({ key }) => list(given[key])[at]));
    const into = Math.min(totals.length - 1, Math.floor(((at + 0.5) * own) / interval));
    totals[into] += moved / 1e6 / interval;
  }
  return totals;
}

const PHASE_COLOURS = {
  planning: "--resting",
  reading: "--reading",
  "run-generation": "--dealing",
  "intermediate-merge": "--merging",
  writing: "--writing",
  finishing: "--waiting",
};

function phasesBeside(sorts) {
  const longest = most(
    sorts.map(({ stats }) =>
      Math.max(stats.seconds, sum(list(stats.phases).map((share) => object(share).seconds))),
    ),
  );
  const known = [
    ...new Set(
      sorts.flatMap(({ stats }) => list(stats.phases).map((share) => words(object(share).phase))),
    ),
  ];
  if (known.length === 0) return [];
  const order = Object.keys(PHASES);
  known.sort((one, other) => order.indexOf(one) - order.indexOf(other));
  const colourOf = (phase) =>
    Object.hasOwn(PHASE_COLOURS, phase) ? PHASE_COLOURS[phase] : "--gathering";
  const stacks = make(
    "div",
    { class: "stacks" },
    sorts.map(({ name, stats }, at) => [
      make("div", { class: "stack-name" }, swatched(name, sortColour(at))),
      stack(
        list(stats.phases)
          .map(object)
          .map((share) => [
            phaseWords(share.phase),
            share.seconds,
            {
              colour: colourOf(share.phase),
              class:
                share.phase === "reading"
                  ? "light"
                  : ["planning", "finishing"].includes(share.phase)
                    ? "pale"
                    : null,
            },
          ]),
        longest,
      ),
    ]),
  );
  const legend = make(
    "div",
    { class: "legend" },
    known.map((phase) =>
      make("span", { class: "key", colour: colourOf(phase) }, make("i"), phaseWords(phase)),
    ),
  );
  const rows = sorts.map(({ name, stats }, at) => [
    make("th", { scope: "row" }, swatched(name, sortColour(at))),
    ...known.map((phase) => decimal(phaseSeconds(stats, phase))),
    make("b", null, decimal(stats.seconds)),
  ]);
  return [
    stacks,
    legend,
    table("Seconds of each phase", ["Sort", ...known.map(phaseWords), "all"], rows),
  ];
}

/** The whole report of a sort, made when it is opened. */
function eachSort(sort, at) {
  const whole_ = make(
    "details",
    { class: "each" },
    make("summary", null, swatched(sort.name, sortColour(at))),
  );
  whole_.addEventListener("toggle", () => {
    if (whole_.open && whole_.childElementCount === 1)
      whole_.append(proofLine(sort.stats), ...reportOf(sort));
  });
  return whole_;
}

function comparison(sorts) {
  const fastest = sorts.reduce((best, sort) =>
    sort.stats.seconds < best.stats.seconds ? sort : best,
  );
  const slowest = sorts.reduce((worst, sort) =>
    sort.stats.seconds > worst.stats.seconds ? sort : worst,
  );
  const { records, bytes: size } = sorts[0].stats;
  const amount = `${counted(records, "record")}, ${bytes(size)}`;
  const took = ({ stats }) => seconds(stats.seconds);
  const lead = sameAmount(sorts)
    ? `For the same ${amount}, the fastest took ${took(fastest)} and the slowest ${took(slowest)}.`
    : "The sorts have different amounts of data: compare MB/s, not seconds.";
  return [
    make("h1", null, `${sorts.length} sorts compared`),
    make("p", { class: "lead" }, lead),
    section("Side by side", null, comparisonTable(sorts)),
    overlaid(sorts),
    section("Time by phase", null, phasesBeside(sorts)),
    section("Each sort", "The plan and all other records of each sort.", sorts.map(eachSort)),
  ];
}
