// A shortcut counts wherever no text is being written: Streamlit lets every field swallow it, switches too.
window.attnvizKeys ??= addEventListener("keydown", (event) => {
  const { target, key, code, isTrusted, ctrlKey, metaKey, altKey } = event;
  if (!isTrusted || ctrlKey || metaKey || altKey || !/^[a-z]$/i.test(key)) return;
  if (!target.matches?.("input:is([type=checkbox], [type=radio], [type=range])")) return;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, keyCode: event.keyCode, bubbles: true, cancelable: true }));
}, true) ?? true;
