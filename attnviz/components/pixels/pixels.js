// Small pictures of a square a pixel. The line beneath reads what is pointed at; a click or Enter chooses it.

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const states = new WeakMap();

const say = (state, cell) => write(state.readout, cell ? cell.said : state.data.readout);

function rove(state, cell) {
  const cells = [...cell.closest(".picture").querySelectorAll(".cell")];
  cells.forEach((each) => (each.tabIndex = each === cell ? 0 : -1));
  cell.focus({ preventScroll: true });
}

function press(state, event) {
  const cell = event.target.closest?.(".cell");
  if (!cell || event.altKey || event.metaKey || event.ctrlKey) return;
  const step = STEPS[event.key];
  if (step) {
    const { columns } = cell.picture;
    const cells = [...cell.closest(".picture").querySelectorAll(".cell")];
    const [x, y] = [(cell.at % columns) + step[0], Math.floor(cell.at / columns) + step[1]];
    if (x >= 0 && x < columns && cells[y * columns + x]) rove(state, cells[y * columns + x]);
  } else if (event.key === "Enter" || event.key === " ") choose(state, cell);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function choose(state, cell) {
  const picked = cell.picture.pick?.[cell.at];
  if (picked !== null && picked !== undefined) state.send("pixel", picked);
}

function square(picture, colour, at) {
  const cell = make("div", "cell");
  Object.assign(cell, { at, picture, said: picture.readouts[at], tabIndex: -1 });
  cell.role = "gridcell";
  cell.ariaLabel = picture.readouts[at];
  cell.ariaSelected = at === picture.chosen;
  cell.style.background = colour;
  if (at === picture.chosen) cell.classList.add("chosen");
  if (picture.quiet.includes(at)) cell.classList.add("ring");
  return cell;
}

function legend([low, high, colours]) {
  const bar = make("span", "bar");
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  return make("div", "legend quiet", span("", low), bar, span("", high));
}

function draw(picture) {
  const cells = picture.colours.map((colour, at) => square(picture, colour, at));
  const rows = [];
  for (let at = 0; at < cells.length; at += picture.columns) {
    const row = make("div", "row", ...cells.slice(at, at + picture.columns));
    row.role = "row";
    rows.push(row);
  }
  const grid = make("div", picture.pick ? "pixels picks" : "pixels", ...rows);
  grid.role = "grid";
  grid.ariaLabel = picture.label;
  grid.style.setProperty("--n", picture.columns);
  (cells[picture.chosen] ?? cells[0]).tabIndex = 0;
  const parts = [span("title", picture.title), grid];
  if (picture.legend) parts.push(legend(picture.legend));
  return make("div", "picture", ...parts);
}

function start(parent) {
  const [root, row, readout] = [make("div", "root"), make("div", "pictures"), make("div", "readout")];
  root.append(row, readout);
  parent.append(root);
  const state = { root, row, readout, turn: 0 };
  readout.ariaLive = "polite";
  root.onpointerover = ({ target }) => say(state, target.closest(".cell"));
  root.onpointerleave = () => say(state, root.getRootNode().activeElement?.closest?.(".cell"));
  root.addEventListener("focusin", ({ target }) => say(state, target.closest(".cell")));
  root.addEventListener("focusout", () => say(state));
  root.onclick = ({ target }) => {
    const cell = target.closest(".cell");
    if (cell) rove(state, cell), choose(state, cell);
  };
  root.onkeydown = (event) => press(state, event);
  states.set(parent, state);
  return state;
}

function build(state) {
  const { data, root, row } = state;
  const held = root.getRootNode().activeElement;
  const [at, which] = [held?.at, held && [...row.children].indexOf(held.closest(".picture"))];
  root.style.cssText = `font-size: ${data.size}rem; --side: ${data.side}px`;
  row.replaceChildren(...data.pictures.map(draw));
  const again = at === undefined ? null : row.children[which]?.querySelectorAll(".cell")[at];
  if (again) rove(state, again);
  else say(state);
}

export default function ({ parentElement, data, setTriggerValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  state.send = setTriggerValue;
  const sent = decode(data);
  if (sent !== state.came) {
    Object.assign(state, { came: sent, data: JSON.parse(sent) });
    build(state);
  }
  return () => {
    if (turn !== state.turn) return;
    state.root.remove();
    states.delete(parentElement);
  };
}
