// Arrows that are dragged. While one moves, the row in hand is computed here, a frame at a time; once it
// is let go, Python computes it in full precision, and its numbers are shown.

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const states = new WeakMap();

const sum = (all) => all.reduce((a, b) => a + b, 0);
const far = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
const mix = (weights, rows) => rows[0].map((_, f) => sum(rows.map((row, j) => weights[j] * row[f])));
const shares = (all, total = sum(all)) => all.map((x) => (total > 0 ? x / total : 0));

// From the scores of a row to its weights; a key that is hidden has −∞.
function normalize({ normalizer, temperature: t, k, offset }, z) {
  const top = Math.max(-1e300, ...z);
  const hard = (z) => shares(z.map((x) => +(x === top)));
  const exp = (z, shift) => z.map((x) => Math.exp((x - shift) / t));
  const soft = (z) => (t ? shares(exp(z, top)) : hard(z));
  const relu = (z) => z.map((x) => Math.max(x / t, 0));
  return {
    softmax: soft,
    hardmax: hard,
    relu,
    relu_sum: (z) => shares(relu(z)),
    relu_length: (z) => relu(z).map((x) => x / z.length),
    sigmoid: (z) => z.map((x) => 1 / (1 + Math.exp(-x / t - offset))),
    softmax1: (z) => shares(exp([...z, 0], Math.max(top, 0))).slice(0, -1),
    topk(z) {
      const kept = z.map((_, j) => j).sort((a, b) => z[b] - z[a]).slice(0, k);
      return soft(z.map((x, j) => (kept.includes(j) ? x : -Infinity)));
    },
  }[normalizer](z);
}

// The row in hand: Python's own where nothing has moved since; without weights where only Python can.
function compute({ data: { law, query, row }, local }) {
  if (!local.size) return row;
  const own = (symbol, rows) => rows.map((tip, j) => local.get(symbol + j) ?? tip);
  const values = own("v", row.values);
  let { scores, weights, without } = row;
  let z = row.masked.map((x) => x ?? -Infinity);
  if ([...local.keys()].some((id) => id < "v")) {
    if (!law.score) return { values };
    const asking = local.get(`q${query}`) ?? row.query;
    scores = own("k", row.keys).map((key) => sum(asking.map((x, i) => x * key[i])));
    z = z.map((x, j) => (x === -Infinity ? x : scores[j] * law.scale + law.bias[j]));
    weights = law.normalizer && normalize(law, z);
  }
  if (!weights) return { scores, values };
  without &&= law.normalizer ? z.map((_, j) => mix(normalize(law, z.with(j, -Infinity)), values)) : null;
  return { scores, weights, values, without, output: mix(weights, values) };
}

// As Python writes numbers: whole ones whole, halves away from zero, real minus signs.
function written(x, digits, all = [x]) {
  const whole = all.every((one) => +one.toPrecision(12) % 1 === 0);
  const size = Math.abs(x);
  const [text, power] = size < 1e7 ? [size.toFixed(whole ? 0 : digits)] : size.toExponential(digits).split("e+");
  return (x < 0 && /[1-9]/.test(text) ? "−" : "") + text + (power ? `×10${power.replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])}` : "");
}

const vector = (all, digits) => `(${all.map((x) => written(x, digits, all)).join(", ")})`;

