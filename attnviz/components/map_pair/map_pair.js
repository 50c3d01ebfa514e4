// Two maps of weights and their difference: large in the middle, both sides small, pointing together.

const [FULL, FORBIDDEN, BLANK] = [65533, 65534, 65535];
const FEW = 12; // tokens with digits in their cells
const MINUS = "\u2212";

const raw = (state, side, r, c) => state.cells[side][r * state.data.columns.length + c];
const there = (cell) => cell < BLANK;
const weight = ({ data }, cell) => (cell < FORBIDDEN ? (cell / FULL) * data.limit : 0);

// What one cell of a map is: a number, or why there is none.
function cell(state, map, r, c) {
  const [one, other] = [0, 1].map((side) => raw(state, side, r, c));
  if (map < 2) return { value: weight(state, [one, other][map]), kind: [one, other][map] };
  if (!there(one) || !there(other)) return { value: 0, kind: BLANK };
  const kind = one === FORBIDDEN && other === FORBIDDEN ? FORBIDDEN : 0;
  return { value: weight(state, other) - weight(state, one), kind };
}

function level({ data }, map, value) {
  const share = map < 2 ? value / data.limit : 0.5 + value / data.reach / 2;
  return Math.max(0, Math.min(255, Math.round(share * 255)));
}

function paint(state, map) {
  const { data, pictures } = state;
  const [rows, columns] = [data.rows.length, data.columns.length];
  const [wide, high] = data.turned ? [rows, columns] : [columns, rows];
  const image = new ImageData(wide, high);
  const colours = map < 2 ? data.colours : data.signed;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const { value, kind } = cell(state, map, r, c);
      if (kind >= FORBIDDEN) continue;
      const at = 4 * (data.turned ? c * wide + r : r * wide + c);
      image.data.set(colours[level(state, map, value)], at);
      image.data[at + 3] = 255;
    }
  }
  [pictures[map].width, pictures[map].height] = [wide, high];
  pictures[map].getContext("2d").putImageData(image, 0, 0);
}

// A token that stands on both sides by its name, a changed one by both names, another with its side.
function name([one, other], words) {
  if (one != null && other != null) return one === other ? one : `${one}⇄${other}`;
  return one != null ? `${one} (${words.marks[0]})` : `${other} (${words.marks[1]})`;
}

function lay(state, map, room, tallest, largest, named) {
  const { data, canvases, overlays, pictures, letters } = state;
  const [down, across] = data.turned ? [letters.columns, letters.rows] : [letters.rows, letters.columns];
  const pen = canvases[map].getContext("2d");
  pen.font = `${data.letter}px sans-serif`;
  const widest = (texts) => Math.min(data.letter * 9, 10 + Math.max(...texts.map((text) => pen.measureText(text).width)));
  const [left, top] = named ? [widest(down), widest(across)] : [2, 2];
  const side = Math.min(largest, Math.max(0.5, (room - left - 4) / across.length), Math.max(3, tallest / down.length));
  const size = side >= 4 ? Math.floor(side) : side;
  const [wide, high] = [across.length * size, down.length * size];
  const view = fit(canvases[map], left + wide + 2, top + high + 2);
  const place = (state.places[map] = { left, top, size, wide, high, pen: fit(overlays[map], left + wide + 2, top + high + 2) });
  const style = getComputedStyle(state.root);
  view.imageSmoothingEnabled = size < 1;
  blanks(state, map, view, place, style.color);
  view.drawImage(pictures[map], left, top, wide, high);
  view.strokeStyle = style.color;
  view.globalAlpha = 0.45;
  view.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
  view.globalAlpha = 1;
  if (!named) return;
  view.font = `${Math.max(9, Math.min(data.letter, size))}px ${style.fontFamily}`;
  view.fillStyle = style.color;
  view.textBaseline = "middle";
  const each = Math.max(1, Math.ceil((data.letter - 2) / size));
  down.forEach((text, i) => i % each || label(view, text, left - 5, top + (i + 0.5) * size, 0, left));
  across.forEach((text, i) => i % each || label(view, text, left + (i + 0.5) * size, top - 5, 1, top));
  if (Math.max(down.length, across.length) <= FEW && size >= 26) digits(state, view, place);
}

// Behind the colours: lines where nobody may look, dots where a side has no such token.
function blanks(state, map, pen, { left, top, size }, colour) {
  const { data } = state;
  for (let r = 0; r < data.rows.length; r++) {
    for (let c = 0; c < data.columns.length; c++) {
      const { kind } = cell(state, map, r, c);
      if (kind < FORBIDDEN) continue;
      const [x, y] = data.turned ? [r, c] : [c, r];
      pen.fillStyle = pattern(pen, kind, colour);
      pen.fillRect(left + x * size, top + y * size, size, size);
    }
  }
}

