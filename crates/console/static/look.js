// How the pages look, as this browser remembers it: light or dark, and how close rows are.

/** Shows the pages as it was chosen; what was not is as the system or tokens.css says. */
export function applyLook() {
  const { dataset } = document.documentElement;
  for (const name of ["theme", "density"]) {
    const chosen = localStorage.getItem(name);
    if (chosen) dataset[name] = chosen;
    else delete dataset[name];
  }
}
