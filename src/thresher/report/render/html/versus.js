"use strict";
// Another model's numbers in a column of their own beside those of the model chosen, as both cards show them.
globalThis.thresherVersus = (desk, { fixed, put }) => {
  const make = (tag, text = "", look = "") => Object.assign(document.createElement(tag), { textContent: text, className: look });
  const card = (model) => document.getElementById(`model-${model.index}`);
  const values = (model) => {
    const cells = ["tp", "fn", "fp", "tn"].map((name) => fixed(`td.cell [data-cell="${name}"]`, card(model))[0].textContent);
    const [cost] = fixed('[data-explored="cost"]', document.getElementById(`explore-${model.index}`));
    const rows = [["Threshold", fixed("[data-cut]", card(model))[0].textContent], ["TP, FN, FP, TN", cells.join(" · ")], ["Expected cost", cost.textContent]];
    const measured = fixed(".measures > div", card(model)).map((each) => [each.querySelector("dt").textContent,
      each.querySelector("[data-measure]").textContent, each.querySelector(".ci").textContent]);
    return [...rows, ...measured];
  };
  const table = make("table", "", "data"), body = table.createTBody(), heads = table.createTHead().insertRow();
  for (const title of ["Measure", "", ""]) heads.append(Object.assign(make("th", title), { scope: "col" }));
  const said = make("p", "", "remarks"), scroll = make("div", "", "scroll"), box = make("div", "", "versus");
  table.prepend(make("caption", "Two models side by side", "vh"));
  scroll.append(table);
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", "Two models side by side");
  box.append(scroll, said);
  box.hidden = true;
  desk.querySelector(".cards").after(box);
  const row = (title) => {
    const made = body.insertRow();
    made.append(Object.assign(make("th", title), { scope: "row" }));
    for (let k = 0; k < 2; k++) {
      const cell = made.insertCell();
      cell.append(make("span"), make("span", "", "ci"));
    }
    return made;
  };
  return (model, other, words) => {
    if (box.hidden === !other && !other) return;
    box.hidden = !other;
    desk.classList.toggle("two", Boolean(other));
    if (!other) return;
    const both = [model, other].map(values);
    both[0].forEach(([title], i) => {
      const cells = (body.rows[i] || row(title)).cells;
      both.forEach((found, k) => [found[i][1], found[i][2] || ""].forEach((text, j) => put(cells[k + 1].children[j], text)));
    });
    [model, other].forEach((each, k) => put(heads.cells[k + 1], each.name));
    put(said, words);
  };
};
