// A mask to paint: click a cell, drag over several, or hold Space and walk with the arrow keys. A place is
// [row, column]; −1 stands for a label, which paints its whole row or column. Each stroke is sent once, when it
// ends; a mask that was sent and has not come back yet is not painted over.

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const PATIENCE = 10000;
const states = new WeakMap();

const written = ({ cells }) => cells.map((row) => row.map((cell) => +cell.on).join(""));

function covered({ cells }, [r, c]) {
  return cells.flat().filter(({ at }) => (r < 0 || at[0] === r) && (c < 0 || at[1] === c));
}

function show({ data }, cell, on) {
  const [r, c] = cell.at;
  cell.on = on;
  cell.ariaSelected = on;
  cell.classList.toggle("masked", !on);
  cell.ariaLabel = data.words[on ? "may" : "may_not"].replace("{row}", plain(data.rows[r])).replace("{column}", plain(data.columns[c]));
}

function brush(state, at) {
  covered(state, at).forEach((cell) => show(state, cell, state.on));
  state.last = at;
}

function begin(state, at) {
  state.before = written(state);
  state.on = !covered(state, at).every((cell) => cell.on);
  brush(state, at);
}

// A quick pointer leaves cells out: paint the straight line from the last one to this.
function drag(state, at) {
  const [[r0, c0], [r1, c1]] = [state.last, at];
  const steps = Math.max(Math.abs(r1 - r0), Math.abs(c1 - c0));
  if (!steps) return;
  if (Math.min(r0, c0, r1, c1) < 0) return brush(state, at);
  for (let k = 1; k <= steps; k++) brush(state, [r0 + ((r1 - r0) * k) / steps, c0 + ((c1 - c0) * k) / steps].map(Math.round));
}

function finish(state, keep = true) {
  if (!state.before) return;
  const now = written(state);
  if (!keep) fill(state, state.before);
  else if (`${now}` !== `${state.before}`) {
    state.sent.push([Date.now(), `${now}`]);
    state.send("mask", now);
  }
  state.before = null;
}

function fill(state, rows) {
  state.cells.forEach((row, r) => row.forEach((cell, c) => show(state, cell, rows[r][c] === "1")));
}

function rove(state, at) {
  const node = state.nodes.get(`${at}`);
  if (!node) return node;
  if (state.stop) state.stop.tabIndex = -1;
  node.tabIndex = 0;
  return (state.stop = node);
}

function press(state, event) {
  const { target: { at }, key } = event;
  if (!at || event.altKey || event.metaKey || event.ctrlKey) return;
  const step = STEPS[key];
  if (step) {
    const node = rove(state, [at[0] + step[0], at[1] + step[1]]);
    node?.focus();
    if (node && state.before) drag(state, node.at);
  } else if (key === "Enter" || key === " ") event.repeat || begin(state, at);
  else if (key === "Escape" && state.before) finish(state, false);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const [root, frame] = [make("div", "root painter"), make("div", "frame")];
  root.append(frame);
  parent.append(root);
  const state = { root, frame, sent: [], turn: 0 };
  const under = ({ clientX, clientY }) => root.getRootNode().elementFromPoint(clientX, clientY)?.closest("td, th")?.at;
  root.onpointerdown = (event) => {
    const at = event.isPrimary && event.button === 0 && event.target.closest("td, th")?.at;
    if (!at) return;
    event.preventDefault();
    root.setPointerCapture(event.pointerId);
    rove(state, at).focus({ preventScroll: true });
    begin(state, at);
  };
  root.onpointermove = (event) => {
    const at = state.before && event.buttons && under(event);
    if (at) drag(state, at);
  };
  root.onpointerup = () => finish(state);
  root.onpointercancel = () => finish(state, false);
  root.onkeydown = (event) => press(state, event);
  root.onkeyup = ({ key }) => (key === "Enter" || key === " ") && finish(state);
  root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget?.at || finish(state));
  root.addEventListener("focusin", ({ target: { at } }) => at && rove(state, at));
  states.set(parent, state);
  return state;
}

function build(state, parent) {
  const { data, root } = state;
  const { rows, columns, hand } = data;
  const held = parent.activeElement?.at;
  state.nodes = new Map();
  const place = (node, at) => {
    Object.assign(node, { at, tabIndex: -1 });
    state.nodes.set(`${at}`, node);
    return node;
  };
  const label = (text, at) => {
    const node = place(make("th", at[1] < 0 ? "row" : "column", span("", text)), at);
    node.scope = at[1] < 0 ? "row" : "col";
    node.title = plain(text);
    if (at[0] === hand[0] || at[1] === hand[1]) node.classList.add("held");
    return node;
  };
  state.cells = rows.map((_, r) => columns.map((_, c) => {
    const cell = place(make("td", hand[0] === r || hand[1] === c ? "cell held" : "cell", span("may", "✓")), [r, c]);
    cell.role = "gridcell";
    return cell;
  }));
  const across = make("th", "across", span("", data.columnTitle));
  across.colSpan = columns.length;
  const names = make("tr", "", make("td", "corner", span("", data.rowTitle)), ...columns.map((text, c) => label(text, [-1, c])));
  const body = state.cells.map((row, r) => {
    row[0].classList.add("first");
    row.at(-1).classList.add("end");
    return make("tr", "", label(rows[r], [r, -1]), ...row);
  });
  const table = make("table");
  table.role = "grid";
  table.ariaLabel = root.ariaLabel = data.label;
  table.ariaMultiSelectable = true;
  const caption = make("caption", "", span("symbol", data.name), span("title", data.title), span("shape", data.shape));
  table.append(caption, make("thead", "", make("tr", "", make("td"), across), names), make("tbody", "", ...body));
  root.className = `root painter ${data.look}`;
  root.style.cssText = `font-size: ${data.size}rem; --n: ${columns.length}`;
  state.frame.replaceChildren(table);
  fill(state, data.cells);
  rove(state, [0, 0]);
  if (held) rove(state, held)?.focus();
}

// The masks that were sent come back one after the other: only the last one, or another from outside, is shown.
function receive(state) {
  const came = `${state.data.cells}`;
  state.sent = state.sent.filter(([time]) => Date.now() - time < PATIENCE);
  const at = state.sent.findLastIndex(([, mask]) => mask === came);
  state.sent = at < 0 ? [] : state.sent.slice(at + 1);
  if (!state.sent.length && !state.before) fill(state, state.data.cells);
}

export default function ({ parentElement, data, setTriggerValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  state.send = setTriggerValue;
  const sent = decode(data);
  if (sent !== state.came) {
    Object.assign(state, { came: sent, data: JSON.parse(sent) });
    const { cells, ...rest } = state.data;
    const outline = JSON.stringify(rest);
    if (outline === state.outline) receive(state);
    else Object.assign(state, { outline, sent: [], before: null }), build(state, parentElement);
  }
  return () => {
    if (turn !== state.turn) return;
    state.root.remove();
    states.delete(parentElement);
  };
}
