// Tables and bars: phases and what was expected of them, workers, requests, the machine.

/** A bar as long as a share of the largest, with a mark at what was expected. */
function meter(value, mark, largest) {
  const width = (of) => `${Math.min(100, (100 * of) / largest).toFixed(2)}%`;
  const place = make("div", { class: "meter", "aria-hidden": "true" });
  if (figure(value) === null || !(largest > 0)) return place;
  const bar = make("b");
  bar.style.width = width(value);
  place.append(bar);
  if (figure(mark) !== null) {
    const line = make("i");
    line.style.left = width(mark);
    place.append(line);
  }
  return place;
}

/** What was expected of each phase; there may be phases without a prediction. */
function expectations(stats) {
  const predicted = object(stats.prediction);
  const phases = new Map();
  for (const of of list(predicted.phases)) {
    const { phase, seconds: amount, most_seconds } = object(of);
    if (figure(amount) === null) continue;
    const before = phases.get(phase) ?? { amount: 0, most: 0 };
    const most = before.most + (figure(most_seconds) ?? amount);
    phases.set(phase, { amount: before.amount + amount, most });
  }
  return { all: figure(predicted.seconds), most: figure(predicted.most_seconds), phases };
}

/** What was expected, and at most, in a cell. */
function range(amount, most) {
  if (figure(amount) === null) return decimal(null);
  return most > amount * 1.1 ? `${decimal(amount)} to ${decimal(most)}` : decimal(amount);
}

/** How what came lies beside what was expected, in a sentence. */
function outcomeWords(stats) {
  const predicted = expectations(stats);
  if (predicted.all === null) return null;
  const off = stats.seconds / predicted.all - 1;
  const size = Math.abs(off);
  const beside = size < 0.01 ? "as predicted" : `${percent(size)} ${off > 0 ? "longer" : "less"}`;
  const atMost =
    predicted.most !== null && predicted.most > predicted.all * 1.005
      ? `, ${seconds(predicted.most)} if new memory is slow`
      : "";
  const outcome = `it took ${seconds(stats.seconds)}, ${beside}`;
  const marks = "The marks across the bars show the prediction.";
  return `Predicted: ${seconds(predicted.all)}${atMost}; ${outcome}. ${marks}`;
}

function phaseTable(stats) {
  const shares = list(stats.phases).map(object);
  if (shares.length === 0) return [];
  const predicted = expectations(stats);
  const isPredicted = predicted.phases.size > 0;
  const largest = most([
    ...shares.map((share) => share.seconds),
    ...[...predicted.phases.values()].map((phase) => phase.amount),
  ]);
  const wide = make(
    "th",
    { scope: "col", class: "wide" },
    make("span", { class: "visually-hidden" }, "Shown as a bar"),
  );
  const heads = [
    "Phase",
    "Seconds",
    wide,
    isPredicted && "Expected",
    "Waiting",
    "User",
    "System",
  ].filter(Boolean);
  const row = (share) => {
    const expected = predicted.phases.get(share.phase) ?? { amount: null, most: null };
    return [
      phaseWords(share.phase),
      decimal(share.seconds),
      make("td", { class: "wide" }, meter(share.seconds, expected.amount, largest)),
      isPredicted && range(expected.amount, expected.most),
      decimal(share.io_wait_seconds),
      decimal(share.user_seconds),
      decimal(share.system_seconds),
    ].filter((cell) => cell !== false);
  };
  const rows = shares.map(row);
  rows.push(
    [
      make("th", { scope: "row" }, make("b", null, "all")),
      make("b", null, decimal(stats.seconds)),
      "",
      isPredicted && range(predicted.all, predicted.most),
      decimal(sum(shares.map((share) => share.io_wait_seconds))),
      decimal(stats.user_seconds),
      decimal(stats.system_seconds),
    ].filter((cell) => cell !== false),
  );
  return [
    table(
      "Seconds; waiting for I/O is the sum over all workers, user and system time the sum over all processors",
      heads,
      rows,
    ),
  ];
}

/** A bar of parts, each `[name, amount, attributes]`, of a whole. */
function stack(parts, whole_) {
  const bar = make("div", { class: "stack", "aria-hidden": "true" });
  for (const [name, amount, attributes] of parts) {
    if (!(amount > 0) || !(whole_ > 0)) continue;
    const share = amount / whole_;
    const { detail, ...others } = attributes;
    const label = `${name}: ${seconds(amount)}, ${percent(share)}${detail || ""}`;
    const part = make("span", { ...others, title: label }, name);
    part.style.width = `${(100 * share).toFixed(3)}%`;
    bar.append(part);
  }
  // A name that does not fit is left to the legend.
  watchWidth(bar, () => {
    for (const part of bar.children) part.classList.remove("tight");
    for (const part of bar.children)
      part.classList.toggle("tight", part.scrollWidth > part.clientWidth);
  });
  return bar;
}

const inkOf = ({ light, pale }) => (light ? "light" : pale ? "pale" : null);
/** What a worker waited for: streams with their seconds, as far as it is known. */
const waitsOf = (worker) =>
  STREAMS.map((stream) => [stream, figure(object(worker.waiting_for)[stream.key]) ?? 0]).filter(
    ([, amount]) => amount > 0,
  );
