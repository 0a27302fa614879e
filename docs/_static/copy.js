/* A button on every block of code that copies what is typed: without prompts, without output. */
"use strict";

function typed(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  const python = lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4));
  if (python.length) return python.join("\n");
  const shell = [];
  let open = false;
  for (const line of lines) {
    if (line.startsWith("$ ") || open) {
      shell.push(open ? line : line.slice(2));
      open = line.endsWith("\\");
    }
  }
  return shell.length ? shell.join("\n") : lines.join("\n");
}

for (const block of document.querySelectorAll("div.highlight")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this code");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(typed(block.querySelector("pre").textContent));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.append(button);
}
