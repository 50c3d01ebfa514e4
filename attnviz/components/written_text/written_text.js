// A text that a model goes on with. What stood before the chosen step is as dark as its weight.

function point(state, at) {
  const { data, readout } = state;
  if (at === null || at === data.read + data.chosen) return write(readout, data.words.hint);
  const said = at < data.weights.length ? data.words.cell : data.words.later;
  write(readout, fill(said, { token: data.tokens[at]?.[0] ?? data.words.next, place: at + 1, value: data.values[at] }));
}

function choose(state, step) {
  const { data } = state;
  const now = Math.max(0, Math.min(data.steps - 1, step));
  if (now !== data.chosen) state.send("step", now);
}

function press(state, event) {
  const { data } = state;
  const to = { ArrowLeft: data.chosen - 1, ArrowRight: data.chosen + 1, Home: 0, End: data.steps - 1 }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  choose(state, to);
}

function piece(state, text, at) {
  const { data } = state;
  const step = at - data.read;
  const node = write(make(step < 0 ? "span" : "button", "piece"), text);
  const weight = data.weights[at];
  if (weight !== undefined) {
    const share = weight / data.limit;
    node.style.background = ink(data, share);
    node.style.color = data.inks[Math.max(0, Math.min(255, Math.round(share * 255)))] ? "#fff" : "#000";
  }
  node.onpointerenter = () => point(state, at);
  node.onpointerleave = () => point(state, null);
  if (step < 0) return node;
  node.classList.add("new");
  node.classList.toggle("chosen", step === data.chosen);
  node.classList.toggle("later", weight === undefined && step !== data.chosen);
  node.ariaLabel = fill(data.words.step, { token: text, place: at + 1 });
  node.ariaPressed = `${step === data.chosen}`;
  node.tabIndex = step === data.chosen ? 0 : -1;
  node.onclick = () => choose(state, step);
  node.onkeydown = (event) => press(state, event);
  return node;
}

function render(state) {
  const { data, root, text } = state;
  const held = text.getRootNode().activeElement;
  const focused = held && text.contains(held);
  root.style.fontSize = `${data.size}rem`;
  text.ariaLabel = data.label;
  const all = [...data.tokens];
  if (data.read + data.steps > all.length) all.push([data.words.next, true]);
  text.replaceChildren(...all.flatMap(([words, blank], at) => (blank && at ? [" ", piece(state, words, at)] : [piece(state, words, at)])));
  point(state, null);
  const chosen = text.querySelector(".chosen");
  if (focused) chosen?.focus({ preventScroll: true });
  if (chosen && text.scrollHeight > text.clientHeight) text.scrollTop = chosen.offsetTop - text.offsetTop - text.clientHeight / 2;
}

function start(parent) {
  const [text, readout] = [make("p", "text"), make("p", "readout")];
  const root = make("div", "root written", text, readout);
  text.role = "group";
  readout.ariaLive = "polite";
  parent.append(root);
  const state = { root, text, readout };
  return state;
}

export default mount(start, render);
