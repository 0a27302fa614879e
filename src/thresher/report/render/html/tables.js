"use strict";
// A long table is sorted by its heads; a first head that rows share is then written into each of them.
(() => {
  const { order } = globalThis.thresherShapes;
  const spread = (body) => {
    for (const head of [...body.querySelectorAll("th[rowspan]")]) {
      const rows = [...body.rows], first = rows.indexOf(head.parentElement), last = first + head.rowSpan;
      head.removeAttribute("rowspan");
      head.scope = "row";
      for (const row of rows.slice(first + 1, last)) row.prepend(head.cloneNode(true));
      for (const row of rows.slice(first, last)) row.className = "";
    }
  };
  const shown = (row, place) => (row.cells[place].firstChild ? row.cells[place].firstChild.textContent : "");
  const sort = (table, head) => {
    const [body] = table.tBodies, isDown = head.getAttribute("aria-sort") === "ascending";
    spread(body);
    const rows = [...body.rows];
    body.append(...order(rows.map((row) => shown(row, head.cellIndex)), isDown).map((i) => rows[i]));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  };
  /** @type {NodeListOf<HTMLTableElement>} */
  const long = document.querySelectorAll("table.sorts");
  for (const table of long) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("span");
      button.setAttribute("role", "button");
      button.tabIndex = 0;
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head));
      button.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sort(table, head);
      });
    }
  }
})();
