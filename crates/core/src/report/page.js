// The page as a whole: what stands on it, in which order, for one sort or several.

/** Names of the sums of a sort's parts that older versions did not record. */
const RECORDED = [
  ["timeline", "what happened over the time"], ["latency", "how long requests took"],
  ["workers", "what each worker did"], ["machine", "the machine"],
];

const isOf = (value) => value && typeof value === "object";

function tile(name, large, unit, ...below) {
  return make("div", null, make("dt", null, name), make("dd", null, large, unit && [" ", make("small", null, unit)]),
    below.filter(Boolean).map((line) => make("dd", null, line)));
}

/** How many runs there were, and how many of them were merged at once. */
function runsWords(stats) {
  if (!(stats.runs > 0)) return "in memory, nothing spilled";
  const runs = counted(stats.runs, isMerge(stats) ? "input" : "run");
  if (!(stats.merge_width > 0)) return runs;
  return `${runs}, merged ${stats.merge_width < stats.runs ? `${count(stats.merge_width)} ` : ""}at once`;
}

function tiles(stats) {
  const wait = sum(list(stats.phases).map((share) => object(share).io_wait_seconds));
  const worked = stats.seconds * (figure(stats.threads) ?? 0);
  const cores = stats.seconds > 0 ? (stats.user_seconds + stats.system_seconds) / stats.seconds : null;
  const speed = rate(stats);
  const used = figure(stats.memory_peak);
  const [peak, unit] = memory(used).split(" ");
  return make("dl", { class: "tiles" },
    tile("Speed", speed === null ? DASH : speed >= 10 ? whole.format(speed) : short(speed), "MB/s", stats.seconds > 0 && `${rounded(stats.records / stats.seconds)} records/s`),
    tile("Passes", count(stats.passes), null, runsWords(stats)),
    tile("Processors", figure(cores) === null ? DASH : short(cores), "busy", figure(stats.user_seconds) !== null && `${decimal(stats.user_seconds)} s user, ${decimal(stats.system_seconds)} s system`),
    tile("Waiting for I/O", worked > 0 ? percent(wait / worked) : DASH, null, figure(stats.threads) && `of ${counted(stats.threads, "worker")}' time`.replace("1 worker'", "1 worker's")),
    tile("Memory", used === null ? DASH : peak, unit, figure(stats.memory_budget) && `peak, of ${memory(stats.memory_budget)} allowed`));
}

function headline(sort) {
  const { stats } = sort;
  const job = object(stats.job);
  const [from, to] = [names(job.inputs), words(job.output)];
  const done = isMerge(stats) ? "merged" : "sorted";
  return [
    make("h1", null, `${counted(stats.records, "record")} ${done} in ${seconds(stats.seconds)}`),
    make("p", { class: "lead" }, `${bytes(stats.bytes)} in ${passesWords(stats)}`,
      from && [", from ", make("code", null, from)], to && [" to ", make("code", null, to)]),
  ];
}

function proofLine(stats) {
  const proof = object(stats.proof);
  if (figure(proof.records) === null) {
    return make("p", { class: "proof none" }, make("b", { "aria-hidden": "true" }, DASH),
      make("span", null, "Proof not taken: it was switched off, or not all records were to be written."));
  }
  return make("p", { class: "proof" }, make("b", { "aria-hidden": "true" }, "✓"),
    make("span", null, make("b", null, "Proven: "), `${counted(proof.records, "record")} in and out, checksum `, make("code", null, words(proof.checksum))));
}

function adviceSection(stats) {
  const advice = list(stats.advice).map(words).filter(Boolean);
  const part = section("What to look at", null, advice.length > 0 && make("ul", null, advice.map((line) => make("li", null, line))));
  part?.classList.add("advice");
  return part;
}

const HOW = "Point at a chart, or go there with Tab and use the arrows.";

/** Says where the cursor of the charts is, or how to have one. */
function tellCursor(readout, at) {
  if (readout.textContent !== (at ?? HOW)) readout.replaceChildren(at === null ? HOW : make("b", null, at));
}

