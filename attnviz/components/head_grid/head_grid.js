// Every layer and head as one picture: a small map each, on one canvas. Click or Enter opens a head.

const GAP = 4, APART = 14, MOST_BANKS = 4, SMALLEST = 15, LEAST = 14, WINDOW = 720;

const most = ({ counts }) => Math.max(...counts);
const rows = ({ counts }, banks) => Math.ceil(counts.length / banks);
const letter = ({ letter, size }) => letter ?? 12 * size;

// How wide a map can be where the layers stand in so many banks, one beside the other.
function across({ data, left, room }, banks) {
  return Math.min(data.largest, Math.floor(((room + APART) / banks - APART - left) / most(data)) - GAP);
}

function fitting(state, banks) {
  const { data, tall } = state;
  return Math.min(across(state, banks), Math.floor((Math.floor(tall / rows(data, banks)) - GAP) / (data.flat ?? 1)));
}

// All layers are seen at once: in smaller maps and in banks; where even those are too many, in a box that scrolls.
function lay(state) {
  const { data, root, stage } = state;
  const pen = state.canvas.getContext("2d");
  pen.font = `${letter(data)}px sans-serif`;
  const top = Math.ceil(letter(data) * 1.8);
  const left = Math.max(...data.layers.map((text) => pen.measureText(text).width)) + 14;
  const highest = data.tallest ? data.tallest + Math.max(0, innerHeight - WINDOW) : Infinity;
  Object.assign(state, { left, top, room: root.offsetWidth, tall: highest - top });
  const found = Array.from({ length: MOST_BANKS }, (_, i) => fitting(state, i + 1));
  const widest = Math.max(...found);
  const scrolls = widest < SMALLEST && highest < Infinity;
  const banks = scrolls || highest === Infinity ? 1 : found.indexOf(widest) + 1;
  const side = Math.max(LEAST, scrolls ? Math.min(28, across(state, 1)) : found[banks - 1]);
  const height = Math.round(side * (data.flat ?? 1));
  Object.assign(state, { banks, side, height, bank: left + most(data) * (side + GAP) - GAP + APART });
  stage.style.maxHeight = scrolls ? `${highest}px` : "";
  stage.style.overflowY = scrolls ? "auto" : "";
}

function corner({ data, banks, bank, left, top, side, height }, layer, head) {
  const n = rows(data, banks);
  return [Math.floor(layer / n) * bank + left + head * (side + GAP), top + (layer % n) * (height + GAP)];
}

function draw(state) {
  lay(state);
  const { data, canvas, overlay, root, side, height, banks, bank, left, top } = state;
  const size = [banks * bank - APART + 2, top + rows(data, banks) * (height + GAP) + 2];
  const pen = fit(canvas, ...size);
  state.pen = fit(overlay, ...size);
  const style = getComputedStyle(root);
  pen.font = `${letter(data)}px ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  const each = Math.max(1, Math.ceil((letter(data) * 1.3) / (side + GAP)));
  for (let at = 0; at < banks; at++) {
    for (let head = 0; head < most(data); head += each) pen.fillText(`${head + data.first}`, at * bank + left + head * (side + GAP) + side / 2, top / 2);
  }
  pen.textAlign = "right";
  let place = 0;
  data.counts.forEach((count, layer) => {
    const [x, y] = corner(state, layer, 0);
    pen.fillText(data.layers[layer], x - 8, y + height / 2);
    for (let head = 0; head < count; head++, place++) tile(state, pen, layer, head, place);
  });
  show(state);
  if (data.chosen.length) reveal(state, data.chosen[0]);
}

// In a box that scrolls: bring a head into sight.
function reveal(state, [layer, head]) {
  const { stage, height } = state;
  const y = corner(state, layer, head)[1];
  if (y < stage.scrollTop || y + height > stage.scrollTop + stage.clientHeight) stage.scrollTop = y - (stage.clientHeight - height) / 2;
}

function tile(state, pen, layer, head, place) {
  const { data, picture, side, height } = state;
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
  if (!data.turned) return pen.drawImage(picture, x, y, side, height);
  pen.save();
  pen.transform(0, 1, 1, 0, x, y);
  pen.drawImage(picture, 0, 0, height, side);
  return pen.restore();
}

function show(state) {
  const { data, pen, overlay, side, height, at, readout } = state;
  pen.clearRect(0, 0, overlay.width, overlay.height);
  const ring = ([layer, head], colour, width) => {
    const [x, y] = corner(state, layer, head);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.strokeRect(x - 1.5, y - 1.5, side + 3, height + 3);
  };
  for (const chosen of data.chosen) ring(chosen, data.accent, 3);
  if (at) ring(at, getComputedStyle(state.root).color, 1.5);
  write(readout, at ? data.notes[place(data, at)] : data.hint);
}

const place = ({ counts }, [layer, head]) => counts.slice(0, layer).reduce((sum, count) => sum + count, 0) + head;
const there = ({ counts }, [layer, head]) => layer >= 0 && layer < counts.length && head >= 0 && head < counts[layer];

function under({ data, overlay, banks, bank, left, top, side, height }, event) {
  const box = overlay.getBoundingClientRect();
  const zoom = overlay.offsetWidth ? box.width / overlay.offsetWidth : 1;
  const [x, y] = [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom - top];
  const [at, row] = [Math.floor(x / bank), Math.floor(y / (height + GAP))];
  const n = rows(data, banks);
  const pair = [at * n + row, Math.floor((x - at * bank - left) / (side + GAP))];
  return row >= 0 && row < n && there(data, pair) ? pair : null;
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
    reveal(state, state.at);
  } else if (event.key === "Enter" || event.key === " ") open(state, now, event.shiftKey || event.ctrlKey);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const root = make("div", "root heads holds");
  const [canvas, overlay, picture, readout, title] = [make("canvas"), make("canvas", "over"), make("canvas"), make("p", "readout"), make("p", "quiet title")];
  const stage = make("div", "stage", canvas, overlay);
  const state = { root, stage, canvas, overlay, picture, readout, title, at: null };
  overlay.tabIndex = 0;
  overlay.role = "application";
  readout.ariaLive = "polite";
  overlay.onpointermove = (event) => point(state, under(state, event));
  overlay.onpointerleave = () => point(state, null);
  overlay.onclick = (event) => open(state, under(state, event), event.shiftKey || event.ctrlKey || event.metaKey);
  overlay.onkeydown = (event) => press(state, event);
  root.append(title, stage, readout);
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
