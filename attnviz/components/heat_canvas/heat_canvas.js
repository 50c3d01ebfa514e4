// One map of weights on a canvas, of any size: who asks down the side, who is asked across.

const FEW = 12; // tokens with digits in their cells
const FAINTEST = 4; // powers of ten that the logarithmic scale shows
const MODES = ["linear", "log", "rank"];

function shader({ data, map, mode }) {
  if (mode === "log") return (w) => (w > 0 ? 1 + Math.log10(w) / FAINTEST : 0);
  if (mode === "linear") return (w) => w / data.limit;
  const sorted = new Float32Array(map.rows * map.n);
  let count = 0;
  for (let r = 0; r < map.rows; r++) for (let c = 0; c < map.n; c++) if (seen(data, r, c)) sorted[count++] = map.at(r, c);
  const all = sorted.subarray(0, count).sort();
  return (w) => {
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] < w) low = middle + 1;
      else high = middle;
    }
    return count > 1 ? low / (count - 1) : 1;
  };
}

// Which keys a row may see: first and last, for one token or a block of them.
const seen = (data, r, c) => c >= data.range[2 * r] && c <= data.range[2 * r + 1];

function paint(state) {
  const { data, map, picture, mode } = state;
  const [wide, high] = data.turned ? [map.rows, map.n] : [map.n, map.rows];
  const image = new ImageData(wide, high);
  const shade = shader(state);
  const colours = data.colours;
  for (let r = 0; r < map.rows; r++) {
    for (let c = 0; c < map.n; c++) {
      if (!seen(data, r, c)) continue;
      const level = Math.max(0, Math.min(255, Math.round(shade(map.at(r, c)) * 255)));
      const at = 4 * (data.turned ? c * wide + r : r * wide + c);
      image.data.set(colours[level], at);
      image.data[at + 3] = 255;
    }
  }
  [picture.width, picture.height] = [wide, high];
  picture.getContext("2d").putImageData(image, 0, 0);
  legend(state, mode);
}

function legend({ data, scale, buttons }, mode) {
  const stops = Array.from({ length: 9 }, (_, i) => ink(data, i / 8));
  scale.lastChild.replaceChildren();
  const bar = make("i");
  bar.style.background = `linear-gradient(90deg, ${stops})`;
  const ends = { linear: ["0", `${data.limit}`], log: [`10⁻${"⁰¹²³⁴"[FAINTEST]}`, "1"], rank: data.words.rank }[mode];
  scale.lastChild.append(span("quiet", ends[0]), bar, span("quiet", ends[1]));
  buttons.forEach((button, i) => (button.ariaPressed = MODES[i] === mode));
}

// Lay the map out: where it begins, and how large a cell is.
function lay(state) {
  const { data, map, root, canvas, overlay, picture } = state;
  const [down, across] = data.turned ? [data.keys, data.queries] : [data.queries, data.keys];
  const pen = canvas.getContext("2d");
  pen.font = `${data.letter}px sans-serif`;
  const widest = (texts) => Math.min(120, 10 + Math.max(...texts.slice(0, 600).map((text) => pen.measureText(text).width)));
  const [wide, high] = data.turned ? [map.rows, map.n] : [map.n, map.rows];
  const room = root.offsetWidth;
  const left = widest(down);
  const side = Math.min(data.largest, Math.max(0.25, (room - left - 4) / wide), Math.max(6, data.tallest / high));
  const cell = side >= 4 ? Math.floor(side) : side;
  const flat = across.every((text) => pen.measureText(text).width <= cell - 4);
  const top = flat ? data.letter + 8 : widest(across);
  Object.assign(state, { left, top, cell, wide, high, down, across, room });
  const [width, height] = [left + wide * cell + 2, top + high * cell + 2];
  const pens = [canvas, overlay].map((each) => fit(each, width, height));
  const view = pens[0];
  state.pen = pens[1];
  const style = getComputedStyle(root);
  state.text = style.color;
  view.imageSmoothingEnabled = cell < 1;
  hatch(view, left, top, wide * cell, high * cell, state.text);
  view.drawImage(picture, left, top, wide * cell, high * cell);
  view.fillStyle = state.text;
  view.textBaseline = "middle";
  const each = Math.max(1, Math.ceil((data.letter - 2) / cell));
  view.font = `${Math.min(data.letter, cell * each)}px ${style.fontFamily}`;
  down.forEach((text, i) => i % each || label(view, text, left - 5, top + (i + 0.5) * cell, 0, left));
  across.forEach((text, i) => i % each || label(view, text, left + (i + 0.5) * cell, top - (flat ? 10 : 5), flat ? 2 : 1, top));
  if (data.digits && Math.max(wide, high) <= FEW && cell >= 30) digits(state, view);
  view.strokeStyle = state.text;
  view.globalAlpha = 0.45;
  view.strokeRect(left - 0.5, top - 0.5, wide * cell + 1, high * cell + 1);
}

