// Every layer and head as one picture: a small map each, on one canvas. Click or Enter opens a head.

const GAP = 4;

function lay(state) {
  const { data, root } = state;
  const most = Math.max(...data.counts);
  const pen = state.canvas.getContext("2d");
  pen.font = `${12 * data.size}px sans-serif`;
  const left = Math.max(...data.layers.map((text) => pen.measureText(text).width)) + 14, top = data.size * 22;
  const side = Math.max(14, Math.min(data.largest, Math.floor((root.offsetWidth - left) / most) - GAP));
  Object.assign(state, { left, top, side, room: root.offsetWidth });
}

const corner = ({ left, top, side }, layer, head) => [left + head * (side + GAP), top + layer * (side + GAP)];

function draw(state) {
  lay(state);
  const { data, canvas, overlay, root, left, top, side } = state;
  const [width, height] = corner(state, data.counts.length, Math.max(...data.counts));
  const pen = fit(canvas, width + 2, height + 2);
  state.pen = fit(overlay, width + 2, height + 2);
  const style = getComputedStyle(root);
  pen.font = `${12 * data.size}px ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  for (let head = 0; head < Math.max(...data.counts); head++) pen.fillText(`${head + data.first}`, corner(state, 0, head)[0] + side / 2, top / 2);
  pen.textAlign = "right";
  let place = 0;
  data.counts.forEach((count, layer) => {
    pen.fillText(data.layers[layer], left - 8, corner(state, layer, 0)[1] + side / 2);
    for (let head = 0; head < count; head++, place++) tile(state, pen, layer, head, place);
  });
  show(state);
}

function tile(state, pen, layer, head, place) {
  const { data, picture, side } = state;
  const [rows, columns] = data.shapes[layer];
  const cells = data.array(layer, Uint8Array);
  const size = rows * columns;
  const image = new ImageData(columns, rows);
  for (let i = 0; i < size; i++) {
    image.data.set(data.colours[cells[head * size + i]], 4 * i);
    image.data[4 * i + 3] = 255;
  }
  [picture.width, picture.height] = [columns, rows];
  picture.getContext("2d").putImageData(image, 0, 0);
  const [x, y] = corner(state, layer, head);
  pen.imageSmoothingEnabled = columns > side;
  if (!data.turned) return pen.drawImage(picture, x, y, side, side);
  pen.save();
  pen.transform(0, 1, 1, 0, x, y);
  pen.drawImage(picture, 0, 0, side, side);
  return pen.restore();
}

function show(state) {
  const { data, pen, overlay, side, at, readout } = state;
  pen.clearRect(0, 0, overlay.width, overlay.height);
  const ring = ([layer, head], colour, width) => {
    const [x, y] = corner(state, layer, head);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.strokeRect(x - 1.5, y - 1.5, side + 3, side + 3);
  };
  for (const chosen of data.chosen) ring(chosen, data.accent, 3);
  if (at) ring(at, getComputedStyle(state.root).color, 1.5);
  write(readout, at ? data.notes[place(data, at)] : data.hint);
}

const place = ({ counts }, [layer, head]) => counts.slice(0, layer).reduce((sum, count) => sum + count, 0) + head;
const there = ({ counts }, [layer, head]) => layer >= 0 && layer < counts.length && head >= 0 && head < counts[layer];

function under({ data, overlay, left, top, side }, event) {
  const box = overlay.getBoundingClientRect();
  const zoom = overlay.offsetWidth ? box.width / overlay.offsetWidth : 1;
  const at = [(event.clientY - box.top) / zoom - top, (event.clientX - box.left) / zoom - left].map((d) => Math.floor(d / (side + GAP)));
  return there(data, at) ? at : null;
}

function point(state, at) {
  state.at = at;
  show(state);
}

function open(state, at, more) {
  if (at) state.send("head", { layer: at[0], head: at[1], more, kept: takeKept() });
}

function press(state, event) {
  const { data } = state;
  const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
  const now = state.at ?? data.chosen[0] ?? [0, 0];
  if (step) {
    const layer = Math.max(0, Math.min(data.counts.length - 1, now[0] + step[0]));
    point(state, [layer, Math.max(0, Math.min(data.counts[layer] - 1, now[1] + step[1]))]);
  } else if (event.key === "Enter" || event.key === " ") open(state, now, event.shiftKey || event.ctrlKey);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const root = make("div", "root heads holds");
  const [canvas, overlay, picture, readout, title] = [make("canvas"), make("canvas", "over"), make("canvas"), make("p", "readout"), make("p", "quiet title")];
  const state = { root, canvas, overlay, picture, readout, title, at: null };
  overlay.tabIndex = 0;
  overlay.role = "application";
  readout.ariaLive = "polite";
  overlay.onpointermove = (event) => point(state, under(state, event));
  overlay.onpointerleave = () => point(state, null);
  overlay.onclick = (event) => open(state, under(state, event), event.shiftKey || event.ctrlKey || event.metaKey);
  overlay.onkeydown = (event) => press(state, event);
  root.append(title, make("div", "stage", canvas, overlay), readout);
  parent.append(root);
  state.watch = new ResizeObserver(() => state.data && root.offsetWidth !== state.room && draw(state));
  state.watch.observe(root);
  return state;
}

function render(state) {
  const { root, overlay, title, data } = state;
  root.style.fontSize = `${data.size}rem`;
  overlay.ariaLabel = data.label;
  write(title, data.title);
  draw(state);
}

export default mount(start, render);
