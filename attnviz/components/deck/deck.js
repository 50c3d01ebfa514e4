// A step player. The steps are containers that Streamlit renders elsewhere on the page, all at once: one
// style sheet lays them into the same place, so that the tallest reserves the room, and shows one of them.

const SETTLED = 600; // milliseconds on one step before it is reported
const TAKEN = "input, textarea, select, [contenteditable], [role=grid], [role=tablist], [role=radiogroup], [role=listbox], [role=combobox], [role=menu], [role=slider], [role=dialog]";
const states = new WeakMap();

// As Streamlit writes a container's key into its class.
const className = (key) => key.replace(/[^\w-]/g, "-");

function show(state) {
  const { data, at, controls: { range, ticks, place, title, previous, next } } = state;
  const { steps, prefix, words } = data;
  const stage = `.st-key-${className(prefix)}`;
  state.sheet.textContent = `
    ${data.flat ? `:root { --at-${className(prefix)}: ${at}; }` : ""}
    ${stage} { display: grid; grid-template-columns: minmax(0, 1fr); }
    ${stage} > * { grid-area: 1 / 1; min-width: 0; pointer-events: none; }
    ${steps.map(({ name }) => `${stage}-${className(name)}`)} { visibility: hidden; opacity: 0; pointer-events: none; }
    ${stage}-${className(steps[at].name)} { visibility: visible; opacity: 1; pointer-events: auto; }`;
  range.value = at;
  range.ariaValueText = plain(steps[at].title);
  [...ticks.children].forEach((tick, i) => (tick.ariaCurrent = i === at ? "step" : "false"));
  write(place, words.place.replace("{i}", at + 1).replace("{n}", steps.length));
  write(title, steps[at].title);
  previous.disabled = at === 0;
  next.disabled = at === steps.length - 1;
}

// Move, and report the step once the person has stayed on it; never while it plays.
function go(state, to) {
  const { data: { steps } } = state;
  state.at = Math.min(steps.length - 1, Math.max(0, to));
  show(state);
  clearTimeout(state.settling);
  if (!state.playing) state.settling = setTimeout(() => report(state), SETTLED);
}

function report(state) {
  const { name } = state.data.steps[state.at];
  if (name === state.reported) return;
  state.reported = name;
  state.send("step", name);
}

function play(state, on) {
  const { data, controls: { toggle } } = state;
  clearInterval(state.playing);
  state.playing = 0;
  toggle.className = on ? "pause" : "play";
  toggle.title = toggle.ariaLabel = on ? data.words.pause : data.words.play;
  const last = data.steps.length - 1;
  if (!on) return go(state, state.at);
  state.playing = setInterval(() => {
    go(state, state.at + 1);
    if (state.at >= last) play(state, false);
  }, data.seconds * 1000);
  go(state, state.at >= last ? 0 : state.at);
}

function move(state, to) {
  if (state.playing) play(state, false);
  go(state, to);
}

function press(state, event) {
  const path = event.composedPath().filter((node) => node.matches);
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (path.some((node) => node.matches(TAKEN) || (node.matches(".deck") && node !== state.root))) return;
  const to = { ArrowLeft: state.at - 1, ArrowRight: state.at + 1, Home: 0, End: Infinity }[event.key];
  if (to !== undefined) move(state, to);
  else if (event.key === " " && !path[0].matches("button, a, summary")) play(state, !state.playing);
  else return;
  event.preventDefault();
}

function start(parent) {
  const sheet = document.head.appendChild(make("style"));
  const [previous, toggle, next] = [make("button", "previous"), make("button", "play"), make("button", "next")];
  const [range, ticks, place, title] = [make("input"), make("div", "ticks"), span("place", ""), span("title strong", "")];
  const root = make("div", "root deck", make("div", "buttons", previous, toggle, next, place, title), make("div", "scrub", range, ticks));
  const state = { root, sheet, controls: { previous, toggle, next, range, ticks, place, title }, at: 0, playing: 0, turn: 0 };
  Object.assign(range, { type: "range", min: 0, step: 1 });
  title.ariaLive = "polite";
  root.role = "group";
  previous.onclick = () => move(state, state.at - 1);
  next.onclick = () => move(state, state.at + 1);
  toggle.onclick = () => play(state, !state.playing);
  range.oninput = () => move(state, Number(range.value));
  state.keys = (event) => press(state, event);
  window.addEventListener("keydown", state.keys);
  parent.append(root);
  states.set(parent, state);
  return state;
}

export default function ({ parentElement, data: bytes, setStateValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  const { root, controls } = state;
  const data = JSON.parse(decode(bytes));
  const current = data.steps[data.current].name;
  const held = state.data?.steps[state.at]?.name;
  state.data = data;
  state.send = setStateValue;
  root.className = data.flat ? "root deck flat" : "root deck";
  root.ariaLabel = controls.range.ariaLabel = data.label;
  root.style.cssText = `--n: ${data.steps.length}; font-size: ${data.size}rem`;
  controls.range.max = data.steps.length - 1;
  for (const name of ["previous", "next"]) controls[name].title = controls[name].ariaLabel = data.words[name];
  controls.toggle.title = controls.toggle.ariaLabel = data.words[state.playing ? "pause" : "play"];
  controls.ticks.replaceChildren(
    ...data.steps.map(({ title }, i) => {
      const tick = write(make("button"), title);
      tick.title = plain(title);
      tick.onclick = () => move(state, i);
      return tick;
    }),
  );
  // Python's step counts when it is news; what we reported ourselves is not.
  const told = current !== state.told && current !== state.reported;
  const at = data.steps.findIndex(({ name }) => name === (told ? current : held));
  if (told) state.reported = current;
  state.told = current;
  state.at = at < 0 ? data.current : at;
  show(state);
  return () => {
    if (turn !== state.turn) return;
    clearInterval(state.playing);
    clearTimeout(state.settling);
    window.removeEventListener("keydown", state.keys);
    state.sheet.remove();
    root.remove();
    states.delete(parentElement);
  };
}