function label(pen, text, x, y, turned, most) {
  pen.save();
  pen.translate(x, y);
  if (turned === 1) pen.rotate(-Math.PI / 2);
  pen.textAlign = ["right", "left", "center"][turned];
  let short = text;
  while (turned < 2 && short.length > 1 && pen.measureText(short).width > most - 8) short = short.slice(0, -2) + "…";
  pen.fillText(short, 0, 0);
  pen.restore();
}

function hatch(pen, x, y, width, height, colour) {
  const tile = make("canvas");
  tile.width = tile.height = 6;
  const line = tile.getContext("2d");
  line.strokeStyle = colour;
  line.globalAlpha = 0.3;
  line.beginPath();
  line.moveTo(0, 6);
  line.lineTo(6, 0);
  line.stroke();
  pen.fillStyle = pen.createPattern(tile, "repeat");
  pen.fillRect(x, y, width, height);
}

function digits({ data, map, left, top, cell, mode, text }, pen) {
  const shade = shader({ data, map, mode });
  pen.textAlign = "center";
  for (let r = 0; r < map.rows; r++) {
    for (let c = 0; c < map.n; c++) {
      if (!seen(data, r, c)) continue;
      const [x, y] = data.turned ? [r, c] : [c, r];
      pen.fillStyle = data.inks[Math.round(Math.max(0, Math.min(1, shade(map.at(r, c)))) * 255)] ? "#fff" : "#000";
      pen.font = `${Math.min(data.letter, cell / 2.6)}px sans-serif`;
      pen.fillText(map.at(r, c).toFixed(data.digits), left + (x + 0.5) * cell, top + (y + 0.5) * cell);
    }
  }
  pen.fillStyle = text;
}

const place = (edges, at) => (edges ? edges.findIndex((edge) => edge > at) - 1 : at);

// Outline what is looked at, and read it.
function show(state) {
  const { data, pen, left, top, cell, wide, high, overlay, readout } = state;
  const { over, locked } = board(data.group);
  const now = over ?? locked;
  pen.clearRect(0, 0, overlay.width, overlay.height);
  write(readout, now ? read(state, ...sides(now)) : data.words.hint);
  speak(state, state.map);
  if (!now) return;
  pen.strokeStyle = data.accent;
  const row = (i) => pen.strokeRect(left, top + i * cell, wide * cell, Math.max(cell, 2));
  const column = (i) => pen.strokeRect(left + i * cell, top, Math.max(cell, 2), high * cell);
  for (const each of [locked, over]) {
    const [q, k] = each ? sides(each) : [];
    pen.lineWidth = each === locked ? 3 : 1.5;
    if (q != null) (data.turned ? column : row)(block(data.rowEdges, q));
    if (k != null && each === now) (data.turned ? row : column)(block(data.columnEdges, k));
  }
}

const sides = ({ side, at, other }) => (side === "query" ? [at, other] : [other, at]);
const block = (edges, at) => (edges ? edges.findIndex((edge) => edge > at) - 1 : at);

function read({ data, map }, q, k) {
  const { words, queries, keys } = data;
  if (q == null || k == null) return fill(q == null ? words.asked : words.asks, { token: q == null ? keys[k] : queries[q], place: q == null ? data.numbers.key[k] : data.numbers.query[q] });
  const [r, c] = [block(data.rowEdges, q), block(data.columnEdges, k)];
  const exact = data.exactRow === q || !data.rowEdges;
  const template = !seen(data, r, c) ? words.hidden : exact ? words.cell : words.block;
  const value = data.exactRow === q ? data.row[k] : map.at(r, c);
  return fill(template, { query: queries[q], key: keys[k], i: data.numbers.query[q], j: data.numbers.key[k], value: value.toFixed(4) });
}

