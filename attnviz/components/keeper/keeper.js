// Tells the page what its pictures hold, with whatever a person does next outside of them.

const states = new WeakMap();
const STEPS = ["Enter", " ", "Escape", "Home", "End", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

// A picture that holds tokens is not disturbed while it is in use, or tells of them itself.
const inside = (event) => event.composedPath().some((node) => node.matches?.(".holds"));
const typing = ({ target }) => target.matches?.("textarea, input:not([type=checkbox], [type=radio], [type=range])");

// A text that is being typed must not be disturbed: only its end counts.
function acts(event) {
  const { type, key } = event;
  if (inside(event)) return false;
  if (type === "click") return !typing(event);
  if (type === "focusout") return typing(event);
  if (!typing(event)) return STEPS.includes(key);
  return key === "Enter" && (event.ctrlKey || event.metaKey || event.target.tagName === "INPUT");
}

function start(parent) {
  const state = { turn: 0 };
  state.tell = () => Object.keys(window.attnvizKept?.values ?? {}).length && state.send("kept", takeKept());
  state.hear = (event) => acts(event) && state.tell();
  for (const type of ["click", "focusout", "keydown"]) window.addEventListener(type, state.hear, true);
  window.attnvizTell = state.tell;
  states.set(parent, state);
  return state;
}

export default function ({ parentElement, setTriggerValue }) {
  const state = states.get(parentElement) ?? start(parentElement);
  const turn = ++state.turn;
  state.send = setTriggerValue;
  return () => {
    if (turn !== state.turn) return;
    for (const type of ["click", "focusout", "keydown"]) window.removeEventListener(type, state.hear, true);
    states.delete(parentElement);
  };
}
