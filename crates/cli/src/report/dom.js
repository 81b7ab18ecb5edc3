// Elements from words. Text goes in as text nodes alone, so that nothing the statistics say is
// ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "colour") element.style.setProperty("--colour", `var(${value})`);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

const make = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);
/** What a stylesheet variable stands for at the moment. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let sections = 0;
/** A part of the page under a heading; none where all its contents are missing. */
function section(title, note, ...children) {
  const contents = children.flat(Infinity).filter(Boolean);
  if (contents.length === 0) return null;
  const id = `part-${++sections}`;
  return make(
    "section",
    { "aria-labelledby": id },
    make("h2", { id }, title),
    note && make("p", { class: "note" }, note),
    contents,
  );
}

/** A table: heads are words, cells words or elements, the first of each row its head. */
function table(caption, heads, rows, attributes) {
  const cell = (value, at) => {
    if (value instanceof HTMLTableCellElement) return value;
    if (at === 0) return make("th", { scope: "row" }, value);
    return make("td", { class: value === DASH && "none" }, value);
  };
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      attributes,
      make("caption", null, make("span", null, caption)),
      make(
        "thead",
        null,
        make(
          "tr",
          null,
          heads.map((head) => (head instanceof Node ? head : make("th", { scope: "col" }, head))),
        ),
      ),
      make(
        "tbody",
        null,
        rows.map((row) => make("tr", null, row.map(cell))),
      ),
    ),
  );
}

/** A figure that stands large, under its name; what is said of it stands small below. */
function tile(name, large, unit, ...below) {
  return make(
    "div",
    null,
    make("dt", null, name),
    make("dd", null, large, unit && [" ", make("small", null, unit)]),
    below.filter(Boolean).map((line) => make("dd", null, line)),
  );
}

/** A name with the colour it is drawn in. */
const swatched = (name, of) =>
  make("span", { class: "swatched" }, make("i", { colour: of }), make("span", null, name));

/** Calls back with the width an element has, now and whenever that changes. */
function watchWidth(element, then) {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      then(width);
    }
  }).observe(element);
}
