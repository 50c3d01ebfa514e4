// A table of inputs. What is typed, pasted or pressed goes into a log; Python says how far it has
// read, and everything after that is sent again: nothing typed is lost, however slow the server.

const states = new WeakMap();

function tell(state, kind, value) {
  state.log.push([++state.serial, kind, value]);
  state.send("log", state.log);
}

// A text that Python has not read yet, or that is still being typed, stays in its input.
function waiting({ log }, r, c) {
  return log.findLast(([, kind, { row, column }]) => kind === "edit" && row === r && column === c)?.[2].text;
}

function commit(state, input) {
  const [row, column] = input.at;
  if (input.value !== input.known) tell(state, "edit", { row, column, text: (input.known = input.value) });
}

function button(state, mark, label, name, index, allowed, at) {
  const node = make("button", "change", mark);
  node.at = at;
  node.title = node.ariaLabel = label;
  node.disabled = !allowed;
  node.onclick = () => tell(state, "command", { name, index });
  return node;
}

function build(state) {
  const { data, table } = state;
  const { rows, columns, words, rowLimits, columnLimits } = data;
  const label = (kind, text) => {
    const node = make("th", kind, span("", text));
    node.scope = kind === "row" ? "row" : "col";
    node.title = plain(text);
    return node;
  };
  const remove = (kind, text, index, count, [fewest], at) =>
    button(state, "−", words[`remove_${kind}`].replace("{label}", plain(text)), `remove_${kind}`, index, count > fewest, at);
  const add = (kind, count, [, most], at) => button(state, "+", words[`add_${kind}`], `add_${kind}`, null, count < most, at);

  const caption = make("caption", "", span("symbol", data.name), span("title", data.title), span("shape", data.shape));
  const across = make("th", "across", span("", data.columnTitle));
  across.colSpan = columns.length;
  const names = make("tr", "", make("td", "corner", span("", data.rowTitle)), ...columns.map((text) => label("column", text)));
  if (columnLimits) names.append(make("td", "", add("column", columns.length, columnLimits, [-1, columns.length])));
  state.inputs = [];
  const body = rows.map((text, r) => {
    const row = make("tr", "", label("row", text));
    columns.forEach((name, c) => {
      const input = make("input");
      Object.assign(input, { at: [r, c], autocomplete: "off", spellcheck: false, inputMode: state.keys });
      input.ariaLabel = words.cell.replace("{row}", plain(text)).replace("{column}", plain(name));
      state.inputs.push(input);
      row.append(make("td", "cell", input));
    });
    row.children[1].classList.add("first");
    row.lastChild.classList.add("end");
    if (rowLimits) row.append(make("td", "", remove("row", text, r, rows.length, rowLimits, [r, columns.length])));
    return row;
  });
  const foot = make("tr", "", make("td", "row", ...(rowLimits ? [add("row", rows.length, rowLimits, [rows.length, -1])] : [])));
  if (columnLimits) foot.append(...columns.map((text, c) => make("td", "", remove("column", text, c, columns.length, columnLimits, [rows.length, c]))));
  table.replaceChildren(caption, make("thead", "", make("tr", "", make("td"), across), names), make("tbody", "", ...body), make("tfoot", "", foot));
}

function fill(state) {
  const { data, inputs } = state;
  const invalid = new Map(data.invalid.map((cell) => [`${[cell.row, cell.column]}`, cell]));
  for (const input of inputs) {
    const [r, c] = input.at;
    const wrong = invalid.get(`${input.at}`);
    const text = waiting(state, r, c) ?? wrong?.text ?? data.cells[r][c];
    const typing = input.matches(":focus") && input.value !== input.known;
    if (!typing && input.value !== text) input.value = text;
    input.known = text;
    input.ariaInvalid = Boolean(wrong);
    input.title = wrong?.message ?? "";
  }
  say(state);
}

// The message of the input in hand, or else of the first invalid one.
function say({ root, message }, input = root.querySelector("input:focus")) {
  const wrong = input?.ariaInvalid === "true" ? input : root.querySelector("[aria-invalid=true]");
  const text = wrong?.title ?? "";
  if (message.textContent !== text) write(message, text);
}

// The buttons are places too: past the last column, and past the last row.
function go({ table }, row, column) {
  const to = [...table.querySelectorAll("input, button")].find(({ at: [r, c] }) => r === row && c === column);
  to?.focus();
}

function press(state, event) {
  const { target: input, key, shiftKey } = event;
  if (!input.at || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const [r, c] = input.at;
  const { selectionStart: from = 0, selectionEnd: to = 0, value } = input;
  const all = from === 0 && to === value.length;
  const next = state.inputs[state.inputs.indexOf(input) + (shiftKey ? -1 : 1)];
  if (key === "ArrowUp") go(state, r - 1, c);
  else if (key === "ArrowDown") go(state, r + 1, c);
  else if (key === "ArrowLeft" && !shiftKey && (all || to === 0)) go(state, r, c - 1);
  else if (key === "ArrowRight" && !shiftKey && (all || from === value.length)) go(state, r, c + 1);
  else if (input.localName === "button") return;
  else if (key === "Enter") commit(state, input), go(state, r + (shiftKey ? -1 : 1), c);
  else if (key === "Escape") input.value = input.known;
  else if (key === "Tab" && next) next.focus();
  else return event.stopPropagation();
  event.preventDefault();
  event.stopPropagation();
}

// Several cells at once go to Python as they are; a single number is pasted as usual.
function paste(state, event) {
  const text = event.clipboardData.getData("text").trim();
  if (!event.target.at || !/[\t\r\n;]|\S\s+\S|,.*,/.test(text)) return;
  event.preventDefault();
  const [row, column] = event.target.at;
  event.target.value = event.target.known;
  tell(state, "paste", { row, column, text });
}

function start(parent) {
  const [root, table, message] = [make("div", "root grid"), make("table"), make("p", "message")];
  root.append(make("div", "frame", table), message);
  message.role = "status";
  parent.append(root);
  const keys = /iP(hone|ad|od)/.test(navigator.userAgent) ? "text" : "decimal"; // its decimal keys lack the minus
  const state = { root, table, message, keys, log: [], serial: 0, turn: 0 };
  root.onkeydown = (event) => press(state, event);
  root.onpaste = (event) => paste(state, event);
  root.addEventListener("focusin", ({ target }) => {
    if (target.localName === "input") target.select();
    say(state, target);
  });
  root.addEventListener("focusout", ({ target }) => target.localName === "input" && commit(state, target));
  states.set(parent, state);
  return state;
}

export default function ({ parentElement, data, setStateValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  const before = state.data;
  state.data = JSON.parse(decode(data));
  state.send = setStateValue;
  state.serial = Math.max(state.serial, state.data.heard);
  state.log = state.log.filter(([serial]) => serial > state.data.heard);
  const { root, data: now } = state;
  root.ariaLabel = now.label;
  state.table.ariaLabel = now.label;
  state.table.className = now.kind;
  state.table.style.cssText = `--number: ${now.width}ch; --column: ${now.width}ch`;
  root.style.fontSize = `${now.size}rem`;
  const outline = ({ cells, invalid, heard, ...rest }) => JSON.stringify(rest);
  if (!before || outline(before) !== outline(now)) {
    const held = parentElement.activeElement?.at;
    build(state);
    fill(state);
    if (held) go(state, Math.min(held[0], now.rows.length - 1), Math.min(held[1], now.columns.length - 1));
  } else fill(state);
  return () => {
    if (turn !== state.turn) return;
    state.root.remove();
    states.delete(parentElement);
  };
}
