// Who attends to whom: the text coloured by one token's weights, and two columns of tokens joined by lines.

const STRONGEST = 3; // lines drawn for each query while no token is chosen
const ROW = 1.7; // lines of text between two tokens
const RIGHT_TO_LEFT = /[\u0591-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

const chosen = (data) => board(data.group).locked ?? board(data.group).over;
const heads = ({ data, maps }) => data.heads.map((head, i) => ({ ...head, map: maps[i] }));
const seen = (data, r, c) => c >= data.range[2 * r] && c <= data.range[2 * r + 1];

// The weights between a chosen token and every token of the other side.
function between({ data }, map, { side, at }) {
  const all = side === "query" ? data.keys : data.queries;
  return all.map((_, i) => {
    const [r, c] = side === "query" ? [at, i] : [i, at];
    return r < map.rows && c < map.n && seen(data, r, c) ? map.at(r, c) : null;
  });
}

function show(state) {
  const { data, root } = state;
  const now = chosen(data);
  const { locked } = board(data.group);
  const each = heads(state);
  const found = now ? each.map(({ map }) => between(state, map, now)) : [];
  for (const side of ["query", "key"]) {
    const asks = now?.side === side;
    state.columns[side].forEach((node, i) => {
      const lit = now && !asks;
      node.classList.toggle("chosen", asks && now.at === i);
      node.classList.toggle("locked", asks && locked?.at === i && locked.side === side);
      node.classList.toggle("hidden", Boolean(lit && found.every((weights) => weights[i] === null)));
      [...node.bars.children].forEach((bar, h) => {
        const weight = lit ? found[h][i] : 0;
        bar.style.opacity = weight ? Math.max(0.06, Math.min(1, weight / data.limit)) : 0;
      });
      node.number.textContent = lit && found.length === 1 && found[0][i] !== null ? found[0][i].toFixed(data.digits) : "";
    });
  }
  color(state, now, found);
  lines(state, now, each);
  write(state.readout, now ? sentence(state, now, found) : data.words.hint);
  speak(state, state.maps[0]);
  root.classList.toggle("busy", Boolean(now));
}

// The text itself: each token as dark as its weight, the largest of the heads.
function color(state, now, found) {
  const { data, strip } = state;
  const other = now?.side === "query" ? "key" : "query";
  const same = data.same || now === null;
  strip.forEach(({ node, side, at }) => {
    const weights = now && (same || side === other) ? found.map((each) => each[at]).filter((weight) => weight != null) : [];
    const share = weights.length ? Math.max(...weights) : null;
    const level = share === null ? 0 : Math.max(0, Math.min(255, Math.round((share / data.limit) * 255)));
    node.style.background = share === null ? "" : ink(data, share / data.limit);
    node.style.color = share === null ? "" : data.inks[level] ? "#fff" : "#000";
    node.classList.toggle("chosen", Boolean(now && now.at === at && (data.same || now.side === side)));
    node.classList.toggle("hidden", Boolean(now && !weights.length && (same || side === other)));
  });
}

function lines(state, now, each) {
  const { data, canvas, body } = state;
  const height = Math.max(data.queries.length, data.keys.length) * state.step;
  const width = body.offsetWidth;
  if (state.wide !== width || state.high !== height) {
    Object.assign(state, { pen: fit(canvas, width, height), wide: width, high: height });
  }
  const { pen } = state;
  pen.clearRect(0, 0, width, height);
  const y = (i) => (i + 0.5) * state.step;
  const draw = (r, c, weight, colour) => {
    const share = weight / data.limit;
    pen.globalAlpha = Math.min(1, share * (now ? 1 : 0.55));
    pen.strokeStyle = colour;
    pen.lineWidth = 0.6 + 3 * share;
    pen.beginPath();
    pen.moveTo(0, y(r));
    pen.bezierCurveTo(width / 2, y(r), width / 2, y(c), width, y(c));
    pen.stroke();
  };
  for (const { map, colour } of each) {
    if (now) {
      between(state, map, now).forEach((weight, i) => {
        if (weight > 0.004 * data.limit) draw(...(now.side === "query" ? [now.at, i] : [i, now.at]), weight, colour);
      });
      continue;
    }
    for (let r = 0; r < map.rows; r++) {
      for (const [weight, c] of strongest(data, map, r)) if (weight > 0.05 * data.limit) draw(r, c, weight, colour);
    }
  }
}

function strongest(data, map, r) {
  const best = [];
  for (let c = Math.max(0, data.range[2 * r]); c <= Math.min(map.n - 1, data.range[2 * r + 1]); c++) {
    const weight = map.at(r, c);
    if (best.length < STRONGEST) best.push([weight, c]);
    else {
      const least = best.reduce((low, each, i) => (each[0] < best[low][0] ? i : low), 0);
      if (weight > best[least][0]) best[least] = [weight, c];
    }
  }
  return best;
}

function sentence({ data }, now, found) {
  const { side, at } = now;
  const [own, others] = side === "query" ? [data.queries, data.keys] : [data.keys, data.queries];
  const ranked = found[0]?.map((weight, i) => [weight ?? -1, i]).sort((a, b) => b[0] - a[0]).slice(0, 3) ?? [];
  const list = ranked.filter(([weight]) => weight > 0).map(([weight, i]) => fill(data.words.share, { token: others[i], place: data.numbers[side === "query" ? "key" : "query"][i], value: weight.toFixed(data.digits) }));
  const said = list.length ? (side === "query" ? data.words.attends : data.words.attended) : data.words.nothing;
  return fill(said, { token: own[at], place: data.numbers[side][at], head: data.heads[0]?.name ?? "", list: list.join(data.words.join) });
}

function tokenNode(state, text, side, at) {
  const bars = make("span", "bars", ...state.data.heads.map(() => make("i")));
  [...bars.children].forEach((bar, h) => (bar.style.background = state.data.heads[h].colour));
  const node = make("button", `token ${side}`, bars, span("word", text), make("span", "number"));
  [node.bars, , node.number] = node.children;
  node.at = at;
  node.side = side;
  node.tabIndex = at === 0 ? 0 : -1;
  node.title = text;
  return node;
}

function act(state, node) {
  const { data } = state;
  lock(data.group, { side: node.side, at: node.at, other: null });
}

function press(state, event) {
  const node = event.target.closest?.(".token");
  if (!node) return;
  const all = state.columns[node.side];
  const to = { ArrowDown: node.at + 1, ArrowUp: node.at - 1, Home: 0, End: all.length - 1 }[event.key];
  const across = { ArrowRight: "key", ArrowLeft: "query" }[event.key];
  if (to !== undefined) all[Math.max(0, Math.min(all.length - 1, to))].focus();
  else if (across) state.columns[across][Math.min(node.at, state.columns[across].length - 1)].focus();
  else if (event.key === "Escape") {
    board(state.data.group).over = null;
    lock(state.data.group, null);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function start(parent) {
  const root = make("div", "root lines holds");
  const [text, head, readout, frame] = [make("p", "text"), make("div", "names"), make("p", "readout"), make("div", "columns")];
  const [left, body, right, canvas] = [make("div", "side left"), make("div", "body"), make("div", "side right"), make("canvas")];
  body.append(canvas);
  frame.append(left, body, right);
  const scroll = make("div", "scroll", frame);
  const spoken = make("p", "quiet spoken");
  root.append(text, readout, make("div", "under", head, scroll), spoken);
  parent.append(root);
  const state = { root, text, head, readout, left, right, body, canvas, spoken };
  readout.ariaLive = "polite";
  const node = (event) => event.target.closest?.(".token, .piece");
  const point = (event) => {
    const at = node(event);
    if (at && state.data) look(state.data.group, { side: at.side, at: at.at, other: null });
  };
  root.onpointerover = point;
  root.addEventListener("focusin", point);
  root.onpointerleave = () => state.data && look(state.data.group, null);
  root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget?.closest?.(".token") || (state.data && look(state.data.group, null)));
  root.onclick = (event) => node(event) && act(state, node(event));
  root.onkeydown = (event) => press(state, event);
  state.unhear = hear(() => state.data?.group, () => show(state));
  state.watch = new ResizeObserver(() => state.data && body.offsetWidth !== state.wide && show(state));
  state.watch.observe(body);
  return state;
}

function piecesOf(state) {
  const { data } = state;
  const sides = data.same ? [["query", data.strip]] : [["query", data.strip], ["key", data.otherStrip]];
  state.strip = [];
  const all = sides.flatMap(([, tokens]) => tokens);
  state.text.dir = 2 * all.filter(([words]) => RIGHT_TO_LEFT.test(words)).length > all.length ? "rtl" : "ltr";
  state.text.replaceChildren(
    ...sides.flatMap(([side, tokens]) => [
      ...(data.same ? [] : [span("quiet which", side === "query" ? data.words.query : data.words.key)]),
      ...tokens.flatMap(([words, before], at) => {
        const node = make("button", "piece", words);
        Object.assign(node, { at, side, tabIndex: -1, dir: "auto" });
        state.strip.push({ node, side, at });
        return before ? [" ", node] : [node];
      }),
      make("br"),
    ]),
  );
}

function render(state) {
  const { data, root } = state;
  state.maps = data.heads.map((_, i) => weights(data, 1 + 2 * i));
  data.range = data.array(0, Int32Array);
  root.style.fontSize = `${data.size}rem`;
  root.ariaLabel = data.label;
  root.role = "group";
  state.step = ROW * parseFloat(getComputedStyle(root).fontSize) * 0.9375;
  root.style.setProperty("--step", `${state.step}px`);
  state.head.replaceChildren(
    span("quiet", data.words.query),
    ...data.heads.map(({ name, colour }) => {
      const chip = span("head", name);
      chip.style.setProperty("--head", colour);
      return chip;
    }),
    span("quiet far", data.words.key),
  );
  state.columns = { query: data.queries.map((text, i) => tokenNode(state, text, "query", i)), key: data.keys.map((text, i) => tokenNode(state, text, "key", i)) };
  state.left.replaceChildren(...state.columns.query);
  state.right.replaceChildren(...state.columns.key);
  piecesOf(state);
  told(data);
  state.wide = null;
  show(state);
}

export default mount(start, render);