/** The timeline as charts, with a table for those who do not see them. */
function timeSection(stats) {
  const given = object(stats.timeline);
  const interval = figure(given.interval_seconds);
  const length = Object.values(given).reduce((all, values) => Math.max(all, list(values).length), 0);
  if (!(interval > 0) || length === 0) return null;
  const of = (name, scale) => samples(given[name], length, scale);
  const has = (name) => list(given[name]).length > 0;
  const readout = make("output", { "aria-live": "polite" }, "");
  const phases = list(given.phase);
  const group = new Group(timesOf(interval, length), phasesOf(phases, interval, length), (index) => {
    const at = index === null ? null : `${sampleTime(index, interval)}, ${phaseWords(phases[index])}`;
    tellCursor(readout, at);
  });
  group.moved(null);
  const whats = charts(stats, of, has, interval);
  return section("Over the time", "Bytes a second of each stream, and below it what processors, disks and memory did meanwhile. Draw out a stretch to see it larger; a double click shows all again.",
    make("div", { class: "charts-bar" }, readout, make("button", { type: "button", onclick: () => group.reset() }, "Show all")),
    whats.map((what) => lineChart(what, group)),
    make("details", null, make("summary", null, "As a table"), make("div", { class: "tall" }, timeTable(whats, phases, interval, length))));
}

/** The charts of a timeline that there are samples for. */
function charts(stats, of, has, interval) {
  const mean = (values) => sum(values) / Math.max(1, values.length);
  const streams = STREAMS.filter(({ key }) => has(key) && sum(of(key)) > 0).map((stream) => {
    const values = of(stream.key, 1e-6 / interval);
    return { ...stream, values, filled: true, idle: bytes(sum(of(stream.key))) };
  });
  const whats = [{ name: "streams", title: "Throughput", unit: "MB/s", large: true, lines: streams, tell: (value) => `${short(value)} MB/s`, tick: (value) => whole.format(value) }];
  const line = (key, name, colour_, scale, idleWords) => {
    const values = of(key, scale);
    return has(key) && { key, name, colour: colour_, values, idle: idleWords(values) };
  };
  const coreSeconds = (values) => `${short(sum(values) * interval)} s`;
  whats.push({
    name: "processors", title: "Processors", unit: "cores busy, workers waiting", tell: (value) => value.toFixed(2), tick: decimalTick,
    lines: [
      line("user_seconds", "User", "--user", 1 / interval, coreSeconds), line("system_seconds", "System", "--system", 1 / interval, coreSeconds),
      line("waiting_seconds", "Waiting for I/O", "--waiting-line", 1 / interval, coreSeconds),
    ],
  });
  const meanWords = (values) => `mean ${short(mean(values))}`;
  whats.push({
    name: "requests", title: "Requests in flight", unit: "of all workers", tell: (value) => short(value), tick: decimalTick,
    lines: [line("reads_in_flight", "Reads", "--input-read", 1, meanWords), line("writes_in_flight", "Writes", "--output-written", 1, meanWords)],
  });
  const budget = figure(stats.memory_budget);
  const mib = 1 / (1 << 20);
  whats.push({
    name: "memory", title: "Memory", unit: budget ? `MiB; dashed: the ${memory(budget)} allowed` : "MiB", tell: (value) => memory(value / mib),
    tick: (value) => whole.format(value), floor: budget && budget * mib, limit: budget && { value: budget * mib },
    lines: [{ ...line("memory", "Resident", "--memory", mib, (values) => `peak ${memory(most(values) / mib)}`), filled: true }].filter(({ key }) => key),
  });
  return whats.map((what) => ({ ...what, lines: what.lines.filter(Boolean) })).filter(({ lines }) => lines.length > 0);
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
  const each = step === 1 ? "" : `, each row the mean of ${step} samples`;
  return table(`From the time on that stands in front, for ${Number((interval * step).toFixed(3))} s${each}`, ["Time", "Phase", ...lines.map((line) => line.name)], rows);
}

/** All there is to say of one sort. */
function reportOf(sort) {
  const { stats } = sort;
  const missing = RECORDED.filter(([key]) => !isOf(stats[key])).map(([, name]) => name);
  const job = object(stats.job);
  const command = words(job.command);
  return [
    adviceSection(stats),
    section("What was done", null, planPicture(stats)),
    timeSection(stats),
    section("Where the time went", outcomeWords(stats), phaseTable(stats)),
    section("What the workers did", null, workerParts(stats)),
    section("How long requests took", null, latencyParts(stats)),
    section("Requests", null, requestParts(stats)),
    make("div", { class: "columns" }, section("How it was done", null, facts(planFacts(stats))), section("The machine", null, facts(machineFacts(stats)))),
    section("The command", null, command && make("code", null, command)),
    missing.length > 0 && make("p", { class: "note", "data-missing": "" }, `This sort did not record ${missing.join(", ")}.`),
  ].filter(Boolean);
}

