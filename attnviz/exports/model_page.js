// A capture on a page of its own: a head's weights are made here when it is opened.

const page = JSON.parse(document.getElementById("page").textContent);
const { layers, sides, words } = page;
const GROUP = "page";
const MANY = 64; // tokens beyond which most weights are pale on a linear scale
const dark = matchMedia("(prefers-color-scheme: dark)");
const byId = (id) => document.getElementById(id);
const now = { layer: page.layer, head: page.head, unit: page.unit, row: null, turn: 0 };

// The pictures are those of the app. Here nothing is framed, no address keeps what is looked at, and no weight is rounded.
unframe = (data) => data;
keep = () => {};
weights = (data, first) => {
  const [tops, cells] = [data.array(first), data.array(first + 1)];
  const n = cells.length / tops.length;
  return { n, rows: tops.length, at: (r, c) => cells[r * n + c], top: (r) => tops[r] };
};

function decoded(id) {
  const text = byId(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

const inflated = async (bytes) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());

// Numbers of half precision, where the browser has no type for them.
function half(bytes) {
  const bits = new Uint16Array(bytes.buffer);
  return Float32Array.from(bits, (each) => {
    const [sign, power, part] = [each >> 15 ? -1 : 1, (each >> 10) & 31, each & 1023];
    if (power === 31) return part ? NaN : sign * Infinity;
    return sign * (power ? 2 ** (power - 15) * (1 + part / 1024) : 2 ** -14 * (part / 1024));
  });
}

const TYPES = { f4: (bytes) => new Float32Array(bytes.buffer), i4: (bytes) => new Int32Array(bytes.buffer), f2: half };

// Wait for the data of a layer, which may stand later in a file that is still being read.
async function read(layer) {
  while (document.readyState === "loading" && !byId(`layer-${layer.place}`)?.nextSibling) await new Promise((done) => setTimeout(done, 20));
  const all = decoded(`layer-${layer.place}`);
  const found = {};
  for (const [name, type, start, length] of layer.arrays) {
    const bytes = all.slice(start, start + length);
    found[name] = type === "z" ? await inflated(bytes) : TYPES[type]?.(bytes) ?? bytes;
  }
  return found;
}

const arraysOf = (layer) => (layer.read ??= read(layer));

// First and last key that a query may see; the last is before the first where it sees none.
function seenBy(layer, arrays, head, r) {
  if (arrays.ranges) {
    const at = 2 * (layer.n_query * (arrays.ranges.length > 2 * layer.n_query ? head : 0) + r);
    return [arrays.ranges[at], arrays.ranges[at + 1]];
  }
  const place = r + layer.n_key - layer.n_query;
  const low = layer.back === null ? 0 : Math.max(0, place - layer.back);
  const high = layer.ahead === null ? layer.n_key - 1 : Math.min(layer.n_key - 1, place + layer.ahead);
  return low > high ? [0, -1] : [low, high];
}

// Write the weights of one query into `out`.
function rowInto(out, layer, arrays, head, r) {
  if (layer.form === "scores") softmaxRow(out, layer, arrays, head, r);
  else if (arrays.weights) out.set(arrays.weights.subarray((head * layer.n_query + r) * layer.n_key, (head * layer.n_query + r + 1) * layer.n_key));
  else {
    const row = head * layer.n_query + r;
    const [from, share] = [row * layer.n_key, arrays.tops[row] / 65535];
    for (let c = 0; c < layer.n_key; c++) out[c] = (256 * arrays.high[from + c] + arrays.low[from + c]) * share;
  }
}

function softmaxRow(out, layer, { query, key, bias, sinks, ...arrays }, head, r) {
  const { width, n_query: nQuery, n_key: nKey, scale, cap } = layer;
  const [low, high] = seenBy(layer, arrays, head, r);
  const shared = Math.floor(head / (layer.n_heads / layer.n_kv_heads));
  const q = query.subarray((head * nQuery + r) * width, (head * nQuery + r + 1) * width);
  const even = width - (width % 4);
  const added = bias && bias.length > nQuery + nKey - 1 ? head * (nQuery + nKey - 1) : 0;
  let top = sinks ? sinks[head] : -Infinity;
  out.fill(0);
  for (let c = low; c <= high; c++) {
    const at = (shared * nKey + c) * width;
    let a = 0, b = 0, d = 0, e = 0;
    for (let i = 0; i < even; i += 4) {
      a += q[i] * key[at + i];
      b += q[i + 1] * key[at + i + 1];
      d += q[i + 2] * key[at + i + 2];
      e += q[i + 3] * key[at + i + 3];
    }
    for (let i = even; i < width; i++) a += q[i] * key[at + i];
    let score = (a + b + d + e) * scale;
    if (cap) score = Math.tanh(score / cap) * cap;
    if (bias) score += bias[added + c - r + nQuery - 1];
    out[c] = score;
    if (score > top) top = score;
  }
  let total = sinks ? Math.exp(sinks[head] - top) : 0;
  for (let c = low; c <= high; c++) total += out[c] = Math.exp(out[c] - top);
  for (let c = low; c <= high; c++) out[c] /= total;
}

// The map of one head: every weight, words together, or the largest weight of each block.
function mapOf(layer, arrays, head, rows, columns) {
  const line = new Float32Array(layer.n_key);
  const [high, wide] = [rows.count, columns.count];
  const [cells, ranges, tops] = [new Float32Array(high * wide), new Int32Array(2 * high), new Float32Array(high)];
  for (let g = 0; g < high; g++) ranges.set([wide, -1], 2 * g);
  for (let r = 0; r < layer.n_query; r++) {
    rowInto(line, layer, arrays, head, r);
    const [g, [low, last]] = [rows.of[r], seenBy(layer, arrays, head, r)];
    const [from, share] = [g * wide, rows.pooled ? 0 : 1 / rows.sizes[g]];
    if (low <= last) {
      ranges[2 * g] = Math.min(ranges[2 * g], columns.of[low]);
      ranges[2 * g + 1] = Math.max(ranges[2 * g + 1], columns.of[last]);
    }
    for (let c = 0; c < layer.n_key; c++) {
      const at = from + columns.of[c];
      if (!rows.pooled) cells[at] += line[c] * share;
      else if (line[c] > cells[at]) cells[at] = line[c];
    }
  }
  for (let g = 0; g < high; g++) for (let c = 0; c < wide; c++) tops[g] = Math.max(tops[g], cells[g * wide + c]);
  return { cells, ranges, tops };
}

// Which token stands in which row: each in its own, words together, or in blocks of equal size.
function groupsOf(side, unit, blocks) {
  const n = side.pieces.labels.length;
  if (blocks && n > blocks) {
    const edges = Array.from({ length: blocks + 1 }, (_, i) => Math.round((i * n) / blocks));
    const of = new Int32Array(n);
    for (let b = 0; b < blocks; b++) of.fill(b, edges[b], edges[b + 1]);
    return { count: blocks, of, edges, pooled: true };
  }
  const chosen = side[unit] ?? side.pieces;
  const of = Int32Array.from(chosen.of ?? chosen.labels, (g, i) => (chosen.of ? g : i));
  const sizes = new Int32Array(chosen.labels.length);
  for (const g of of) sizes[g]++;
  const edges = blocks ? Array.from({ length: n + 1 }, (_, i) => i) : null;
  return { count: sizes.length, of, sizes, edges, pooled: Boolean(blocks) };
}

const given = (data, ...arrays) => ({ ...data, array: (i) => arrays[i] });
const named = (head) => fill(words.head, head);

function shadow(name) {
  const root = byId(name).attachShadow({ mode: "open" });
  const style = make("style");
  style.textContent = STYLES[name];
  root.append(style);
  return root;
}

const mounted = {};
function draw(name, data, send = () => {}) {
  const paint = page.palettes[dark.matches ? "dark" : "light"];
  const all = { ...data, group: GROUP, digits: page.digits, size: 1, locked: null, ...paint };
  COMPONENTS[name]({ parentElement: (mounted[name] ??= shadow(name)), data: all, setTriggerValue: (_, value) => send(value) });
}

function drawHeads() {
  draw(
    "head_grid",
    {
      label: words.grid.label, title: words.grid.title, hint: words.grid.hint, notes: page.notes, largest: 54, turned: page.turned,
      layers: layers.map((layer) => layer.name), counts: layers.map((layer) => layer.n_heads), shapes: layers.map((layer) => layer.shape), chosen: [[now.layer, now.head]],
      array: (place) => (layers[place].map ??= decodedMap(place)),
    },
    ({ layer, head }) => open({ layer, head }),
  );
}

let maps = null;
function decodedMap(place) {
  maps ??= decoded("maps");
  const sizes = layers.map(({ n_heads: n, shape: [rows, columns] }) => n * rows * columns);
  const from = sizes.slice(0, place).reduce((sum, size) => sum + size, 0);
  return maps.subarray(from, from + sizes[place]);
}

async function drawHead() {
  const turn = ++now.turn;
  const layer = layers[now.layer];
  const arrays = await arraysOf(layer);
  if (turn !== now.turn) return;
  const large = Math.max(layer.n_query, layer.n_key) > page.exact ? page.blocks : 0;
  const [rows, columns] = [layer.queries, layer.keys].map((side) => groupsOf(sides[side], large ? "pieces" : now.unit, large));
  const map = mapOf(layer, arrays, now.head, rows, columns);
  const [asks, asked] = [sides[layer.queries], sides[layer.keys]].map((side) => (!large && side[now.unit]) || side.pieces);
  now.shown = { layer, arrays, map, asks, asked, rows, columns };
  const few = !large && (page.picture || Math.max(asks.labels.length, asked.labels.length) <= page.lines);
  byId("pictures").classList.toggle("alone", !few);
  byId("no-lines").hidden = few;
  const largest = map.tops.reduce((most, each) => Math.max(most, each), 0);
  const limit = asked.labels.length > MANY && largest ? Number(largest.toPrecision(3)) : Math.max(1, largest);
  const numbers = { query: asks.labels.map((_, i) => i + 1), key: asked.labels.map((_, i) => i + 1) };
  const shared = { queries: asks.labels, keys: asked.labels, numbers, limit };
  drawMap(shared, map, rows, columns);
  // The map is on the screen before the rest is drawn.
  await new Promise((done) => setTimeout(done));
  if (turn !== now.turn) return;
  if (page.picture && few) await drawPatches(shared, map);
  else if (few) drawLines(shared, map, asks, asked, layer);
  if (turn !== now.turn) return;
  drawHeads();
}

function drawMap(shared, map, rows, columns) {
  const exact = rows.edges ? now.row : null;
  const row = new Float32Array(now.shown.layer.n_key);
  if (exact !== null) rowInto(row, now.shown.layer, now.shown.arrays, now.head, exact);
  const label = fill(words.map.label, { head: named(now), n_query: shared.queries.length, n_key: shared.keys.length });
  draw(
    "heat_canvas",
    {
      ...given(shared, map.tops, map.cells, map.ranges, row),
      label, words: words.heat, mode: shared.queries.length > MANY ? "log" : "linear", turned: page.turned, tallest: 560, largest: 46, letter: 13,
      rowEdges: rows.edges, columnEdges: columns.edges, exactRow: exact,
    },
    (place) => {
      now.row = place;
      drawMap(shared, map, rows, columns);
    },
  );
  byId("map-title").textContent = fill(words.map.title, { head: named(now) });
  say();
}

function drawLines(shared, map, asks, asked, layer) {
  const paint = page.palettes[dark.matches ? "dark" : "light"];
  draw("token_lines", {
    ...given(shared, map.ranges, map.tops, map.cells),
    heads: [{ name: named(now), colour: paint.accent }], label: fill(words.lines.label, { heads: named(now) }), words: words.lines,
    strip: asks.strip, otherStrip: layer.queries === layer.keys ? [] : asked.strip, same: layer.queries === layer.keys,
  });
}

async function drawPatches(shared, map) {
  const { grid, before, pixels } = page.picture;
  const points = await (page.points ??= inflated(decoded("picture")));
  const [rows, columns] = grid;
  draw("patch_picture", {
    ...given(shared, map.tops, map.cells, points),
    label: fill(words.patches.label, { head: named(now), rows, columns }), words: words.patches, grid, before, pixels, tallest: 460, letter: 12,
    rows: shared.queries.map((_, i) => i), columns: shared.keys.map((_, i) => i),
  });
}

// Read the query that is looked at, or the first: what it attends to most, and what its row adds up to.
function say() {
  const { layer, arrays, map, asks, asked, rows } = now.shown;
  const look = board(GROUP).locked ?? board(GROUP).over;
  const place = look?.side === "query" ? look.at : look?.other ?? now.row ?? 0;
  const row = rows.edges ? new Float32Array(layer.n_key) : map.cells.subarray(place * asked.labels.length, (place + 1) * asked.labels.length);
  if (rows.edges) rowInto(row, layer, arrays, now.head, place);
  const best = row.reduce((most, each, i) => (each > row[most] ? i : most), 0);
  const sum = row.reduce((total, each) => total + each, 0);
  const numbers = { value: row[best].toFixed(4), shown: sum.toFixed(4) };
  byId("said").textContent = fill(words.said, { head: named(now), query: asks.labels[place], i: place + 1, key: asked.labels[best], j: best + 1, ...numbers });
}

function open(chosen) {
  const sizes = ({ layer }) => [layers[layer].queries, layers[layer].keys].join();
  if ("unit" in chosen || sizes(chosen) !== sizes(now)) {
    boards.delete(GROUP);
    now.row = null;
  }
  Object.assign(now, chosen);
  now.head = Math.min(now.head, layers[now.layer].n_heads - 1);
  choices();
  drawHead();
  try {
    history.replaceState(null, "", `#layer=${now.layer}&head=${now.head}`);
  } catch {
    // A page inside another has no address of its own.
  }
}

function choices() {
  const list = (select, values, chosen) => {
    select.replaceChildren(...values.map(([value, text]) => Object.assign(make("option"), { value, textContent: text, selected: value === chosen })));
  };
  list(byId("layer"), layers.map(({ name, kind }, place) => [place, `${name} · ${words.kinds[kind]}`]), now.layer);
  list(byId("head"), Array.from({ length: layers[now.layer].n_heads }, (_, head) => [head, `${head}`]), now.head);
  const units = ["pieces", "words", "characters"].filter((unit) => unit === "pieces" || sides.some((side) => side[unit]));
  list(byId("unit"), units.map((unit) => [unit, words.units[unit]]), now.unit);
  byId("units").hidden = units.length < 2;
}

// The address may name a head: page.html#layer=3&head=1
function asked() {
  const found = new URLSearchParams(location.hash.slice(1));
  const [layer, head] = ["layer", "head"].map((name) => (/^\d+$/.test(found.get(name)) ? Number(found.get(name)) : 0));
  return found.has("layer") && layers[layer] ? { layer, head: Math.min(head, layers[layer].n_heads - 1) } : {};
}

function begin() {
  Object.assign(now, asked());
  byId("layer").onchange = ({ target }) => open({ layer: Number(target.value) });
  byId("head").onchange = ({ target }) => open({ layer: now.layer, head: Number(target.value) });
  byId("unit").onchange = ({ target }) => open({ layer: now.layer, unit: target.value });
  window.addEventListener("attnviz:look", () => now.shown && say());
  window.addEventListener("hashchange", () => open({ layer: now.layer, ...asked() }));
  dark.addEventListener("change", () => drawHead());
  choices();
  drawHeads();
  drawHead();
}

begin();