function pattern(pen, kind, colour) {
  const tile = make("canvas");
  tile.width = tile.height = 6;
  const line = tile.getContext("2d");
  line.strokeStyle = line.fillStyle = colour;
  line.globalAlpha = kind === BLANK ? 0.5 : 0.3;
  if (kind === BLANK) line.fillRect(2, 2, 1.5, 1.5);
  else {
    line.beginPath();
    line.moveTo(0, 6);
    line.lineTo(6, 0);
    line.stroke();
  }
  return pen.createPattern(tile, "repeat");
}

function label(pen, text, x, y, turned, most) {
  pen.save();
  pen.translate(x, y);
  if (turned) pen.rotate(-Math.PI / 2);
  pen.textAlign = turned ? "left" : "right";
  let short = text;
  while (short.length > 1 && pen.measureText(short).width > most - 8) short = short.slice(0, -2) + "…";
  pen.fillText(short, 0, 0);
  pen.restore();
}

const signed = (value, places) => {
  const text = Math.abs(value).toFixed(places);
  return Number(text) === 0 ? text : (value < 0 ? MINUS : "+") + text;
};

function digits(state, pen, { left, top, size }) {
  const { data } = state;
  pen.textAlign = "center";
  pen.font = `${Math.min(data.letter, size / 2.8)}px sans-serif`;
  for (let r = 0; r < data.rows.length; r++) {
    for (let c = 0; c < data.columns.length; c++) {
      const { value, kind } = cell(state, 2, r, c);
      if (kind >= FORBIDDEN) continue;
      const [x, y] = data.turned ? [r, c] : [c, r];
      pen.fillStyle = data.signedInks[level(state, 2, value)] ? "#fff" : "#000";
      pen.fillText(signed(value, data.digits), left + (x + 0.5) * size, top + (y + 0.5) * size);
    }
  }
}

// Rows that the one side has are looked at, and held, in its other pictures too.
const row = ({ data }, at) => data.rows.findIndex((line) => line[2] === at);
const rowOf = (state, place) => (place?.side === "query" ? row(state, place.at) : -1);
const held = (state) => state.alone ?? rowOf(state, board(state.data.group).locked);
function now(state) {
  const { over } = board(state.data.group);
  const at = over ? rowOf(state, over) : held(state);
  return state.over ?? (at < 0 ? null : { r: at, c: null });
}

function show(state) {
  const { data, places, overlays, readout } = state;
  const at = now(state);
  places.forEach(({ pen, left, top, size, wide, high }, map) => {
    pen.clearRect(0, 0, overlays[map].width, overlays[map].height);
    pen.strokeStyle = data.accent;
    const along = (i) => pen.strokeRect(left, top + i * size, wide, Math.max(size, 2));
    const down = (i) => pen.strokeRect(left + i * size, top, Math.max(size, 2), high);
    const fixed = held(state);
    pen.lineWidth = size < 4 ? 1.5 : 3;
    if (fixed >= 0) (data.turned ? down : along)(fixed);
    pen.lineWidth = 1.5;
    if (at?.r != null) (data.turned ? down : along)(at.r);
    if (at?.c != null) (data.turned ? along : down)(at.c);
  });
  const said = state.over == null && at?.r === data.spoken; // the page has said it
  write(readout, at && !said ? read(state, at) : data.words.hint);
}

function read(state, { r, c }) {
  const { data } = state;
  const { words } = data;
  if (c == null) return data.notes[r];
  if (r == null) return fill(words.column, { token: name(data.columns[c], words) });
  const cells = [0, 1].map((side) => raw(state, side, r, c));
  const pair = { query: name(data.rows[r], words), key: name(data.columns[c], words) };
  const said = cells.map((each) => (each === FORBIDDEN ? words.not_allowed : weight(state, each).toFixed(4)));
  if (cells.every((each) => !there(each))) return fill(words.nobody, pair);
  if (cells.every((each) => each === FORBIDDEN)) return fill(words.hidden, pair);
  const alone = cells.findIndex((each) => !there(each));
  if (alone >= 0) return fill(words.only, { ...pair, side: words.marks[1 - alone], value: said[1 - alone] });
  return fill(words.cell, { ...pair, one: said[0], other: said[1], difference: signed(weight(state, cells[1]) - weight(state, cells[0]), 4) });
}

function under(state, map, event) {
  const { data, overlays, places } = state;
  const { left, top, size } = places[map];
  const box = overlays[map].getBoundingClientRect();
  const zoom = overlays[map].offsetWidth ? box.width / overlays[map].offsetWidth : 1;
  const x = Math.floor(((event.clientX - box.left) / zoom - left) / size);
  const y = Math.floor(((event.clientY - box.top) / zoom - top) / size);
  const [r, c] = data.turned ? [x, y] : [y, x];
  if (r >= data.rows.length || c >= data.columns.length || (r < 0 && c < 0)) return null;
  return { r: r < 0 ? null : r, c: c < 0 ? null : c };
}

function point(state, at) {
  state.over = at;
  const place = at?.r == null ? null : state.data.rows[at.r][2];
  look(state.data.group, place == null ? null : { side: "query", at: place, other: null });
  show(state);
}

