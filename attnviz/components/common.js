// A text is a string, or a list of [words, style].
const parts = (text) => (typeof text === "string" ? [[text, ""]] : text);
const plain = (text) => parts(text).map(([words]) => words).join("");

// All text, and so all text that people typed, enters the page here.
function write(node, text) {
  node.replaceChildren(
    ...parts(text).map(([words, style]) => {
      const piece = document.createElement(/\bsu[bp]\b/.exec(style)?.[0] ?? "bdi");
      piece.className = /\d/.test(words) ? `${style} digits` : style;
      piece.textContent = words;
      return piece;
    }),
  );
  return node;
}

function make(tag, className = "", ...inside) {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...inside);
  return node;
}

const span = (className, text) => write(make("span", className), text);
const decode = (bytes) => new TextDecoder().decode(bytes);
