// The plan as a picture: where the bytes went, from input to output. Ribbons between the boxes have
// the colours of their streams and are as thick as what flowed through them.

const BOX = { width: 138, height: 128, gap: 64 };
const LOW_BOX = { height: 76, gap: 58 };
/** Widths of ribbons, of the thinnest and the thickest. */
const RIBBON = { least: 3, most: 24 };

/** Boxes of a plan in their order, and what flows from each to the next. */
function planOf(stats) {
  const streams = object(stats.streams);
  const selected = figure(stats.records_selected) ?? stats.records;
  const input = {
    title: "Input",
    drawing: "unsorted",
    lines: [counted(stats.records, "record"), bytes(stats.bytes)],
  };
  // Direct writes are of whole pages, so that a small output has fewer bytes than were written.
  const isPlain = figure(streams.compressed_written) === null;
  const written = figure(streams.output_written) ?? stats.bytes;
  const exact = selected === stats.records ? stats.bytes : figure(stats.bytes_selected) ?? written;
  const output = {
    title: "Output",
    drawing: "sorted",
    lines: [counted(selected, "record"), bytes(isPlain ? Math.min(written, exact) : written)],
  };
  const threads = figure(stats.threads) ? counted(stats.threads, "thread") : null;
  const memoryBox = {
    title: "Memory",
    drawing: "buckets",
    lines: [
      figure(stats.loads) ? counted(stats.loads, "load") : memory(stats.memory_budget),
      threads,
    ],
  };
  const intermediate = phaseSeconds(stats, "intermediate-merge") !== null;
  const merge = {
    title: "Merge",
    drawing: "merge",
    lines: [
      figure(stats.merge_width) ? `${stats.merge_width} at once` : threads,
      intermediate ? "in several levels" : words(stats.merge) && `by ${words(stats.merge)}`,
    ],
  };
  const flow = (stream, phase) => {
    const amount = figure(streams[stream]);
    const took = phase && phaseSeconds(stats, phase);
    return { stream, amount, rate: amount && took > 0 ? amount / took : null };
  };
  if (isMerge(stats)) {
    if (figure(stats.runs) > 0)
      input.lines = [counted(stats.runs, "sorted input"), counted(stats.records, "record")];
    return {
      boxes: [input, merge, output],
      flows: [flow("input_read", "writing"), flow("output_written", "writing")],
    };
  }
  if (figure(stats.runs) > 0) {
    const making = intermediate ? null : "run-generation";
    const runs = {
      title: "Runs on disk",
      drawing: "runs",
      lines: [counted(stats.runs, "run"), bytes(streams.spill_written)],
    };
    return {
      boxes: [input, memoryBox, runs, merge, output],
      flows: [
        flow("input_read", "run-generation"),
        flow("spill_written", making),
        flow("spill_read", making && "writing"),
        flow("output_written", "writing"),
      ],
    };
  }
  return {
    boxes: [input, memoryBox, output],
    flows: [flow("input_read", "reading"), flow("output_written", "writing")],
  };
}

/** The picture in words. */
function planWords({ boxes, flows }) {
  const part = (box, at) => {
    const what = `${box.title}: ${box.lines.filter(Boolean).join(", ")}`;
    return flows[at] ? `${what}; then ${bytes(flows[at].amount)}` : what;
  };
  return boxes.map(part).join(". ");
}

/** Bars in the middle of a box, 44 wide and 30 high: how far the order has come. */
const DRAWINGS = {
  unsorted: [11, 26, 5, 19, 30, 8, 22, 15],
  sorted: [5, 8, 11, 15, 19, 22, 26, 30],
  buckets: [11, 5, 8, null, 19, 15, null, 26, 22, 30],
  runs: [5, 15, 26, null, 8, 19, 30, null, 11, 22],
};

function drawing(kind, x, y) {
  const ink = { fill: "var(--accent)" };
  if (kind === "merge") {
    const line = (from) =>
      draw("path", {
        d: `M${x - 24} ${y + from} C${x} ${y + from} ${x - 8} ${y + 15} ${x + 14} ${y + 15}`,
        fill: "none",
        stroke: "var(--accent)",
        "stroke-width": 2.5,
        "stroke-linecap": "round",
      });
    return draw(
      "g",
      { "aria-hidden": "true" },
      [3, 11, 19, 27].map(line),
      draw("path", { d: `M${x + 14} ${y + 9} l10 6 l-10 6 z`, ...ink }),
    );
  }
  const bars = DRAWINGS[kind];
  const step = 6;
  const left = x - (bars.length * step - 2) / 2;
  return draw(
    "g",
    { "aria-hidden": "true" },
    bars.map(
      (height, at) =>
        height &&
        draw("rect", {
          x: left + at * step,
          y: y + 30 - height,
          width: 4,
          height,
          rx: 1,
          ...ink,
        }),
    ),
  );
}

