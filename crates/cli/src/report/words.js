"use strict";
// Figures in words. Whatever is not a number is no figure: an older or later version may have
// left it out, and then it is null here and a dash on the page.

const figure = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
const list = (value) => (Array.isArray(value) ? value : []);
const object = (value) =>
  value && typeof value === "object" && !Array.isArray(value) ? value : {};
const words = (value) => (typeof value === "string" ? value : "");
const sum = (values) => values.reduce((all, value) => all + (figure(value) ?? 0), 0);
/** The largest, of any number of values. */
const most = (values) => values.reduce((all, value) => Math.max(all, figure(value) ?? 0), 0);

const DASH = "–";
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** Three digits that count, without an exponent. */
function short(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1000) return whole.format(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  return value.toFixed(digits);
}

function scaled(value, units, step) {
  if (figure(value) === null) return DASH;
  let unit = 0;
  // Compared as it will be shown, so that none is 1,000 of a unit with a larger one above.
  while (Math.abs(value) >= step * 0.9995 && unit < units.length - 1) {
    value /= step;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(value) : short(value)} ${units[unit]}`;
}

const bytes = (value) => scaled(value, ["B", "KB", "MB", "GB", "TB", "PB"], 1000);
/** Of memory, which comes in powers of two. */
const memory = (value) =>
  scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024).replace(/\.0+ /, " ");
const count = (value) => (figure(value) === null ? DASH : whole.format(value));
const counted = (value, one, many) => `${count(value)} ${value === 1 ? one : (many ?? `${one}s`)}`;
/** Two digits that count are enough of a share. */
function percent(share) {
  if (figure(share) === null) return DASH;
  const hundredths = share * 100;
  const isSmall = Math.abs(hundredths) < 9.95;
  return `${isSmall ? Number(hundredths.toFixed(1)) : whole.format(hundredths)}%`;
}
const cents = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
/** Seconds in a column: all with as many digits. */
const decimal = (value) => (figure(value) === null ? DASH : cents.format(value));
/** `10.0 M`, for what stands large. */
const rounded = (value) => scaled(value, ["", "K", "M", "G", "T"], 1000).trim();

/** Seconds of a sort: 1.02 s, 3 min 20 s, 2 h 05 min. */
function seconds(value) {
  if (figure(value) === null) return DASH;
  if (value < 120) {
    const digits = value === 0 ? 0 : value < 0.0995 ? 3 : value < 99.95 ? 2 : 0;
    return `${value.toFixed(digits)} s`;
  }
  const all = Math.round(value);
  const two = (part) => String(part).padStart(2, "0");
  if (all < 7200) return `${Math.floor(all / 60)} min ${two(all % 60)} s`;
  return `${whole.format(Math.floor(all / 3600))} h ${two(Math.floor((all % 3600) / 60))} min`;
}

/** Seconds of a request: 85 µs, 4.2 ms. */
function brief(value) {
  if (figure(value) === null) return DASH;
  const two = (part) =>
    part >= 99.5 ? whole.format(part) : part >= 9.95 ? part.toFixed(0) : part.toFixed(1);
  if (value < 0.9995e-3) return `${two(value * 1e6)} µs`;
  if (value < 0.9995) return `${two(value * 1e3)} ms`;
  return `${short(value)} s`;
}

const PHASES = {
  planning: "planning",
  reading: "reading",
  "run-generation": "writing runs",
  "intermediate-merge": "merging runs",
  writing: "writing output",
  finishing: "finishing",
  generating: "generating",
  validating: "validating",
};
const phaseWords = (phase) =>
  Object.hasOwn(PHASES, phase) ? PHASES[phase] : words(phase) || "unknown";

/** The four streams: name in the statistics, in words, as the name of a colour. */
const STREAMS = [
  { key: "input_read", name: "Input read", colour: "--input-read" },
  { key: "spill_written", name: "Runs written", colour: "--spill-written" },
  { key: "spill_read", name: "Runs read", colour: "--spill-read" },
  { key: "output_written", name: "Output written", colour: "--output-written" },
];
/** The streams that bytes went through. */
const usedStreams = (stats) =>
  STREAMS.filter((stream) => figure(object(stats.streams)[stream.key]) > 0);

/** What workers do, in the order of a sort; `light` where the letters on it are. */
const ACTIVITIES = [
  { key: "reading", light: true },
  { key: "waiting", pale: true },
  { key: "dealing" },
  { key: "sorting" },
  { key: "merging" },
  { key: "gathering" },
  { key: "writing" },
  { key: "resting", pale: true },
];

const passesWords = (stats) =>
  stats.passes === 1
    ? "one pass"
    : stats.passes === 2
      ? "two passes"
      : counted(stats.passes, "pass", "passes");
const rate = (stats) => (stats.seconds > 0 ? stats.bytes / 1e6 / stats.seconds : null);
/** Whether it brought sorted files together: then there are no loads. */
const isMerge = (stats) =>
  !(figure(stats.loads) > 0) && figure(stats.records) > 0 && "loads" in stats;
/** Seconds of a phase that all its shares come to, or null where there was none. */
function phaseSeconds(stats, phase) {
  const of = list(stats.phases).filter((share) => object(share).phase === phase);
  return of.length > 0 ? sum(of.map((share) => share.seconds)) : null;
}
