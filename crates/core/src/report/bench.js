// The page of a bench: what it measured, and what papers printed, each in tables of its own.

/** A cell of a finding's table: words, a figure, a spread of figures, or nothing. */
function benchCell(cell) {
  if (cell === null) return DASH;
  if (typeof cell === "number") return cell.toPrecision(3);
  if (typeof cell === "object") return `${Number(cell.median).toPrecision(3)}`;
  return words(cell);
}

/** All of a finding. */
function benchOf(finding) {
  const tables = list(finding.tables).map((part) =>
    section(
      words(part.title),
      words(part.note),
      table(
        words(part.title),
        list(part.columns).map(words),
        list(part.rows).map((row) => list(row).map(benchCell)),
      ),
    ),
  );
  return [make("h1", null, words(finding.title)), make("p", null, words(finding.answer)), ...tables];
}
