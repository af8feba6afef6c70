// How the stories find what a person sees: by its words, in the dialog when there is one.
globalThis.found = (() => {
  const root = () => [...document.querySelectorAll("dialog[open]")].pop() || document;
  const words = (one) => {
    const copy = one.cloneNode(true);
    for (const hidden of copy.querySelectorAll("[aria-hidden=true], select, textarea")) hidden.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  const named = (one) => one.getAttribute("aria-label") || words(one);
  const labelled = (one) => one.getAttribute("aria-label") || [...(one.labels || [])].map(words).join(" ");
  /** Of the elements that are called so, or else begin so, the one with the shortest name. */
  const best = (selector, text, name) =>
    [...root().querySelectorAll(selector)]
      .filter((one) => one.checkVisibility() && !one.disabled && name(one).startsWith(text))
      .sort((one, other) => name(one).length - name(other).length)[0];
  const frame = () => new Promise(requestAnimationFrame);
  return {
    button: (text) => best("button, a, summary", text, named),
    control: (label) => best("input, select, textarea", label, labelled),
    option: (text) =>
      [...root().querySelectorAll("[role=option]")].find((one) => !one.ariaDisabled && one.textContent.includes(text)),
    /** The place where an element is pressed, once it stays there; what is wrong where it cannot be. */
    spot: async (one) => {
      one.scrollIntoView({ block: "center", inline: "nearest" });
      await frame();
      const before = one.getClientRects()[0];
      await frame();
      const box = one.getClientRects()[0];
      if (!box || box.top !== before?.top || box.left !== before?.left) return "it moves";
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const top = document.elementFromPoint(x, y);
      const hit = one.contains(top) || [...(one.labels || [])].some((label) => label.contains(top));
      return hit ? [x, y] : `at ${x}, ${y} is ${top?.outerHTML.slice(0, 200)}`;
    },
    /** What is wider than the screen or the dialog. */
    wide: () =>
      [document.documentElement, ...document.querySelectorAll("dialog[open]")]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => `${one.tagName} is ${one.scrollWidth} wide instead of ${one.clientWidth}`)
        .join(),
  };
})();
