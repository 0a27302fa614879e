"use strict";
// Two classes of a matrix looked at alone: how many rows of each are predicted as either, and as any other.
(() => {
  const { count, recognized, signed } = globalThis.thresherPage;
  const make = (tag, text = "", ...inside) => {
    const node = document.createElement(tag);
    node.append(text, ...inside);
    return node;
  };
  const cell = (value, total) => make("td", `${count(value)} (${recognized(value / total)})`);
  const explore = (card, table) => {
    const rows = [...table.tBodies[0].rows].slice(0, -1), names = rows.map((row) => row.cells[0].textContent);
    const counts = rows.map((row) => [...row.querySelectorAll("td.cell data")].map((node) => Number(node.value)));
    /** @type {HTMLTableElement | null} */
    const areas = document.querySelector(`table[data-pairs="${card.id.split("-")[1]}"]`);
    const selects = [0, 1].map((side) => {
      const select = make("select", "", ...names.map((name, i) => new Option(name, String(i))));
      select.setAttribute("aria-label", `${side ? "Second" : "First"} class, ${card.querySelector("h3").textContent}`);
      return select;
    });
    const body = make("tbody"), shown = make("table", "", make("caption", "Two classes"), make("thead"), body);
    const show = () => {
      const [a, b] = selects.map((select) => Number(select.value));
      const heads = ["Truth", `Predicted ${names[a]}`, `Predicted ${names[b]}`, "another", ...(areas ? ["AUC against the other"] : [])];
      shown.tHead.replaceChildren(make("tr", "", ...heads.map((head) => Object.assign(make("th", head), { scope: "col" }))));
      body.replaceChildren(...[[a, b], [b, a]].slice(0, a === b ? 1 : 2).map(([i, j]) => {
        const total = counts[i].reduce((x, y) => x + y, 0), own = [counts[i][a], counts[i][b]];
        const rest = total - counts[i][a] - (a === b ? 0 : counts[i][b]);
        const area = areas ? [make("td", i === j ? "" : signed(areas.tBodies[0].rows[i].cells[j + 1].textContent))] : [];
        return make("tr", "", Object.assign(make("th", names[i]), { scope: "row" }), ...own.map((x) => cell(x, total)), cell(rest, total), ...area);
      }));
    };
    const turn = (i, j) => { [selects[0].value, selects[1].value] = [i, j]; show(); };
    const wrong = counts.flatMap((row, i) => row.map((x, j) => [i === j ? -1 : x, i, j])).reduce((most, each) => (each[0] > most[0] ? each : most));
    rows.forEach((row, i) => [...row.querySelectorAll("td.cell")].forEach((node, j) => node.addEventListener("click", () => turn(i, j))));
    shown.className = "data";
    selects.forEach((select) => select.addEventListener("change", show));
    const scroll = Object.assign(make("div", "", shown), { className: "scroll" });
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", "Two classes");
    const said = Object.assign(make("p", "Look at ", selects[0], " and ", selects[1], ", or click a cell."), { className: "pick" });
    table.closest(".scroll").after(Object.assign(make("div", "", said, scroll), { className: "pair" }));
    turn(wrong[1], wrong[2]);
  };
  for (const card of document.querySelectorAll("article.card")) {
    /** @type {HTMLTableElement | null} */
    const table = card.querySelector("table.matrix");
    if (table && table.tBodies[0].rows.length > 3) explore(card, table);
  }
})();
