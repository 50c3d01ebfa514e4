// Every head a row. Sorting and choosing among types happen here; a click on a row opens its head.

const states = new WeakMap();

// What there is no number for stands last, whichever way the table is sorted.
function order({ data, sorting, type }) {
  const up = sorting.endsWith("_up");
  const at = data.columns.findIndex(({ key }) => key === (up ? sorting.slice(0, -3) : sorting));
  const rows = data.rows.map((row, place) => ({ ...row, place })).filter((row) => !type || row.types.includes(type));
  if (at < 0) return rows;
  const value = (row) => row.values[at];
  return rows.sort((a, b) => (value(a) == null) - (value(b) == null) || (up ? value(a) - value(b) : value(b) - value(a)) || a.place - b.place);
}

function title(state, column) {
  const { sorting, data } = state;
  const way = sorting === column.key ? "descending" : sorting === `${column.key}_up` ? "ascending" : "none";
  const mark = { descending: " ↓", ascending: " ↑", none: "" }[way];
  const button = make("button", "", span("", column.title + mark));
  button.title = column.note;
  button.ariaLabel = fill(data.words.sort, { column: column.title });
  button.onclick = () => sort(state, { none: column.key, descending: `${column.key}_up`, ascending: "" }[way], column.key);
  const head = make("th", "", button);
  head.scope = "col";
  head.ariaSort = way;
  button.dataset.key = column.key;
  return head;
}

function sort(state, sorting, key) {
  state.sorting = sorting;
  list(state);
  state.root.querySelector(`[data-key="${key}"]`).focus();
  tellWay(state);
}

// What is listed, and how, is kept in the address by the server.
function tellWay({ send, sorting, type }) {
  send("way", { sorting, type });
}

function line(state, row) {
  const { data } = state;
  const open = make("button", "open", span("", row.name));
  open.tabIndex = -1;
  open.ariaPressed = row.chosen;
  open.dataset.key = row.name;
  const types = row.types.map((type) => {
    const node = span("type", data.types[type][0]);
    node.title = data.types[type][1];
    return node;
  });
  const cells = row.cells.map((text, i) => {
    const cell = make("td", "", span("", text));
    if (data.columns[i].share && row.values[i] != null) cell.style.setProperty("--share", row.values[i].toFixed(2));
    return cell;
  });
  const name = make("th", "row", open);
  name.scope = "row";
  const node = make("tr", row.chosen ? "chosen" : "", name, make("td", "types", ...types), ...cells);
  node.onclick = (event) => state.send("head", { row: row.place, more: event.shiftKey || event.ctrlKey || event.metaKey });
  return node;
}

function list(state) {
  const { data, table, count } = state;
  const rows = order(state);
  const fixed = [["row", data.words.name], ["types", data.words.types]].map(([name, text]) => make("th", name, span("", text)));
  table.replaceChildren(
    make("thead", "", make("tr", "", ...fixed, ...data.columns.map((column) => title(state, column)))),
    make("tbody", "", ...rows.map((row) => line(state, row))),
  );
  const first = table.querySelector("tr.chosen .open") ?? table.querySelector(".open");
  if (first) first.tabIndex = 0;
  write(count, fill(data.words.listed, { n: rows.length, all: data.rows.length }));
}

function press({ table }, event) {
  const all = [...table.querySelectorAll(".open")];
  const now = all.indexOf(event.target);
  const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: all.length - 1 }[event.key];
  if (now < 0 || to == null) return;
  const node = all[Math.max(0, Math.min(all.length - 1, to))];
  all[now].tabIndex = -1;
  node.tabIndex = 0;
  node.focus();
  event.preventDefault();
  event.stopPropagation();
}

function choices({ data, choice, type }) {
  const known = Object.entries(data.types).map(([key, [name]]) => [key, name, data.rows.filter((row) => row.types.includes(key)).length]);
  const all = [["", data.words.every, data.rows.length], ...known];
  choice.ariaLabel = data.words.types;
  choice.replaceChildren(...all.map(([key, name, n]) => Object.assign(make("option"), { value: key, textContent: `${name} (${n})` })));
  choice.value = type;
}

function start(parent) {
  const root = make("div", "root listing");
  const [choice, count, table] = [make("select"), make("span", "quiet"), make("table")];
  const scroll = make("div", "scroll", table);
  const state = { root, choice, count, table, scroll, turn: 0 };
  count.ariaLive = "polite";
  choice.onchange = () => {
    state.type = choice.value;
    list(state);
    tellWay(state);
  };
  table.onkeydown = (event) => press(state, event);
  root.append(make("div", "bar", choice, count), scroll);
  parent.append(root);
  states.set(parent, state);
  return state;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  state.send = setTriggerValue;
  const sent = decode(data);
  if (sent !== state.sent) {
    const fresh = JSON.parse(sent);
    const type = fresh.type in fresh.types ? fresh.type : "";
    Object.assign(state, { sent, data: fresh, sorting: fresh.sorting, type });
    state.root.style.fontSize = `${fresh.size * 0.9}rem`;
    state.scroll.style.maxHeight = `${fresh.tallest}px`;
    state.table.ariaLabel = fresh.label;
    const held = parentElement.activeElement?.dataset.key;
    choices(state);
    list(state);
    if (held) state.root.querySelector(`[data-key="${held}"]`)?.focus();
  }
  return () => {
    if (turn !== state.turn) return;
    state.root.remove();
    states.delete(parentElement);
  };
}
