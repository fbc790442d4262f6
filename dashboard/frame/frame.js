// Links of the bar go by the address as it stands when they are used: some pages write it without the server.
(() => {
  if (window.parleyBar) return;
  window.parleyBar = true;
  const keep = ({ target }) => {
    const link = target instanceof Element && target.closest(".parley-nav a");
    if (!link) return;
    const here = new URLSearchParams(location.search);
    const there = new URL(link.href);
    for (const key of link.closest("[data-keeps]").dataset.keeps.split(" ")) {
      there.searchParams.delete(key);
      for (const value of here.getAll(key)) there.searchParams.append(key, value);
    }
    link.href = there.href;
  };
  for (const kind of ["pointerdown", "focusin", "click"]) document.addEventListener(kind, keep, true);
})();