// Once more lets go. A row that only the other side has is held here alone.
function hold(state, at) {
  if (at?.r == null) return;
  const { group, rows } = state.data;
  const place = rows[at.r][2];
  const same = held(state) === at.r;
  state.alone = same || place != null ? null : at.r;
  if (place != null) lock(group, { side: "query", at: place, other: null });
  else if (board(group).locked) lock(group, null);
  show(state);
}

function press(state, event) {
  const { data } = state;
  const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
  const fixed = held(state);
  const at = state.over ?? (fixed < 0 ? null : { r: fixed, c: null });
  if (step) {
    const [dr, dc] = data.turned ? [step[1], step[0]] : step;
    const to = (from, by, all) => (from == null ? 0 : Math.max(0, Math.min(all.length - 1, from + by)));
    point(state, { r: to(at?.r, dr, data.rows), c: to(at?.c, dc, data.columns) });
  } else if ((event.key === "Enter" || event.key === " ") && at) hold(state, at);
  else if (event.key === "Escape" && at) {
    if (fixed >= 0) hold(state, { r: fixed });
    point(state, null);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function legend(state) {
  const { data, scale } = state;
  const { words, reach } = data;
  const bar = make("i");
  bar.style.background = `linear-gradient(90deg, ${Array.from({ length: 9 }, (_, i) => `rgb(${data.signed[Math.round((i * 255) / 8)]})`)})`;
  const ends = [`${words.less} ${MINUS}${reach}`, `+${reach} ${words.more}`];
  scale.replaceChildren(make("span", "", span("quiet", ends[0]), bar, span("quiet", ends[1])));
  const kinds = new Set();
  for (let r = 0; r < data.rows.length; r++) for (let c = 0; c < data.columns.length; c++) kinds.add(cell(state, 2, r, c).kind);
  for (const [kind, text] of [[BLANK, words.blank], [FORBIDDEN, words.forbidden]]) {
    if (!kinds.has(kind)) continue;
    const swatch = make("canvas");
    const pen = fit(swatch, 18, 12);
    pen.fillStyle = pattern(pen, kind, getComputedStyle(state.root).color);
    pen.fillRect(0, 0, 18, 12);
    scale.append(make("span", "", swatch, span("quiet", text)));
  }
}

function draw(state) {
  const { data, root } = state;
  const room = (state.room = root.offsetWidth);
  const narrow = room < 700;
  root.classList.toggle("narrow", narrow);
  const [large, small] = narrow ? [room, (room - 16) / 2] : [room * 0.66, room * 0.3];
  lay(state, 2, large, data.tallest, data.largest, true);
  const half = narrow ? data.tallest / 2 : Math.max(90, (state.places[2].top + state.places[2].high - 52 * data.size) / 2);
  for (const side of [0, 1]) lay(state, side, small, half, data.largest / 1.6, false);
  legend(state);
  show(state);
}

function start(parent) {
  const root = make("div", "root pair holds");
  const [canvases, overlays, pictures] = ["", "over", ""].map((name) => [0, 1, 2].map(() => make("canvas", name)));
  const titles = [0, 1, 2].map(() => make("h3"));
  const [readout, scale] = [make("p", "readout"), make("div", "scale")];
  const maps = [0, 1, 2].map((map) => make("div", "map", titles[map], make("div", "stage", canvases[map], overlays[map])));
  maps[2].append(scale);
  const state = { root, canvases, overlays, pictures, titles, readout, scale, places: [], over: null, alone: null };
  readout.ariaLive = "polite";
  overlays[2].tabIndex = 0;
  overlays[2].role = "application";
  overlays.forEach((overlay, map) => {
    overlay.onpointermove = (event) => point(state, under(state, map, event));
    overlay.onpointerleave = overlay.onblur = () => point(state, null);
    overlay.onclick = (event) => hold(state, under(state, map, event));
  });
  overlays[2].onkeydown = (event) => press(state, event);
  root.append(readout, make("div", "three", maps[2], make("div", "small", maps[0], maps[1])));
  parent.append(root);
  state.unhear = hear(() => state.data.group, () => state.places.length && show(state));
  state.watch = new ResizeObserver(() => state.data && root.offsetWidth !== state.room && draw(state));
  state.watch.observe(root);
  return state;
}

function render(state) {
  const { data, root, overlays, titles } = state;
  const { words } = data;
  state.cells = [data.array(0, Uint16Array), data.array(1, Uint16Array)];
  state.letters = { rows: data.rows.map((line) => name(line, words)), columns: data.columns.map((line) => name(line, words)) };
  [state.alone, state.over] = [null, null];
  root.style.fontSize = `${data.size}rem`;
  overlays[2].ariaLabel = data.label;
  [words.one, words.other, words.difference].forEach((text, map) => write(titles[map], text));
  told(data);
  for (const map of [0, 1, 2]) paint(state, map);
  draw(state);
}

export default mount(start, render);
