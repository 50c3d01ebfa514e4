// One step back leaves a page: Streamlit notes its bare address first, then the one with settings.
window.attnvizBack ??= (() => {
  const push = history.pushState.bind(history);
  let bare = "";
  history.pushState = (state, title, address) => {
    const to = new URL(address, location);
    const completes = bare === location.href && to.pathname === location.pathname;
    bare = to.pathname !== location.pathname && !to.search ? to.href : "";
    if (completes) history.replaceState(state, title, address);
    else push(state, title, address);
  };
  // What a person does next is a step of its own.
  for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => (bare = ""), true);
  return true;
})();