function waitWords(worker) {
  const waits = waitsOf(worker).map(([{ name }, amount]) => `${name} ${seconds(amount)}`);
  return waits.length > 0 ? ` (for: ${waits.join(", ")})` : "";
}
const activityParts = (worker) =>
  ACTIVITIES.map((activity) => [
    activity.key,
    figure(worker[activity.key]) ?? 0,
    {
      colour: `--${activity.key}`,
      class: inkOf(activity),
      detail: activity.key === "waiting" && waitWords(worker),
    },
  ]);
/** A row of seconds for what workers waited for, where that is known. */
function waitRow(workers) {
  const all = STREAMS.map((stream) =>
    sum(workers.map((worker) => figure(object(worker.waiting_for)[stream.key]) ?? 0)),
  );
  const parts = STREAMS.map((stream, at) => [stream.name, all[at]]).filter(([, one]) => one > 0);
  if (parts.length === 0) return null;
  const reasons = parts.map(([name, one]) => `${name} ${seconds(one)}`).join(", ");
  return make("p", { class: "note waits" }, `Time spent waiting for: ${reasons}.`);
}

function workerParts(stats) {
  const workers = list(stats.workers).map(object);
  const busy = (worker) => sum(ACTIVITIES.map(({ key }) => worker[key]));
  if (workers.length === 0 || most(workers.map(busy)) === 0) return [];
  const longest = most(workers.map(busy));
  const used = ACTIVITIES.filter(({ key }) => workers.some((worker) => figure(worker[key]) > 0));
  const stacks = make(
    "div",
    { class: "stacks" },
    workers.map((worker, at) => [
      make("div", { class: "stack-name" }, `worker ${at + 1}`),
      stack(activityParts(worker), longest),
    ]),
  );
  const legend = make(
    "div",
    { class: "legend" },
    used.map(({ key }) => make("span", { class: "key", colour: `--${key}` }, make("i"), key)),
  );
  const rows = workers.map((worker, at) => [
    `worker ${at + 1}`,
    ...used.map(({ key }) => decimal(worker[key])),
  ]);
  if (workers.length > 1) {
    rows.push([
      "all",
      ...used.map(({ key }) => decimal(sum(workers.map((worker) => worker[key])))),
    ]);
  }
  const figures = table("Seconds of each worker", ["Worker", ...used.map(({ key }) => key)], rows);
  return [stacks, legend, waitRow(workers), make("details", null, make("summary", null, "Show as a table"), figures)];
}

function requestParts(stats) {
  const requests = object(stats.requests);
  const rows = usedStreams(stats).map((stream) => {
    const of = object(requests[stream.key]);
    const amount = object(stats.streams)[stream.key];
    const per = (value) => (figure(value) !== null && of.count > 0 ? value / of.count : null);
    return [
      make("th", { scope: "row" }, swatched(stream.name, stream.colour)),
      bytes(amount),
      count(of.count),
      bytes(per(amount)),
      per(of.in_flight) === null ? DASH : short(per(of.in_flight)),
      percent(figure(of.cached_bytes) !== null && of.count > 0 ? of.cached_bytes / amount : null),
    ];
  });
  if (rows.length === 0) return [];
  return [
    table(
      "Depth is the mean number of requests of a worker in flight at the start of a request",
      ["Stream", "Bytes", "Requests", "Mean size", "Mean depth", "Page cache"],
      rows,
    ),
  ];
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value);
  return (
    known.length > 0 &&
    make(
      "dl",
      { class: "facts" },
      known.map(([name, value]) => [make("dt", null, name), make("dd", null, value)]),
    )
  );
}

const names = (values) => list(values).map(words).filter(Boolean).join(", ");

const capital = (text) => text && text[0].toUpperCase() + text.slice(1);

function planFacts(stats) {
  const packed = object(stats.run_compression);
  const direct = { true: "past the page cache", false: "through the page cache" };
  return [
    ["Algorithm", words(stats.algorithm)],
    ["Threads", figure(stats.threads) !== null && count(stats.threads)],
    [
      "Stages",
      figure(object(stats.stages).count) !== null && [
        count(stats.stages.count),
        stats.stages.overlapped > 0 &&
          `, in ${count(stats.stages.overlapped)} of them reading a load overlapped with writing another`,
      ],
    ],
    ["I/O engine", words(stats.engine)],
    ["Inputs", direct[stats.direct_input]],
    ["Runs", direct[stats.direct_spill]],
    ["Output", direct[stats.direct_output]],
    [
      "Compressed",
      figure(object(stats.streams).compressed_read) !== null &&
        `${bytes(stats.streams.compressed_read)} read`,
    ],
    [
      "Compressed",
      figure(object(stats.streams).compressed_written) !== null &&
        `${bytes(stats.streams.compressed_written)} written`,
    ],
    [
      "Runs compressed",
      words(packed.choice) && [
        words(packed.choice),
        packed.stored_bytes > 0 && `, ${bytes(packed.bytes)} stored as ${bytes(packed.stored_bytes)}`,
      ],
    ],
    ["Orders", names(stats.collations)],
    ...list(stats.levers)
      .map(object)
      .filter((lever) => lever.name !== "compression of runs")
      .map((lever) => [capital(words(lever.name)), words(lever.value)]),
  ];
}

function machineFacts(stats) {
  const machine = object(stats.machine);
  const date = words(machine.date);
  return [
    ["Processor", words(machine.processor)],
    ["Cores", figure(machine.cores) !== null && count(machine.cores)],
    ["Memory", figure(machine.memory) !== null && memory(machine.memory)],
    ["Kernel", words(machine.kernel)],
    ["sortwell", words(machine.version)],
    ["Date", date && date.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")],
  ];
}
