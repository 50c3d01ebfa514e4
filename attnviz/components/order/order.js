// Chips in a row that change places. While one is dragged, CSS alone reorders them; what a person
// settles on is sent once.

const SETTLED = 500; // milliseconds after the last key before the order is sent
const NEAR = 5; // pixels that a pointer moves before a chip is dragged
const states = new WeakMap();

function lay(state) {
  state.order.forEach((chip, place) => {
    const node = state.nodes[chip];
    const said = state.data.place.replace("{i}", place + 1).replace("{n}", state.order.length);
    node.style.order = place;
    node.ariaLabel = `${plain(state.data.chips[chip])}, ${said}`;
  });
}

// Let the page's own order follow, so that the Tab key goes as the eye does.
function settle(state) {
  const held = state.nodes.find((node) => node.matches(":focus"));
  state.strip.replaceChildren(...state.order.map((chip) => state.nodes[chip]));
  held?.focus();
}

function move(state, chip, to) {
  const place = state.order.indexOf(chip);
  const end = Math.min(state.order.length - 1, Math.max(0, to));
  if (place === end) return;
  state.order.splice(end, 0, ...state.order.splice(place, 1));
  lay(state);
}

function report(state) {
  clearTimeout(state.settling);
  const sent = `${state.order}`;
  if (sent === state.reported) return;
  state.reported = sent;
  state.send("order", [...state.order]);
}

function press(state, chip, event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const place = state.order.indexOf(chip);
  const to = { ArrowLeft: place - 1, ArrowUp: place - 1, ArrowRight: place + 1, ArrowDown: place + 1, Home: 0, End: Infinity }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  move(state, chip, to);
  settle(state);
  clearTimeout(state.settling);
  state.settling = setTimeout(() => report(state), SETTLED);
}

const under = (state, x, y) =>
  state.order.find((chip) => {
    const box = state.nodes[chip].getBoundingClientRect();
    return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  });

function drag(state, chip, start) {
  const node = state.nodes[chip];
  let far = false;
  const on = ({ clientX: x, clientY: y, pointerId }) => {
    if (pointerId !== start.pointerId) return;
    far ||= Math.hypot(x - start.clientX, y - start.clientY) > NEAR;
    if (!far) return;
    node.classList.add("dragged");
    const over = under(state, x, y);
    if (over !== undefined && over !== chip) move(state, chip, state.order.indexOf(over));
  };
  const off = (event) => {
    if (event.pointerId !== start.pointerId) return;
    for (const name of ["pointerup", "pointercancel"]) window.removeEventListener(name, off);
    window.removeEventListener("pointermove", on);
    node.classList.remove("dragged");
    settle(state);
    report(state);
  };
  window.addEventListener("pointermove", on);
  for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, off);
}

function render(state) {
  const { data, root, strip, hint } = state;
  clearTimeout(state.settling);
  root.style.fontSize = `${data.size}rem`;
  strip.ariaLabel = `${data.label}. ${data.hint}`;
  state.order = data.chips.map((_, chip) => chip);
  state.reported = `${state.order}`;
  const held = state.nodes?.findIndex((node) => node.matches(":focus")) ?? -1;
  const holder = held < 0 ? -1 : [...strip.children].indexOf(state.nodes[held]);
  state.nodes = data.chips.map((text, chip) => {
    const node = write(make("button"), text);
    node.onkeydown = (event) => press(state, chip, event);
    node.onpointerdown = (event) => event.button === 0 && drag(state, chip, event);
    return node;
  });
  lay(state);
  strip.replaceChildren(...state.nodes);
  write(hint, data.hint);
  if (holder >= 0) strip.children[holder]?.focus();
}

function start(parent) {
  const [strip, hint] = [make("div", "order"), make("p", "hint")];
  const root = make("div", "root", strip, hint);
  strip.role = "group";
  parent.append(root);
  const state = { root, strip, hint, turn: 0 };
  states.set(parent, state);
  return state;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  state.send = setTriggerValue;
  const sent = decode(data);
  if (sent !== state.sent) {
    Object.assign(state, { sent, data: JSON.parse(sent) });
    render(state);
  }
  return () => {
    if (turn !== state.turn) return;
    clearTimeout(state.settling);
    state.root.remove();
    states.delete(parentElement);
  };
}
