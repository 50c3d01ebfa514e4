// A picture in its patches: the one that is chosen colours all others by the weights between them.

const VEIL = 0.72; // how much of a patch is its colour; the rest is the picture
const digits = (data) => Math.max(3, data.digits); // a weight among hundreds is small
const WAYS = ["query", "key"];

const chosen = (data) => board(data.group).locked ?? board(data.group).over;
const labels = (data, side) => (side === "query" ? data.queries : data.keys);
const places = (data, side) => (side === "query" ? data.rows : data.columns);
const other = (side) => (side === "query" ? "key" : "query");
const patches = ({ grid }) => grid[0] * grid[1];
const isPatch = (data, place) => place >= data.before;

// What is chosen, if this picture has it.
function now({ data }) {
  const found = chosen(data);
  return found && found.at < labels(data, found.side).length ? found : null;
}

// The weight between the chosen token and one of the other side.
const weight = ({ map }, { side, at }, i) => (side === "query" ? map.at(at, i) : map.at(i, at));

// Where each token of the picture stands on one side of the map; -1 where it is left out.
const find = (data, side, place) => places(data, side).indexOf(place);

function named({ data }, side, i) {
  const label = labels(data, side)[i];
  return isPatch(data, places(data, side)[i]) ? fill(data.words.patch, { place: label }) : label;
}

// The pair under the pointer, as places of the other side than the chosen one's.
function pointed({ data }, it) {
  const { over } = board(data.group);
  if (!it || over?.side !== "query" || over.other == null) return null;
  if (it.side === "query") return over.at === it.at && over.other < data.keys.length ? over.other : null;
  return over.other === it.at && over.at < data.queries.length ? over.at : null;
}

function lay(state) {
  const { data, root, canvas, overlay } = state;
  const [rows, columns] = data.grid;
  state.room = root.offsetWidth;
  state.edge = Math.ceil(data.letter * 1.7);
  const wide = (state.room - state.edge - 2) / columns;
  const high = data.tallest + Math.max(0, innerHeight - 720);
  state.cell = Math.max(4, Math.floor(Math.min(wide, high / rows)));
  const [width, height] = [state.edge + columns * state.cell + 2, state.edge + rows * state.cell + 2];
  [state.view, state.pen] = [canvas, overlay].map((each) => fit(each, width, height));
  state.font = getComputedStyle(root);
}

// The picture, its veil of colours, and the numbers of rows and columns.
function paint(state) {
  const { data, view, cell, edge, picture } = state;
  const [rows, columns] = data.grid;
  const it = now(state);
  const shares = it && !state.plain ? sharesOf(state, it) : null;
  view.clearRect(0, 0, edge + columns * cell + 2, edge + rows * cell + 2);
  view.drawImage(picture, edge, edge, columns * cell, rows * cell);
  for (let p = 0; p < patches(data); p++) {
    const [x, y] = corner(state, p);
    if (shares && shares[p] !== null) {
      view.globalAlpha = VEIL;
      view.fillStyle = ink(data, shares[p]);
      view.fillRect(x, y, cell, cell);
    }
    view.globalAlpha = 0.3;
    view.strokeStyle = "#808080";
    view.strokeRect(x + 0.5, y + 0.5, cell, cell);
  }
  view.globalAlpha = 1;
  view.fillStyle = state.font.color;
  view.font = `${data.letter}px ${state.font.fontFamily}`;
  const each = Math.max(1, Math.ceil((data.letter * 1.5) / cell));
  view.textBaseline = "middle";
  view.textAlign = "right";
  for (let r = 0; r < rows; r += each) view.fillText(r + 1, edge - 4, edge + (r + 0.5) * cell);
  view.textAlign = "center";
  for (let c = 0; c < columns; c += each) view.fillText(c + 1, edge + (c + 0.5) * cell, edge - data.letter / 2 - 3);
}

const corner = ({ data, cell, edge }, p) => [edge + (p % data.grid[1]) * cell, edge + Math.floor(p / data.grid[1]) * cell];

// The weight of each patch as a share of the largest; null for one that is left out.
function sharesOf(state, it) {
  const { data } = state;
  const all = Array.from({ length: patches(data) }, (_, p) => {
    const i = find(data, other(it.side), p + data.before);
    return i < 0 ? null : weight(state, it, i);
  });
  state.most = all.reduce((most, each) => Math.max(most, each ?? 0), 0);
  return all.map((each) => (each === null ? null : state.most ? each / state.most : 0));
}

