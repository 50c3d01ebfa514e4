// What the pictures of a model share: framed data, and one selection for all of a page.

function unframe(bytes) {
  const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const data = JSON.parse(decode(bytes.subarray(4, 4 + head)));
  // Typed arrays must begin at a multiple of their size: where the bytes do not, they are copied.
  const body = bytes.slice(4 + head).buffer;
  data.array = (i, Type) => new Type(body, data.arrays[i][0], data.arrays[i][1] / Type.BYTES_PER_ELEMENT);
  return data;
}

// A picture that keeps its state while it stays on the page: begun once, drawn when it is sent other data.
function mount(start, render) {
  const states = new WeakMap();
  return ({ parentElement, data, setTriggerValue }) => {
    const state = states.get(parentElement) ?? start(parentElement);
    states.set(parentElement, state);
    const turn = (state.turn = (state.turn ?? 0) + 1);
    state.send = setTriggerValue;
    if (data !== state.sent) {
      state.sent = data;
      state.data = unframe(data);
      render(state);
    }
    return () => {
      if (turn !== state.turn) return;
      state.watch?.disconnect();
      state.unhear?.();
      state.root.remove();
      states.delete(parentElement);
    };
  };
}

// Weights of one head: a number of 16 bits for each, and the largest of each row.
function weights(data, first) {
  const [tops, cells] = [data.array(first, Float32Array), data.array(first + 1, Uint16Array)];
  const n = cells.length / tops.length;
  return { n, rows: tops.length, at: (r, c) => (cells[r * n + c] / 65535) * tops[r], top: (r) => tops[r] };
}

const ink = (data, share) => `rgb(${data.colours[Math.max(0, Math.min(255, Math.round(share * 255)))]})`;

// What the pictures of a group look at, { side: "query" or "key", at, other }: under the pointer, and locked.
const boards = (window.attnvizBoards ??= new Map());
const board = (group) => boards.get(group) ?? boards.set(group, { over: null, locked: null }).get(group);

function tell(group) {
  window.dispatchEvent(new CustomEvent("attnviz:look", { detail: group }));
}

function hear(group, then) {
  const heard = ({ detail }) => detail === group() && then();
  window.addEventListener("attnviz:look", heard);
  return () => window.removeEventListener("attnviz:look", heard);
}

function look(group, place) {
  board(group).over = place;
  tell(group);
}

// The same place once more lets go. What is locked stays when the page is opened again from its address.
function lock(group, place) {
  const { locked, text } = board(group);
  const same = place && locked?.side === place.side && locked.at === place.at;
  const now = (board(group).locked = same ? null : place);
  const [own, other] = now?.side === "key" ? ["key", "q"] : ["q", "key"];
  keep({ q: null, key: null, hold: now?.side ?? null, ...(now && { [own]: now.at, [other]: now.other }) }, text);
  tell(group);
  return now;
}

// What the page was told to lock holds until a person locks something else; another text begins anew.
function told(data) {
  const [now, said] = [board(data.group), JSON.stringify(data.locked)];
  if (now.text !== data.text) {
    Object.assign(now, { text: data.text, locked: data.locked });
    if (kept.text !== data.text) for (const name of ["q", "key", "hold"]) delete kept.values[name];
  } else if (said !== now.said && !("q" in kept.values)) {
    const same = now.locked?.side === "key" && now.locked.at === data.locked?.other;
    if (!same) now.locked = data.locked;
  }
  now.said = said;
}

// What the pictures wrote into the address, and the page has not been told.
const kept = (window.attnvizKept ??= { text: "", values: {} });
function keep(values, text) {
  Object.assign(kept.values, values);
  if (text !== undefined) kept.text = text;
  const url = new URL(location);
  for (const [name, value] of Object.entries(values)) {
    if (value == null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", url);
}

function takeKept() {
  const taken = { text: kept.text, ...kept.values };
  kept.values = {};
  return taken;
}

// The sentence that reads a picture aloud: the page's own, until a person locks another token.
function speak({ data, spoken }, map, label = (side, i) => labelled(data, side)[i]) {
  const { locked } = board(data.group);
  spoken.hidden = !data.spoken;
  if (data.spoken) write(spoken, ["🔊 ", spokenOf(data, map, locked, label)].join(""));
}

const labelled = (data, side) => (side === "query" ? data.queries : data.keys);

function spokenOf(data, map, locked, label) {
  const { first, row, said, asked } = data.spoken;
  const asks = locked?.side === "query";
  if (!locked || data.rowEdges || (asks && locked.at === row) || locked.at >= (asks ? map.rows : map.n)) return first;
  const [own, n] = [(i) => (asks ? map.at(locked.at, i) : map.at(i, locked.at)), asks ? map.n : map.rows];
  let [best, shown] = [0, 0];
  for (let i = 0; i < n; i++) {
    shown += own(i);
    if (own(i) > own(best)) best = i;
  }
  const [q, k] = asks ? [locked.at, best] : [best, locked.at];
  const numbers = { i: data.numbers.query[q], j: data.numbers.key[k], value: own(best).toFixed(data.spokenDigits ?? data.digits), shown: shown.toFixed(data.digits) };
  return fill(asks ? said : asked, { query: label("query", q), key: label("key", k), ...numbers });
}

const fill = (text, values) => text.split(/\{(\w+)\}/).map((words, i) => (i % 2 ? `${values[words]}` : words)).join("");
function fit(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  canvas.style.cssText = `width: ${width}px; height: ${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return pen;
}