/** Figures of several sorts, one row each: name, value, its words, and whether less is better. */
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
  ["Memory allowed", (stats) => figure(stats.memory_budget), memory],
  ["Memory at the peak", (stats) => figure(stats.memory_peak), memory, true],
  ["Proof", (stats) => (isOf(stats.proof) ? 1 : 0), (value) => (value ? "taken" : "not taken")],
];

const sortColour = (at) => `--sort-${at % 6}`;

const sameAmount = (sorts) => new Set(sorts.map(({ stats }) => `${stats.records} ${stats.bytes}`)).size === 1;

function comparisonTable(sorts) {
  const same = sameAmount(sorts);
  const rows = COMPARED.map(([name, of, tell, less]) => {
    // Less is no better of less.
    const judged = same || less === false ? less : undefined;
    const values = sorts.map(({ stats }) => of(stats));
    const known = values.filter((value) => value !== null);
    const best = judged === undefined || new Set(known).size < 2 ? null : judged ? Math.min(...known) : most(known);
    return [name, ...values.map((value) => make("td", { class: value !== null && value === best ? "best" : null }, value === null ? DASH : tell(value)))];
  });
  const heads = [make("th", { scope: "col" }, make("span", { class: "visually-hidden" }, "Figure")), ...sorts.map((sort, at) => make("th", { scope: "col" }, swatched(sort.name, sortColour(at))))];
  return table("The best of a row is marked", heads, rows, { class: "compare" });
}

/** All bytes a second of each sort over its own time, in one chart. */
function overlaid(sorts) {
  const timed = sorts.map((sort, at) => ({ ...sort, at, given: object(sort.stats.timeline) }))
    .filter(({ given }) => figure(given.interval_seconds) > 0 && STREAMS.some(({ key }) => list(given[key]).length > 0));
  if (timed.length === 0) return null;
  const interval = Math.max(...timed.map(({ given }) => given.interval_seconds));
  const totals = timed.map(({ given }) => resampled(given, interval));
  const length = most(totals.map((values) => values.length));
  const lines = timed.map((sort, at) => ({ name: sort.name, colour: sortColour(sort.at), values: samples(totals[at], length), idle: seconds(sort.stats.seconds) }));
  const readout = make("output", null, "");
  const group = new Group(timesOf(interval, length), [], (index) => {
    tellCursor(readout, index === null ? null : sampleTime(index, interval));
  });
  group.moved(null);
  const what = { name: "compared", title: "Throughput", unit: "MB/s, all streams together", large: true, lines, tell: (value) => `${short(value)} MB/s`, tick: (value) => whole.format(value) };
  const untimed = sorts.filter((_, at) => !timed.some((sort) => sort.at === at)).map(({ name }) => name);
  const note = untimed.length > 0 ? `Not recorded: ${untimed.join(", ")}.` : null;
  return section("Over the time", note,
    make("div", { class: "charts-bar" }, readout, make("button", { type: "button", onclick: () => group.reset() }, "Show all")),
    lineChart(what, group),
    make("details", null, make("summary", null, "As a table"), make("div", { class: "tall" }, timeTable([what], [], interval, length))));
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
  planning: "--resting", reading: "--reading", "run-generation": "--dealing", "intermediate-merge": "--merging",
  writing: "--writing", finishing: "--waiting",
};