const label = (x, y, kind, text, anchor = "middle") =>
  draw("text", { x, y, class: kind, "text-anchor": anchor }, text);

/** How thick the ribbon of a flow is. */
function thickness(flow, largest) {
  if (!flow.amount || !largest) return RIBBON.least;
  return RIBBON.least + (RIBBON.most - RIBBON.least) * (flow.amount / largest);
}

const frame = (x, y, width, height) =>
  draw("rect", {
    class: "box",
    x: x + 0.5,
    y: y + 0.5,
    width: width - 1,
    height: height - 1,
    rx: 10,
  });
/** What flows, in the colour of its stream: the outline in parts. */
const arrow = (flow, outline) =>
  draw("path", {
    d: outline.join(""),
    fill: `var(${STREAMS.find((stream) => stream.key === flow.stream).colour})`,
  });

/** Side by side, where there is room. */
function widePlan(plan, width) {
  const { boxes, flows } = plan;
  const room = width - boxes.length * BOX.width;
  const gap = Math.min(150, Math.max(BOX.gap, room / flows.length));
  const all = boxes.length * BOX.width + flows.length * gap;
  const largest = most(flows.map((flow) => flow.amount));
  const middle = BOX.height / 2;
  const parts = flows.map((flow, at) => {
    const from = (at + 1) * BOX.width + at * gap;
    const half = thickness(flow, largest) / 2;
    const [start, end] = [from + 5, from + gap - 5];
    const neck = end - 11;
    const head = half + 5;
    const x = from + gap / 2;
    return draw(
      "g",
      null,
      arrow(flow, [
        `M${start} ${middle - half}H${neck}V${middle - head}L${end} ${middle}`,
        `L${neck} ${middle + head}V${middle + half}H${start}z`,
      ]),
      label(x, middle - head - 8, "amount", bytes(flow.amount)),
      flow.rate && label(x, middle + head + 17, "soft", `${bytes(flow.rate)}/s`),
    );
  });
  boxes.forEach((box, at) => {
    const left = at * (BOX.width + gap);
    const x = left + BOX.width / 2;
    parts.push(
      draw(
        "g",
        null,
        frame(left, 0, BOX.width, BOX.height),
        drawing(box.drawing, x, 16),
        label(x, 68, "title", box.title),
        box.lines.filter(Boolean).map((line, row) => label(x, 88 + row * 18, "soft", line)),
      ),
    );
  });
  return picture(plan, all, BOX.height, parts);
}

/** One below the other, on narrow screens. */
function tallPlan(plan, width) {
  const { boxes, flows } = plan;
  const step = LOW_BOX.height + LOW_BOX.gap;
  const largest = most(flows.map((flow) => flow.amount));
  const x = 58;
  const parts = flows.map((flow, at) => {
    const half = thickness(flow, largest) / 2;
    const start = at * step + LOW_BOX.height + 5;
    const end = (at + 1) * step - 5;
    const neck = end - 11;
    const head = half + 5;
    return draw(
      "g",
      null,
      arrow(flow, [
        `M${x - half} ${start}V${neck}H${x - head}L${x} ${end}`,
        `L${x + head} ${neck}H${x + half}V${start}z`,
      ]),
      label(112, (start + end) / 2 + 4, "amount", bytes(flow.amount), "start"),
      flow.rate && label(186, (start + end) / 2 + 4, "soft", `${bytes(flow.rate)}/s`, "start"),
    );
  });
  boxes.forEach((box, at) => {
    const top = at * step;
    parts.push(
      draw(
        "g",
        null,
        frame(0, top, width, LOW_BOX.height),
        drawing(box.drawing, x, top + 22),
        label(112, top + 26, "title", box.title, "start"),
        box.lines
          .filter(Boolean)
          .map((line, row) => label(112, top + 45 + row * 18, "soft", line, "start")),
      ),
    );
  });
  return picture(plan, width, boxes.length * step - LOW_BOX.gap, parts);
}

const picture = (plan, width, height, parts) =>
  draw(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": planWords(plan),
    },
    parts,
  );

/** The picture, drawn anew whenever there is more or less room. */
function planPicture(stats) {
  const plan = planOf(stats);
  const place = make("div", { class: "plan" });
  // A little too wide is made smaller as a whole; much too wide would be too small to read.
  const least = 0.85 * (plan.boxes.length * BOX.width + plan.flows.length * BOX.gap);
  watchWidth(place, (width) =>
    place.replaceChildren(
      width >= least ? widePlan(plan, width) : tallPlan(plan, Math.min(width, 440)),
    ),
  );
  return place;
}
