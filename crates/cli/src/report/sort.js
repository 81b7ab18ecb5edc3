// The report of one sort: its headline, and all sections in their order.

/** What older versions did not record, in words. */
const RECORDED = [
  ["timeline", "activity over time"],
  ["latency", "the latency of requests"],
  ["workers", "the work of each worker"],
  ["machine", "the machine"],
];

const isOf = (value) => value && typeof value === "object";

/** How many runs there were, and how many of them were merged at once. */
function runsWords(stats) {
  if (!(stats.runs > 0)) return "in memory, nothing spilled";
  const runs = counted(stats.runs, isMerge(stats) ? "input" : "run");
  if (!(stats.merge_width > 0)) return runs;
  const again = figure(stats.runs_merged_again);
  // A run that was made by a merge may be merged again, and counts again.
  const firstRuns = again < stats.runs ? `${count(again)} of them` : "all of them";
  const first = again > 0 ? `, ${firstRuns} merged into longer ones first` : "";
  const some = stats.merge_width < stats.runs ? `${count(stats.merge_width)} ` : "";
  return `${runs}${first}, merged ${some}at once`;
}

function tiles(stats) {
  const wait = sum(list(stats.phases).map((share) => object(share).io_wait_seconds));
  const worked = stats.seconds * (figure(stats.threads) ?? 0);
  const cores =
    stats.seconds > 0 ? (stats.user_seconds + stats.system_seconds) / stats.seconds : null;
  const speed = rate(stats);
  const used = figure(stats.memory_peak);
  const [peak, unit] = memory(used).split(" ");
  return make(
    "dl",
    { class: "tiles" },
    tile(
      "Speed",
      speed === null ? DASH : speed >= 10 ? whole.format(speed) : short(speed),
      "MB/s",
      stats.seconds > 0 && `${rounded(stats.records / stats.seconds)} records/s`,
    ),
    tile("Passes", count(stats.passes), null, runsWords(stats)),
    tile(
      "Processors",
      figure(cores) === null ? DASH : short(cores),
      "busy",
      figure(stats.user_seconds) !== null &&
        `${decimal(stats.user_seconds)} s user, ${decimal(stats.system_seconds)} s system`,
    ),
    tile(
      "Waiting for I/O",
      worked > 0 ? percent(wait / worked) : DASH,
      null,
      figure(stats.threads) &&
        `of ${counted(stats.threads, "worker")}' time`.replace("1 worker'", "1 worker's"),
    ),
    tile(
      "Memory",
      used === null ? DASH : peak,
      unit,
      figure(stats.memory_budget) && `peak, of ${memory(stats.memory_budget)} allowed`,
    ),
  );
}

function headline(sort) {
  const { stats } = sort;
  const job = object(stats.job);
  const others = figure(job.input_count) - list(job.inputs).length;
  const more = others > 0 ? ` and ${count(others)} more` : "";
  const [from, to] = [names(job.inputs), words(job.output)];
  const done = isMerge(stats) ? "merged" : "sorted";
  return [
    make("h1", null, `${counted(stats.records, "record")} ${done} in ${seconds(stats.seconds)}`),
    make(
      "p",
      { class: "lead" },
      `${bytes(stats.bytes)} in ${passesWords(stats)}`,
      from && [", from ", make("code", null, from), more],
      to && [" to ", make("code", null, to)],
    ),
    droppedWords(stats) && make("p", null, droppedWords(stats)),
  ];
}

/** How many rows were left out for the number of their cells, where such rows are left out. */
function droppedWords(stats) {
  const rows = figure(stats.ragged_rows_dropped);
  if (rows === null) return null;
  return `${counted(rows, "row")} left out: a different number of cells than the header or first row. `;
}

function proofLine(stats) {
  const proof = object(stats.proof);
  if (figure(proof.records) === null) {
    if (stats.is_order_proven === true) {
      return make(
        "p",
        { class: "proof" },
        make("b", { "aria-hidden": "true" }, "✓"),
        make("span", null, "Order only: each record written was compared with the previous one."),
      );
    }
    return make(
      "p",
      { class: "proof none" },
      make("b", { "aria-hidden": "true" }, DASH),
      make(
        "span",
        null,
        "No proof: it was switched off, or the sort did not write all records.",
      ),
    );
  }
  return make(
    "p",
    { class: "proof" },
    make("b", { "aria-hidden": "true" }, "✓"),
    make(
      "span",
      null,
      make("b", null, "Proven: "),
      `${counted(proof.records, "record")} in and out, checksum `,
      make("code", null, words(proof.checksum)),
      stats.is_order_proven === true ? ", in proven order" : "",
    ),
  );
}

/** What is said of keys that are no values of their types. */
function keyLines(stats) {
  const keys = object(stats.keys);
  const invalid = object(keys.invalid);
  const is = (key) => `${words(key.key)} is not ${words(key.expected)}`;
  const lines = list(keys.unmatched)
    .map(object)
    .map((key) => {
      const advice = words(key.suggestion) && `; all values fit type ${words(key.suggestion)}`;
      const warning = `Warning: ${words(key.key)} has no valid value in any record: it is not`;
      return `${warning} ${words(key.expected)}${advice || ""}`;
    });
  if (figure(invalid.records) > 0) {
    const of = list(invalid.keys)
      .map(object)
      .map((key) => `${is(key)} (${counted(key.records, "record")})`);
    lines.unshift(
      `${counted(invalid.records, "record")} with an invalid key, of ` +
        `${counted(invalid.of_records, "record")}, placed ${words(invalid.place)}: ${of.join("; ")}`,
    );
  }
  return lines;
}

function adviceSection(stats) {
  const advice = [...keyLines(stats), ...list(stats.advice).map(words).filter(Boolean)];
  const part = section(
    "Advice",
    null,
    advice.length > 0 &&
      make(
        "ul",
        null,
        advice.map((line) => make("li", null, line)),
      ),
  );
  part?.classList.add("advice");
  return part;
}

/** All there is to say of one sort. */
function reportOf(sort) {
  const { stats } = sort;
  const missing = RECORDED.filter(([key]) => !isOf(stats[key])).map(([, name]) => name);
  const job = object(stats.job);
  const command = words(job.command);
  return [
    adviceSection(stats),
    section("Plan", null, planPicture(stats)),
    timeSection(stats),
    section("Time by phase", outcomeWords(stats), phaseTable(stats)),
    section("Workers", null, workerParts(stats)),
    section("Processor counters", null, counterParts(stats)),
    section("Latency of requests", null, latencyParts(stats)),
    section("Requests", null, requestParts(stats)),
    make(
      "div",
      { class: "columns" },
      section("Settings", null, facts(planFacts(stats))),
      section("The machine", null, facts(machineFacts(stats))),
    ),
    section("The command", null, command && make("code", null, command)),
    missing.length > 0 &&
      make(
        "p",
        { class: "note", "data-missing": "" },
        `This sort did not record ${missing.join(", ")}.`,
      ),
  ].filter(Boolean);
}
