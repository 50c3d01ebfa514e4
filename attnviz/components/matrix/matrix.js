// Tables of numbers. A place is [table, row, column]: row -1 holds the column labels, column -1 the row
// labels, and table -1 the token strip.

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const states = new WeakMap();

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

function luminance(colour) {
  const [r, g, b] = colour.map((c) => (c > 10 ? ((c / 255 + 0.055) / 1.055) ** 2.4 : c / 3295));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function mix(stops, share) {
  const at = share * (stops.length - 1);
  const from = Math.min(stops.length - 2, Math.floor(at));
  const two = rgb(stops[from + 1]);
  return rgb(stops[from]).map((c, i) => c + (two[i] - c) * (at - from));
}

// The colour at a share of the scale, and black or white on it: never less than 4.5 to 1.
function paint(cell, { light, dark }, share) {
  const colours = [mix(light, share), mix(dark, share)];
  const inks = colours.map((colour) => (luminance(colour) > 0.179 ? "#000" : "#fff"));
  cell.style.backgroundColor = `light-dark(${colours.map((colour) => `rgb(${colour})`)})`;
  cell.style.color = `light-dark(${inks})`;
}

function place(state, node, at) {
  node.at = at;
  node.tabIndex = -1;
  state.nodes.set(`${at}`, node);
  return node;
}

function draw(state, spec, t, scale) {
  const { rows, columns, cells, digits, hand } = spec;
  const label = (text, r, c) => {
    const node = place(state, make("th", c < 0 ? "row" : "column", span("", text)), [t, r, c]);
    node.scope = c < 0 ? "row" : "col";
    if (spec.pick[+(r < 0)]) node.classList.add("pick");
    if (c === hand[1]) node.classList.add("held");
    node.title = plain(text);
    return node;
  };
  const table = make("table", `${spec.kind} ${spec.look}`);
  table.role = "grid";
  table.ariaLabel = spec.label;
  const caption = make("caption", "", span("symbol", spec.name), span("title", spec.title), span("shape", spec.shape));
  if (scale && spec.legend.length) {
    const bar = make("i");
    bar.style.background = `linear-gradient(90deg, ${scale.light.map((c, i) => `light-dark(${c}, ${scale.dark[i]})`)})`;
    caption.append(make("span", "legend", spec.legend[0], bar, spec.legend[1]));
  }
  const across = make("th", "across", span("", spec.columnTitle));
  across.colSpan = columns.length;
  across.scope = "colgroup";
  const names = make("tr", "", make("td", "corner", span("", spec.rowTitle)), ...columns.map((text, c) => label(text, -1, c)));
  const notes = (all) => all.map(([name, text]) => make("td", name, span("", text)));
  names.append(...notes(spec.tails[0]));
  const body = rows.map((text, r) => {
    const row = make("tr", hand[0] === r ? "hand" : "", label(text, r, -1));
    cells[r].forEach((number, c) => {
      const cell = place(state, make("td", hand[1] === c ? "cell held" : "cell"), [t, r, c]);
      cell.role = "gridcell";
      if (digits) cell.textContent = number;
      else cell.ariaLabel = number;
      if (spec.fresh[r]?.[c]) cell.classList.add("fresh");
      if (spec.masked[r]?.[c]) cell.classList.add("masked");
      else if (spec.shades) paint(cell, scale, spec.shades[r][c]);
      row.append(cell);
    });
    row.children[1]?.classList.add("first");
    row.lastChild.classList.add("end");
    row.append(...notes(spec.tails[r + 1]));
    return row;
  });
  table.append(
    caption,
    make("thead", "", make("tr", "", make("td"), across), names),
    make("tbody", "", ...body),
    make("tfoot", "", ...spec.feet.map(([name, ...all]) => make("tr", name, ...notes(all)))),
  );
  const block = make("div", "block", span("sign", spec.sign), make("div", "frame", table));
  block.style.cssText = `--number: ${spec.widths[0]}ch; --column: ${spec.widths[1]}ch; --rows: ${rows.length}; --n: ${columns.length}`;
  return block;
}

function reading({ data }, at) {
  const [t, r, c] = at ?? [];
  const spec = data.tables[t];
  const text = spec?.readouts[[r, c]];
  if (text || !spec?.template || r < 0 || c < 0) return text ?? data.readout;
  const values = { i: `${r + 1}`, j: `${c + 1}`, row: spec.rows[r], column: spec.columns[c], value: spec.cells[r][c] };
  return spec.template.split(/\{(\w+)\}/).flatMap((words, k) => parts(k % 2 ? values[words] ?? "" : words));
}

// All rows or columns but the one in hand and the one pointed at; a projector shows them fainter.
function dim(table, { hand, rows, columns }, at) {
  const out = (k, { length }, i) => hand[k] != null && i >= 0 && i < length && i !== hand[k] && i !== at[k];
  [...table.rows].forEach((line, y) => [...line.cells].forEach((cell, x) =>
    cell.classList.toggle("dim", out(0, rows, y - 2) || (y > 0 && out(1, columns, x - 1)))));
}

// Light a place, and in the other tables the rows and columns that stand on the same axis.
function point(state, at) {
  const { nodes, data, lit } = state;
  lit.forEach((node) => node?.classList.remove("on", "lit"));
  lit.clear();
  const show = (name, ...places) => places.forEach((where) => {
    const node = nodes.get(`${where}`);
    node?.classList.add(name);
    lit.add(node);
  });
  const [table, row, column] = at ?? [];
  const { rowAxis, columnAxis } = data.tables[table] ?? { rowAxis: "query" };
  const axes = { [columnAxis]: column, [rowAxis]: row };
  const on = (axis) => (axis ? axes[axis] ?? -1 : -1);
  data.tables.forEach((spec, t) => {
    const [r, c] = t === table ? [row, column] : [on(spec.rowAxis), on(spec.columnAxis)];
    show("on", [t, r, -1], [t, -1, c]);
    if (r >= 0 && c >= 0) show("on", [t, r, c]);
    else if (r >= 0) show("lit", ...spec.columns.map((_, k) => [t, r, k]));
    else if (c >= 0) show("lit", ...spec.rows.map((_, k) => [t, k, c]));
    dim(state.all[t], spec, [r, c]);
  });
  show("on", [-1, on("query"), -1]);
  state.at = at;
  write(state.readout, reading(state, at));
}

// The line beneath keeps the height of its longest text, so that nothing moves.
function reserve(state) {
  const { data, readout, root } = state;
  state.width = root.offsetWidth;
  readout.style.minHeight = "";
  write(readout, data.longest);
  readout.style.minHeight = `${readout.offsetHeight}px`;
  point(state, state.at);
}

// One cell of each table, and one chip, can be reached with Tab; the arrow keys do the rest.
function rove(state, at) {
  const node = state.nodes.get(`${at}`);
  if (!node) return node;
  const before = state.stops[at[0]];
  if (before) before.tabIndex = -1;
  node.tabIndex = 0;
  return (state.stops[at[0]] = node);
}

function act({ data, send }, [table, row, column]) {
  const { pick } = data.tables[table] ?? { pick: [1] };
  if (row >= 0 && column >= 0) send("cell", { table, row, column });
  else if (pick[+(row < 0)]) send("query", Math.max(row, column));
}

function press(state, event) {
  const { at } = event.target;
  if (!at || event.altKey || event.metaKey) return;
  const [t, r, c] = at;
  const { rows, columns } = state.data.tables[t] ?? { rows: state.data.tokens, columns: [] };
  const [last, end] = [rows.length - 1, columns.length - 1];
  const step = STEPS[event.key];
  let to = step && (t < 0 ? [Math.max(0, r + step[0] + step[1]), c] : [r + step[0], c + step[1]]);
  if (event.key === "Home") to = [event.ctrlKey ? 0 : r, 0];
  if (event.key === "End") to = [event.ctrlKey ? last : r, end];
  if (to) rove(state, [t, Math.min(to[0], last), Math.min(to[1], end)])?.focus();
  else if (event.key === "Enter" || event.key === " ") act(state, at);
  else if (event.key === "Escape") point(state, null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const root = make("div");
  const [strip, tables, readout] = [make("div", "strip"), make("div", "tables"), make("p", "readout")];
  const state = { root, strip, tables, readout, turn: 0 };
  readout.ariaLive = "polite";
  root.role = strip.role = "group";
  root.append(strip, tables, readout);
  parent.append(root);
  const under = ({ target }) => target.closest("td, th, button")?.at;
  root.onpointerover = (event) => under(event) && point(state, under(event));
  root.onpointerleave = () => point(state, parent.activeElement?.at ?? null);
  root.onclick = (event) => {
    const at = under(event);
    if (at) act(state, at);
    // A chip chosen with the mouse gives the keys back to the page.
    if (event.detail && at?.[0] < 0) parent.activeElement?.blur();
  };
  root.onkeydown = (event) => press(state, event);
  root.addEventListener("focusin", ({ target: { at } }) => at && (rove(state, at), point(state, at)));
  root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget?.at || point(state, null));
  state.watch = new ResizeObserver(() => root.offsetWidth !== state.width && reserve(state));
  state.watch.observe(root);
  states.set(parent, state);
  return state;
}

function render(state, parent) {
  const { data, root } = state;
  const held = parent.activeElement?.at;
  Object.assign(state, { nodes: new Map(), lit: new Set(), stops: [] });
  root.className = `root matrices ${data.dense ? "dense" : ""}`;
  root.ariaLabel = data.label;
  root.style.fontSize = `${data.size}rem`;
  const chips = data.tokens.map((text, i) => {
    const chip = place(state, write(make("button", "chip"), text), [-1, i, -1]);
    chip.ariaPressed = i === data.query;
    return chip;
  });
  state.strip.ariaLabel = data.tokensLabel;
  state.strip.replaceChildren(...(chips.length ? [span("quiet", data.tokensLabel), ...chips] : []));
  state.tables.replaceChildren(...data.tables.map((spec, t) => draw(state, spec, t, data.scales[spec.kind])));
  state.all = state.tables.querySelectorAll("table");
  data.tables.forEach((spec, t) => rove(state, [t, ...spec.hand.map((place) => place ?? 0)]));
  rove(state, [-1, data.query ?? 0, -1]);
  const chosen = state.nodes.get(`${data.chosen}`);
  if (chosen) chosen.ariaSelected = true;
  if (!state.nodes.has(`${state.at}`)) state.at = null;
  reserve(state);
  if (held) rove(state, held)?.focus();
}

export default function ({ parentElement, data, setTriggerValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  state.send = setTriggerValue;
  const sent = decode(data);
  if (sent !== state.sent) {
    Object.assign(state, { sent, data: JSON.parse(sent) });
    render(state, parentElement);
  }
  return () => {
    if (turn !== state.turn) return;
    state.watch.disconnect();
    state.root.remove();
    states.delete(parentElement);
  };
}
