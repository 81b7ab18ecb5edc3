// Processor counters of a sort: cycles, instructions and misses, all and for each record.

/** The amount per item; null where either is no figure. */
const ratio = (amount, of) =>
  figure(amount) !== null && figure(of) > 0 ? figure(amount / of) : null;
const cyclesARecord = (stats) => ratio(object(stats.counters).cycles, stats.records);
const instructionsACycle = (stats) =>
  ratio(object(stats.counters).instructions, object(stats.counters).cycles);

const COUNTED_WHERE =
  "In user mode, for all threads. The processor decides which cache's misses it counts.";

function counterTiles(stats) {
  const { cycles, instructions, cache_misses, tlb_misses } = object(stats.counters);
  const inAll = (amount) => figure(amount) !== null && `${rounded(amount)} in total`;
  const per = (name, value, ...others) => value !== null && tile(name, short(value), ...others);
  const aRecord = (name, amount) =>
    per(name, ratio(amount, stats.records), "per record", inAll(amount));
  const known = [
    aRecord("Cycles", cycles),
    per("Instructions", instructionsACycle(stats), "per cycle", inAll(instructions)),
    aRecord("Cache misses", cache_misses),
    aRecord("TLB misses", tlb_misses),
  ].filter(Boolean);
  if (known.length === 0) return [];
  return [make("p", { class: "note" }, COUNTED_WHERE), make("dl", { class: "tiles" }, known)];
}

/** Counts, or in a line why there are none; nothing of a sort that did not ask. */
function counterParts(stats) {
  const missing = words(object(stats.counters).missing);
  if (!missing) return counterTiles(stats);
  const sentence = `No cycles, instructions or misses: ${missing}.`;
  return [make("p", { class: "note counters" }, sentence)];
}
