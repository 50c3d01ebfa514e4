// Save the figure beside a button as the picture that the button names, on the ground of its page.
window.attnvizSaves ??= document.addEventListener("click", ({ target }) => {
  const format = target.closest?.("[data-format]")?.dataset.format;
  const frame = format && target.closest("[class*='st-key-figure-']");
  const figure = frame?.querySelector(".js-plotly-plot");
  const native = figure?.querySelector(".modebar-btn");
  if (!native) return;
  const { layout } = figure;
  const { paper_bgcolor } = layout;
  const ground = getComputedStyle(document.querySelector(".stApp")).backgroundColor;
  Object.assign(figure._context.toImageButtonOptions, { format, scale: format === "png" ? 2 : 1 });
  layout.paper_bgcolor = ground;
  native.click();
  layout.paper_bgcolor = paper_bgcolor;
}) ?? true;
