// Draws every figure of the page in the colours that the reader's system asks for.
const drawings = JSON.parse(document.getElementById("drawings").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {
  for (const [place, { light, dark: night }] of Object.entries(drawings)) {
    const { data, layout } = (dark.matches && night) || light;
    Plotly.react(place, data, layout, { displayModeBar: false, scrollZoom: false, doubleClick: false });
  }
}
dark.addEventListener("change", draw);
draw();
