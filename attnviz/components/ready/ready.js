// Tells once that what others wait for is in a presented frame.

const told = new WeakSet();
const MATRICES = ".st-key-first_screen [data-testid=stBidiComponentIsolated]";

export default function ({ data, parentElement, setTriggerValue }) {
  if (told.has(parentElement)) return;
  told.add(parentElement);
  const after = decode(data);
  const there = () =>
    after ? document.querySelector(after) : document.querySelector(MATRICES)?.shadowRoot?.querySelector(".tables");
  const tell = () => setTimeout(() => setTriggerValue("drawn", true));
  const look = () => there() ? tell() : parentElement.isConnected && requestAnimationFrame(look);
  requestAnimationFrame(look);
}