function under({ left, top, cell, data, overlay }, event) {
  const box = overlay.getBoundingClientRect();
  const zoom = overlay.offsetWidth ? box.width / overlay.offsetWidth : 1;
  const x = Math.floor(((event.clientX - box.left) / zoom - left) / cell);
  const y = Math.floor(((event.clientY - box.top) / zoom - top) / cell);
  const [r, c] = data.turned ? [x, y] : [y, x];
  const rows = data.rowEdges ? data.rowEdges.length - 1 : data.queries.length;
  const columns = data.columnEdges ? data.columnEdges.length - 1 : data.keys.length;
  if (r >= rows || c >= columns || (r < 0 && c < 0)) return null;
  const at = (edges, i) => (i < 0 ? null : edges ? edges[i] : i);
  const [q, k] = [at(data.rowEdges, r), at(data.columnEdges, c)];
  return q === null ? { side: "key", at: k } : { side: "query", at: q, other: k };
}

// A large map is drawn in blocks: the row that is locked is asked for, to have its exact numbers.
function hold(state, place) {
  const now = lock(state.data.group, place);
  if (now?.side !== "query" || !state.data.rowEdges) return;
  window.attnvizTell?.();
  state.send("row", now.at);
}

function press(state, event) {
  const { data } = state;
  const { over, locked } = board(data.group);
  const now = over ?? locked;
  const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
  if (step) {
    const [q, k] = now ? sides(now) : [null, null];
    const [dq, dk] = data.turned ? [step[1], step[0]] : step;
    const to = (at, by, all) => (at == null ? 0 : Math.max(0, Math.min(all.length - 1, at + by)));
    look(data.group, { side: "query", at: to(q, dq, data.queries), other: to(k, dk, data.keys) });
  } else if ((event.key === "Enter" || event.key === " ") && now) hold(state, now);
  else if (event.key === "Escape" && now) {
    board(data.group).over = null;
    lock(data.group, null);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const root = make("div", "root heat holds");
  const [canvas, overlay, picture] = [make("canvas"), make("canvas", "over"), make("canvas")];
  const [readout, scale, buttons] = [make("p", "readout"), make("div", "scale", make("span", "modes"), make("span", "legend")), MODES.map(() => make("button", "mode"))];
  const spoken = make("p", "quiet spoken");
  const stage = make("div", "stage", canvas, overlay);
  const state = { root, canvas, overlay, picture, readout, scale, buttons, spoken };
  readout.ariaLive = "polite";
  overlay.tabIndex = 0;
  overlay.role = "application";
  scale.firstChild.append(...buttons);
  buttons.forEach((button, i) => (button.onclick = () => choose(state, MODES[i])));
  overlay.onpointermove = (event) => look(state.data.group, under(state, event));
  overlay.onpointerleave = overlay.onblur = () => look(state.data.group, null);
  overlay.onclick = (event) => hold(state, under(state, event));
  overlay.onkeydown = (event) => press(state, event);
  root.append(scale, stage, readout, spoken);
  parent.append(root);
  state.unhear = hear(() => state.data.group, () => show(state));
  state.watch = new ResizeObserver(() => state.data && root.offsetWidth !== state.room && draw(state));
  state.watch.observe(root);
  return state;
}

function choose(state, mode) {
  state.mode = mode;
  keep({ colours: mode });
  draw(state);
}

function draw(state) {
  paint(state);
  lay(state);
  show(state);
}

function render(state) {
  const { data, root, overlay, scale } = state;
  state.map = weights(data, 0);
  data.range = data.array(2, Int32Array);
  if (data.exactRow != null) data.row = data.array(3, Float32Array);
  state.mode ??= data.mode;
  root.style.fontSize = `${data.size}rem`;
  overlay.ariaLabel = data.label;
  scale.firstChild.ariaLabel = data.words.scale;
  state.buttons.forEach((button, i) => (button.textContent = data.words[["linear", "log", "byRank"][i]]));
  told(data);
  draw(state);
}

export default mount(start, render);