// A picture as Python describes it: tag, class, attributes, and what is inside.
function build([tag, className, attributes, ...inside]) {
  const svg = /^(svg|g|path|circle|text)$/.test(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  put(node, { class: className, ...attributes });
  node.append(...inside.map((one) => (typeof one === "string" ? one : build(one))));
  return node;
}

function put(node, attributes) {
  for (const name in attributes) node.setAttribute(name, attributes[name]);
}

// An arrow: its line, its head, and beyond its tip its name; b has it beside its line, away from the values.
function point(node, from, to) {
  const [line, head, name] = node.children;
  const long = far(from, to);
  const [ux, uy] = to.map((x, i) => (x - from[i]) / (long || 1));
  const off = (along, across) => [to[0] + ux * along - uy * across, to[1] + uy * along + ux * across];
  const size = Math.min(12, long * 0.6);
  put(line, { d: `M${from}L${off(-size, 0)}` });
  put(head, { d: `M${to}L${off(-size, size * 0.42)}L${off(-size, size * -0.42)}Z` });
  const [x, y] = node.id === "b" ? off(-20, -18) : off(21, 0);
  if (name) put(name, { x, y: y + 5 });
}

// The corners of the smallest convex area around the points (Andrew 1979).
function hull(points) {
  const turn = ([a, b], [c, d], [e, f]) => (c - a) * (f - b) - (d - b) * (e - a);
  const order = [...points].sort(([a, b], [c, d]) => a - c || b - d);
  const half = (all) => all.reduce((kept, p) => {
    while (kept.length > 1 && turn(...kept.slice(-2), p) <= 0) kept.pop();
    return [...kept, p];
  }, []);
  return [...half(order), ...half(order.reverse())];
}

const on = ({ data }, id) => {
  const { unit, left, top } = data.planes[id[0]];
  return ([x, y]) => [left + x / unit, top - y / unit];
};
const tip = ({ data, local }, id) => local.get(id) ?? data.tips[id];

// Draw all that can change: arrows and their names, b and what it is made of, the numbers of the row.
function show(state) {
  const { data, nodes, hand } = state;
  const { digits, names } = data;
  const row = compute(state);
  const { weights, values, without, output } = row;
  const named = {};
  for (const id in data.tips) {
    const [at, to] = [on(state, id), tip(state, id)];
    const [, , name, grip] = nodes[id].children;
    const [cx, cy] = at(to);
    point(nodes[id], at([0, 0]), [cx, cy]);
    put(grip, { cx, cy, "aria-valuenow": to[0], "aria-valuetext": vector(to, digits) });
    name.textContent = "";
    if (data.few || id === hand) (named[[id > "v", Math.round(cx / 24), Math.round(cy / 24)]] ??= name).textContent += `${names[id]} `;
  }
  const place = hand && hand[0] !== "q" ? +hand.slice(1) : -1;
  if (nodes.b) {
    const at = on(state, "v");
    if (nodes.area) put(nodes.area, { d: `M${hull(data.inside.map((j) => at(values[j]))).join("L")}Z` });
    let from = [0, 0];
    values.forEach((value, j) => {
      const to = from.map((x, f) => (weights ? x + weights[j] * value[f] : x));
      point(nodes[`part${j}`], at(from), at(to));
      from = to;
    });
    const b = at(output ?? [0, 0]);
    point(nodes.b, at([0, 0]), b);
    if (nodes.rest) {
      const [cx, cy] = without ? at(without[place < 0 ? data.rest : place]) : b;
      point(nodes.rest, [cx, cy], b);
      put(nodes.spot, { cx, cy });
    }
  }
  row.lengths = weights?.map((w, j) => Math.abs(w) * Math.hypot(...values[j]));
  row.effects = without?.map((b) => far(b, output));
  for (const key of data.columns) {
    const all = row[key];
    data.row.masked.forEach((z, j) => {
      const [text, bar] = nodes[key + j].children;
      text.textContent = !all ? "…" : key === "scores" && z === null ? "−∞" : written(all[j], digits, all);
      bar.style.width = `${all ? (3.6 * all[j]) / data.most[key] : 0}em`;
      nodes[`row${j}`].classList.toggle("on", j === place);
    });
  }
  const said = hand ? [`${names[hand]} = ${vector(tip(state, hand), digits)}`] : [];
  for (const key of data.columns) if (names[key] && place >= 0 && row[key]) said.push(`${names[key][place]} = ${written(row[key][place], digits, row[key])}`);
  said.push(output ? `${names.b} = ${vector(output, digits)}` : data.unknown);
  nodes.readout.textContent = said.join(" \u2003");
}

function ask(state) {
  state.asked ||= requestAnimationFrame(() => {
    state.asked = 0;
    show(state);
  });
}

function move(state, id, to, grain) {
  state.local.set(id, to.map((x) => Number(x.toFixed(grain))));
  ask(state);
}

// All that Python has not answered yet goes out together, so that nothing is lost on the way.
function tell(state) {
  clearTimeout(state.waiting);
  state.waiting = state.drag = null;
  const all = [...state.local].map(([id, to]) => [id[0], +id.slice(1), ...to]);
  if (all.length) state.send("moves", [++state.serial, all]);
}

function listen(state) {
  const { root } = state;
  const mouse = ({ clientX, clientY }, svg) => {
    const box = svg.getBoundingClientRect();
    return [clientX - box.x, clientY - box.y].map((x) => (x * state.data.box[0]) / box.width);
  };
  const held = ({ target }) => (target.matches(".grip") ? target.parentNode.id : null);
  root.onpointerdown = (event) => {
    const { target, button, pointerId } = event;
    const id = held(event);
    if (!id || button) return;
    target.focus();
    target.setPointerCapture(pointerId);
    const at = on(state, id)(tip(state, id));
    const svg = target.closest("svg");
    state.drag = { id, svg, by: mouse(event, svg).map((x, i) => at[i] - x) };
  };
  // Else the page would scroll: what CSS says of touch does not reach into a picture.
  root.ontouchstart = (event) => held(event) && event.preventDefault();
  root.onpointermove = (event) => {
    const { drag, data } = state;
    if (!drag) return;
    const { unit, left, top, grain } = data.planes[drag.id[0]];
    const [x, y] = mouse(event, drag.svg).map((x, i) => Math.min(Math.max(x + drag.by[i], 8), data.box[i] - 8));
    move(state, drag.id, [(x - left) * unit, (top - y) * unit], grain);
  };
  root.onpointerup = root.onpointercancel = () => state.drag && tell(state);
  root.onkeydown = (event) => {
    const [id, step] = [held(event), KEYS[event.key]];
    if (!id || !step || event.altKey) return;
    move(state, id, tip(state, id).map((x, i) => x + step[i] * (event.shiftKey ? 1 : 0.1)), 9);
    clearTimeout(state.waiting);
    state.waiting = setTimeout(tell, 600, state);
    event.preventDefault();
  };
  for (const type of ["focusin", "focusout"]) {
    root.addEventListener(type, (event) => {
      state.hand = type === "focusin" ? held(event) : null;
      if (state.waiting) tell(state);
      ask(state);
    });
  }
}

export default function ({ parentElement: parent, data: bytes, setStateValue }) {
  let state = states.get(parent);
  if (!state) {
    state = { root: make("div", "root plane"), local: new Map(), serial: 0, turn: 0 };
    parent.append(state.root);
    states.set(parent, state);
    listen(state);
  }
  const turn = ++state.turn;
  const data = JSON.parse(decode(bytes));
  Object.assign(state, { data, send: setStateValue, serial: Math.max(state.serial, data.heard) });
  if (data.heard >= state.serial && !state.drag && !state.waiting) state.local.clear();
  const outline = JSON.stringify(data.tree);
  if (outline !== state.outline && !state.drag) {
    const held = parent.activeElement?.parentNode.id;
    state.root.replaceChildren(...data.tree.map(build));
    state.nodes = Object.fromEntries([...state.root.querySelectorAll("[id]")].map((node) => [node.id, node]));
    Object.assign(state, { outline, hand: null });
    if (held) state.nodes[held]?.querySelector(".grip").focus();
  }
  state.root.style.fontSize = `${data.size}rem`;
  show(state);
  return () => {
    if (turn !== state.turn) return;
    state.root.remove();
    states.delete(parent);
  };
}
