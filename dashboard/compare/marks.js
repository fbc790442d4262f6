// Marks of charts by keyboard. Each chart is one stop of Tab: arrow keys go from mark to mark, which shows its figures as
// pointing at it does, and Enter opens the matches behind it as a click does. Vega draws marks and knows nothing of keys.
(() => {
  if (window.parleyMarks) return;
  window.parleyMarks = true;
  const CHART = "[data-testid=stVegaLiteChart]";
  const DRAWN = ".mark-symbol.role-mark > path, .mark-rect.role-mark > path";
  const ABOUT = "Arrow keys go to the other marks, Enter opens the matches behind this one";

  const marksOf = (chart) => [...chart.querySelectorAll(DRAWN)].filter((mark) => mark.__data__?.href);
  const chartOf = (mark) => (mark instanceof SVGElement && mark.hasAttribute("tabindex") ? mark.closest(CHART) : null);

  function prepare() {
    for (const chart of document.querySelectorAll(CHART)) {
      if (chart.querySelector("svg path[tabindex='0']")) continue;
      for (const [place, mark] of marksOf(chart).entries()) {
        mark.setAttribute("tabindex", place ? -1 : 0);
        mark.setAttribute("role", "link");
        mark.removeAttribute("aria-roledescription");
        mark.setAttribute("aria-description", ABOUT);
      }
    }
  }

  function point(mark, kinds) {
    const { left, top, width, height } = mark.getBoundingClientRect();
    const at = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 };
    for (const kind of kinds) mark.dispatchEvent(new PointerEvent(kind, at));
  }

  /** The mark that a key leads to; in a map, up and down stay in the column. */
  function reached(marks, mark, key) {
    const place = marks.indexOf(mark);
    const forward = key === "ArrowRight" || key === "ArrowDown";
    if (key === "Home" || key === "End") return marks.at(key === "Home" ? 0 : -1);
    if (mark.__data__.mark.marktype === "rect" && /Up|Down/.test(key)) {
      const column = marks.filter((one) => one.__data__.x === mark.__data__.x);
      return column[column.indexOf(mark) + (forward ? 1 : -1)];
    }
    return marks[place + (forward ? 1 : -1)];
  }

  document.addEventListener("keydown", (event) => {
    const mark = event.target;
    const chart = chartOf(mark);
    if (!chart || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") mark.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    else if (!/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key)) return;
    event.preventDefault();
    const next = event.key === "Enter" ? null : reached(marksOf(chart), mark, event.key);
    if (!next) return;
    mark.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
  document.addEventListener("focusin", ({ target }) => chartOf(target) && point(target, ["pointerover", "pointermove"]));
  document.addEventListener("focusout", ({ target }) => chartOf(target) && point(target, ["pointerout"]));
  let due = 0;
  const watch = new MutationObserver(() => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(prepare);
  });
  watch.observe(document.body, { childList: true, subtree: true });
  prepare();
})();
