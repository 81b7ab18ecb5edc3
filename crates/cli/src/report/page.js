// The page as a whole: one sort or several, or a bench; light or dark.

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

/** The sorts with the shortest distinct names: without the folders that all of
 *  them have in front. */
function shortlyNamed(sorts) {
  const parts = sorts.map(({ name }) => name.split("/"));
  const shared = (at) => parts.every((part) => at < part.length - 1 && part[at] === parts[0][at]);
  let from = 0;
  while (shared(from)) from += 1;
  return sorts.map((sort, at) => ({ ...sort, name: parts[at].slice(from).join("/") }));
}

function begin() {
  const data = JSON.parse(document.getElementById("sorts").textContent);
  themed();
  const main = document.getElementById("main");
  const what = document.getElementById("what");
  if (object(data).bench) {
    const finding = object(data.bench);
    what.textContent = words(finding.bench) && `bench ${words(finding.bench)}`;
    main.replaceChildren(...benchOf(finding));
    document.title = `${main.querySelector("h1").textContent} – sortwell`;
    return;
  }
  const sorts = shortlyNamed(
    list(data).map((sort) => ({
      name: words(object(sort).name),
      stats: object(object(sort).stats),
    })),
  );
  if (sorts.length === 0) {
    main.replaceChildren(make("p", null, "There is no sort on this page."));
    return;
  }
  const parts =
    sorts.length > 1
      ? comparison(sorts)
      : [
          ...headline(sorts[0]),
          tiles(sorts[0].stats),
          proofLine(sorts[0].stats),
          ...reportOf(sorts[0]),
        ];
  what.textContent = sorts.length > 1 ? "" : sorts[0].name;
  main.replaceChildren(...parts.filter(Boolean));
  document.title = `${main.querySelector("h1").textContent} – sortwell`;
}

begin();