function outline({ pen, cell }, [x, y], colours, dash) {
  pen.setLineDash(dash);
  [5, 2.5].forEach((width, i) => {
    pen.lineWidth = width;
    pen.strokeStyle = colours[i];
    pen.strokeRect(x + 0.5, y + 0.5, cell, cell);
  });
}

function show(state) {
  const { data, pen, overlay, readout, pair, scale, buttons } = state;
  const it = now(state);
  paint(state);
  pen.clearRect(0, 0, overlay.width, overlay.height);
  const at = pointed(state, it);
  if (it) mark(state, places(data, it.side)[it.at], ["#fff", data.theme === "dark" ? "#7a2f66" : data.accent], []);
  if (at !== null) mark(state, places(data, other(it.side))[at], ["#fff", "#000"], [4, 3]);
  write(readout, it ? sentence(state, it) : data.words.hint);
  write(pair, at === null ? "" : between(state, it, at));
  buttons.forEach((button, i) => (button.ariaPressed = (it?.side ?? state.side) === WAYS[i]));
  state.toggle.ariaPressed = state.plain;
  legend(state, scale.lastChild, it);
  specials(state, it);
  speak(state, state.map);
}

function mark(state, place, colours, dash) {
  if (isPatch(state.data, place)) outline(state, corner(state, place - state.data.before), colours, dash);
}

function legend(state, node, it) {
  const { data } = state;
  node.style.visibility = it && !state.plain ? "" : "hidden";
  const bar = make("i");
  bar.style.background = `linear-gradient(90deg, ${Array.from({ length: 9 }, (_, i) => ink(data, i / 8))})`;
  node.replaceChildren(span("quiet", "0"), bar, span("quiet", fill(data.words.scale, { most: (state.most ?? 0).toFixed(digits(data)) })));
}