function phasesBeside(sorts) {
  const longest = most(sorts.map(({ stats }) => Math.max(stats.seconds, sum(list(stats.phases).map((share) => object(share).seconds)))));
  const known = [...new Set(sorts.flatMap(({ stats }) => list(stats.phases).map((share) => words(object(share).phase))))];
  if (known.length === 0) return [];
  const order = Object.keys(PHASES);
  known.sort((one, other) => order.indexOf(one) - order.indexOf(other));
  const colourOf = (phase) => (Object.hasOwn(PHASE_COLOURS, phase) ? PHASE_COLOURS[phase] : "--gathering");
  const stacks = make("div", { class: "stacks" }, sorts.map(({ name, stats }, at) => [
    make("div", { class: "stack-name" }, swatched(name, sortColour(at))),
    stack(list(stats.phases).map(object).map((share) => [
      phaseWords(share.phase), share.seconds,
      { colour: colourOf(share.phase), class: share.phase === "reading" ? "light" : ["planning", "finishing"].includes(share.phase) ? "pale" : null },
    ]), longest),
  ]));
  const legend = make("div", { class: "legend" }, known.map((phase) => make("span", { class: "key", colour: colourOf(phase) }, make("i"), phaseWords(phase))));
  const rows = sorts.map(({ name, stats }, at) => [
    make("th", { scope: "row" }, swatched(name, sortColour(at))), ...known.map((phase) => decimal(phaseSeconds(stats, phase))), make("b", null, decimal(stats.seconds)),
  ]);
  return [stacks, legend, table("Seconds of each phase", ["Sort", ...known.map(phaseWords), "all"], rows)];
}

/** The whole report of a sort, made when it is opened. */
function eachSort(sort, at) {
  const whole_ = make("details", { class: "each" }, make("summary", null, swatched(sort.name, sortColour(at))));
  whole_.addEventListener("toggle", () => {
    if (whole_.open && whole_.childElementCount === 1) whole_.append(proofLine(sort.stats), ...reportOf(sort));
  });
  return whole_;
}

function comparison(sorts) {
  const fastest = sorts.reduce((best, sort) => (sort.stats.seconds < best.stats.seconds ? sort : best));
  const slowest = sorts.reduce((worst, sort) => (sort.stats.seconds > worst.stats.seconds ? sort : worst));
  const lead = sameAmount(sorts) ? `Of the same ${counted(sorts[0].stats.records, "record")}, ${bytes(sorts[0].stats.bytes)}, the fastest took ${seconds(fastest.stats.seconds)}, the slowest ${seconds(slowest.stats.seconds)}.`
    : "They sorted different amounts, so that MB/s compare better than seconds.";
  return [
    make("h1", null, `${sorts.length} sorts compared`), make("p", { class: "lead" }, lead),
    section("Side by side", null, comparisonTable(sorts)),
    overlaid(sorts),
    section("Where the time went", null, phasesBeside(sorts)),
    section("Each by itself", "Its plan and all else that it recorded.", sorts.map(eachSort)),
  ];
}

/** A switch between light and dark, which begins with what the system asks for. */
function themed() {
  const asked = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  let chosen = null;
  const show = () => {
    const dark = chosen ?? asked.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page ${dark ? "light" : "dark"}`);
    redrawCharts();
  };
  asked.addEventListener("change", show);
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme !== "dark";
    show();
  });
  show();
}

/** The sorts with names as short as they can be told apart by: without the folders that all of
 *  them have in front. */
function shortlyNamed(sorts) {
  const parts = sorts.map(({ name }) => name.split("/"));
  const shared = (at) => parts.every((part) => at < part.length - 1 && part[at] === parts[0][at]);
  let from = 0;
  while (shared(from)) from += 1;
  return sorts.map((sort, at) => ({ ...sort, name: parts[at].slice(from).join("/") }));
}

function begin() {
  const sorts = shortlyNamed(list(JSON.parse(document.getElementById("sorts").textContent))
    .map((sort) => ({ name: words(object(sort).name), stats: object(object(sort).stats) })));
  themed();
  const main = document.getElementById("main");
  const what = document.getElementById("what");
  if (sorts.length === 0) {
    main.replaceChildren(make("p", null, "There is no sort on this page."));
    return;
  }
  const parts = sorts.length > 1 ? comparison(sorts)
    : [...headline(sorts[0]), tiles(sorts[0].stats), proofLine(sorts[0].stats), ...reportOf(sorts[0])];
  what.textContent = sorts.length > 1 ? "" : sorts[0].name;
  main.replaceChildren(...parts.filter(Boolean));
  document.title = `${sorts.length > 1 ? `${sorts.length} sorts` : main.querySelector("h1").textContent} – sortwell`;
}

begin();
