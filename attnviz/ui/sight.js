// Where a line of questions scrolls, the one that is shown is brought into sight.
window.attnvizSight ??= (() => {
  const LINE = ".st-key-questions [role=radiogroup]";
  const seen = new WeakMap();
  const bring = () => document.querySelectorAll(LINE).forEach((line) => {
    const chosen = line.querySelector("[aria-checked=true]");
    if (!chosen || seen.get(line) === chosen.textContent) return;
    seen.set(line, chosen.textContent);
    const [frame, { left, width }] = [line.getBoundingClientRect(), chosen.getBoundingClientRect()];
    line.scrollLeft += left + width / 2 - frame.left - frame.width / 2;
  });
  new MutationObserver(bring).observe(document.body, { subtree: true, childList: true, attributeFilter: ["aria-checked"] });
  bring();
  return true;
})();