function sentence(state, it) {
  const { data } = state;
  const side = other(it.side);
  const ranked = labels(data, side).map((_, i) => [weight(state, it, i), i]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  const list = ranked.map(([value, i]) => fill(data.words.share, { token: named(state, side, i), value: value.toFixed(digits(data)) }));
  const said = it.side === "query" ? data.words.looks_most : data.words.looked_most;
  return fill(said, { token: named(state, it.side, it.at), list: list.join(data.words.join) });
}

function between(state, it, i) {
  const [q, k] = it.side === "query" ? [it.at, i] : [i, it.at];
  return fill(state.data.words.pair, { query: named(state, "query", q), key: named(state, "key", k), value: weight(state, it, i).toFixed(4) });
}

// The tokens that are no patches: each with its weight, on the scale of the patches.
function specials(state, it) {
  const { data } = state;
  state.tokens.forEach((node) => {
    const i = it ? find(data, other(it.side), node.place) : -1;
    const value = i < 0 ? null : weight(state, it, i);
    const share = value === null || state.plain ? null : state.most ? value / state.most : 0;
    node.lastChild.textContent = value === null ? "" : value.toFixed(digits(data));
    node.style.background = share === null ? "" : ink(data, share);
    node.style.color = share === null ? "" : data.inks[Math.max(0, Math.min(255, Math.round(share * 255)))] ? "#fff" : "#000";
    node.classList.toggle("chosen", Boolean(it && places(data, it.side)[it.at] === node.place));
  });
}

// Point at a token: while another is held, at the pair of both.
function point(state, place) {
  const { data } = state;
  const held = board(data.group).locked && now(state);
  if (place === null) return look(data.group, null);
  const i = find(data, held ? other(held.side) : state.side, place);
  if (i < 0) return look(data.group, null);
  if (!held) look(data.group, { side: state.side, at: i, other: null });
  else if (held.side === "query") look(data.group, { side: "query", at: held.at, other: i });
  else look(data.group, { side: "query", at: i, other: held.at });
}

function choose(state, place) {
  const side = now(state)?.side ?? state.side;
  const at = place === null ? -1 : find(state.data, side, place);
  if (at >= 0) lock(state.data.group, { side, at, other: null });
}

// The same token, seen from the other side.
function turn(state, side) {
  const { data } = state;
  const { locked } = board(data.group);
  state.side = side;
  if (locked && locked.side !== side) {
    const at = find(data, side, places(data, locked.side)[locked.at]);
    lock(data.group, at < 0 ? null : { side, at, other: null });
  } else show(state);
}

function under({ data, edge, cell, overlay }, event) {
  const box = overlay.getBoundingClientRect();
  const zoom = overlay.offsetWidth ? box.width / overlay.offsetWidth : 1;
  const c = Math.floor(((event.clientX - box.left) / zoom - edge) / cell);
  const r = Math.floor(((event.clientY - box.top) / zoom - edge) / cell);
  const inside = r >= 0 && c >= 0 && r < data.grid[0] && c < data.grid[1];
  return inside ? data.before + r * data.grid[1] + c : null;
}

// The patch that the arrow keys start from: the one pointed at, or the chosen one.
function cursor(state) {
  const { data } = state;
  const it = now(state);
  const at = pointed(state, it);
  const place = at !== null ? places(data, other(it.side))[at] : it ? places(data, it.side)[it.at] : null;
  return place !== null && isPatch(data, place) ? place - data.before : null;
}

function press(state, event) {
  const { data } = state;
  const [rows, columns] = data.grid;
  const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
  const at = cursor(state);
  if (step) {
    const [r, c] = at === null ? [0, 0] : [Math.floor(at / columns) + step[0], (at % columns) + step[1]];
    const inside = (value, n) => Math.max(0, Math.min(n - 1, value));
    point(state, data.before + inside(r, rows) * columns + inside(c, columns));
  } else if ((event.key === "Enter" || event.key === " ") && at !== null) {
    board(data.group).over = null;
    choose(state, data.before + at);
  } else if (event.key === "Escape" && now(state)) {
    board(data.group).over = null;
    lock(data.group, null);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const root = make("div", "root patches holds");
  const [canvas, overlay, picture] = [make("canvas"), make("canvas", "over"), make("canvas")];
  const [readout, pair, beside] = [make("p", "readout"), make("p", "pair"), make("div", "beside")];
  const spoken = make("p", "quiet spoken");
  const [buttons, toggle] = [WAYS.map(() => make("button", "mode")), make("button", "mode")];
  const scale = make("div", "scale", make("span", "modes", ...buttons), make("span", "", toggle), make("span", "legend"));
  const state = { root, canvas, overlay, picture, readout, pair, beside, buttons, toggle, scale, spoken, side: "query", plain: false };
  readout.ariaLive = pair.ariaLive = "polite";
  overlay.tabIndex = 0;
  overlay.role = "application";
  buttons.forEach((button, i) => (button.onclick = () => turn(state, WAYS[i])));
  toggle.onclick = () => {
    state.plain = !state.plain;
    show(state);
  };
  overlay.onpointermove = (event) => point(state, under(state, event));
  overlay.onpointerleave = overlay.onblur = () => point(state, null);
  overlay.onclick = (event) => choose(state, under(state, event));
  overlay.onkeydown = (event) => press(state, event);
  root.append(scale, make("div", "whole", make("div", "stage", canvas, overlay), make("div", "said", readout, beside, pair)), spoken);
  parent.append(root);
  state.unhear = hear(() => state.data?.group, () => show(state));
  state.watch = new ResizeObserver(() => state.data && root.offsetWidth !== state.room && draw(state));
  state.watch.observe(root);
  return state;
}

function draw(state) {
  lay(state);
  show(state);
}

function tokenNode(state, place) {
  const side = find(state.data, "query", place) < 0 ? "key" : "query";
  const node = make("button", "token", span("", labels(state.data, side)[find(state.data, side, place)]), span("number", ""));
  node.place = place;
  node.onclick = () => choose(state, place);
  node.onpointerenter = node.onfocus = () => point(state, place);
  node.onpointerleave = node.onblur = () => point(state, null);
  return node;
}

function render(state) {
  const { data, root, overlay, picture, beside, buttons, toggle } = state;
  state.map = weights(data, 0);
  [picture.height, picture.width] = data.pixels;
  const image = new ImageData(picture.width, picture.height);
  const points = data.array(2, Uint8Array);
  for (let i = 0; i < picture.width * picture.height; i++) image.data.set([points[3 * i], points[3 * i + 1], points[3 * i + 2], 255], 4 * i);
  picture.getContext("2d").putImageData(image, 0, 0);
  root.style.fontSize = `${data.size}rem`;
  root.role = "group";
  root.ariaLabel = overlay.ariaLabel = data.label;
  buttons[0].parentNode.ariaLabel = data.words.way;
  [data.words.looks, data.words.looked].forEach((text, i) => (buttons[i].textContent = text));
  toggle.textContent = data.words.plain;
  const others = [...new Set([...data.rows, ...data.columns])].filter((place) => !isPatch(data, place)).sort((a, b) => a - b);
  state.tokens = others.map((place) => tokenNode(state, place));
  beside.replaceChildren(...(others.length ? [span("quiet", data.words.beside), ...state.tokens] : []));
  told(data);
  draw(state);
}

export default mount(start, render);
