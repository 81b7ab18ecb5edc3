// The page of a bench: its answer, what it measured, what papers printed, and what is unfair about
// laying the two beside each other. They never share a table, and on no line of a chart are both.

/** What was asked, and what came of it. */
function benchHeadline(finding) {
  const title = words(finding.title) || words(finding.bench) || "A bench";
  const answer = words(finding.answer);
  const about = words(finding.about);
  return [
    make("h1", null, title.charAt(0).toUpperCase() + title.slice(1)),
    answer && make("p", { class: "lead answer" }, answer),
    about && make("p", { class: "note about" }, about),
  ];
}

/** The figures of a table with a single row, each large. */
function benchTiles(tables) {
  const single = tables.find((part) => list(part.rows).length === 1);
  if (!single) return null;
  const row = list(list(single.rows)[0]);
  const known = list(single.columns)
    .map((head, at) => ({ head: words(head), cell: row[at] }))
    .filter(({ cell }) => typeof cell !== "string" && cellWords(cell) !== DASH);
  const tile_ = ({ head, cell }) => {
    const range = rangeOf(cell);
    return tile(head, cellWords(cell), null, range && `${range} in ${counted(cell.count, "run")}`);
  };
  return known.length > 0 && make("dl", { class: "tiles" }, known.map(tile_));
}

/** Where and how it was measured. */
function settingSection(finding) {
  const setting = object(finding.setting);
  const command = words(setting.command);
  const pairs = facts([
    ...machineFacts(setting),
    ["Disk", words(setting.disk)],
    ["Input", words(setting.cold)],
    ["Command", command && make("code", null, command)],
  ]);
  if (pairs) pairs.classList.add("setting");
  return section("Machine and setting", null, pairs);
}

function unfairSection(finding) {
  const points = list(finding.unfair).map(words).filter(Boolean);
  const part = section(
    "Limits of the comparison",
    null,
    points.length > 0 &&
      make(
        "ul",
        null,
        points.map((point) => make("li", null, point)),
      ),
  );
  part?.classList.add("advice");
  return part;
}

/** What papers say, apart from all that was measured. */
function printedSection(tables, references) {
  const part = section(
    "Printed in the papers",
    "Figures as printed by the authors, for their machines; nothing is computed from them.",
    [
      tables.map(foundTable),
      references.length > 0 &&
        make(
          "ul",
          { class: "references" },
          references.map((paper) => make("li", null, paper)),
        ),
    ],
  );
  part?.classList.add("printed");
  return part;
}

/** All of a finding. */
function benchOf(finding) {
  const tables = list(finding.tables).map(object);
  const measured = tables.filter(({ source }) => sourceOf(source).isMeasured);
  const printed = tables.filter(({ source }) => !sourceOf(source).isMeasured);
  const charts_ = list(finding.charts).map(object).map(foundChart).filter(Boolean);
  const isPrinted = charts_.some((chart) => chart.querySelector(".source"));
  return [
    ...benchHeadline(finding),
    benchTiles(measured),
    settingSection(finding),
    section(
      "Charts",
      isPrinted && "Solid lines were measured here; dashed lines were printed in papers.",
      charts_,
    ),
    section("Measured here", null, [
      measured.map(foundTable),
      samplesTable(list(finding.samples).map(object)),
    ]),
    printedSection(printed, list(finding.references).map(words).filter(Boolean)),
    unfairSection(finding),
  ].filter(Boolean);
}
