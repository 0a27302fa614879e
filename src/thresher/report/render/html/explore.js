"use strict";
// Another model's numbers in a column of their own beside those of the model chosen, as both cards show them.
globalThis.thresherVersus = (desk, { fixed, put, decide }) => {
  const make = (tag, text = "", look = "") => Object.assign(document.createElement(tag), { textContent: text, className: look });
  const card = (model) => document.getElementById(`model-${model.index}`);
  const values = (model) => {
    const cells = ["tp", "fn", "fp", "tn"].map((name) => fixed(`td.cell [data-cell="${name}"]`, card(model))[0].textContent);
    const a = decide.asked(), cost = decide.usable(a) ? decide.spent(model, a) : "—";
    const rows = [["Threshold", fixed("[data-cut]", card(model))[0].textContent], ["TP, FN, FP, TN", cells.join(" · ")], ["Cost per case, in false alarms", cost]];
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
// The explorer's page: which model, which view, its drawings, and its state in the address.
(() => {
  const page = globalThis.thresherPage, shapes = globalThis.thresherShapes, root = document.querySelector(".explorer");
  if (!page || !root) return;
  const { data, fixed, put, count, number, cut, signed, real, decide } = page, SVG = "http://www.w3.org/2000/svg";
  const all = (selector) => [...root.querySelectorAll(selector)], one = (selector) => root.querySelector(selector);
  const models = data.models, state = { model: models.find((model) => model.index === data.first) || models[0], other: null, view: data.view };
  const versus = globalThis.thresherVersus(one(".desk"), page);
  const both = () => (state.other ? [state.model, state.other] : [state.model]);
  const scale = (low, high) => (x) => (x - low) / (high - low);

  const make = (name, attributes, text = "") => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  };
  /** @param {number[]} point */
  const spot = ([x, y], frame) => [frame.left + x * frame.width, frame.top + (1 - y) * frame.height];
  const path = (points, frame) => points.map((p, i) => (i ? "L" : "M") + spot(p, frame).map((v) => v.toFixed(1)).join(" ")).join("");

  // What lies over a drawing of Python's: one shape of each name, of the color of the model that is drawn.
  let drawing = state.model;
  const over = (id, name, tag, attributes) => {
    const svg = document.getElementById(id), key = drawing === state.model ? name : `+${name}`;
    if (!svg) return;
    const found = svg.querySelector(`[data-over="${key}"]`) || svg.appendChild(make(tag, { "data-over": key }));
    const look_ = `over ${name} ${look(drawing.index)}${attributes ? "" : " gone"}`;
    for (const [key, value] of Object.entries({ class: look_, ...attributes })) {
      if (found.getAttribute(key) !== String(value)) found.setAttribute(key, value);
    }
  };
  const ring = (id, point, frame) => {
    const [cx, cy] = point ? spot(point, frame) : [0, 0];
    over(id, "ring", "circle", point && { cx: cx.toFixed(2), cy: cy.toFixed(2), r: 10 });
  };

  const dot = (id, point, frame) => {
    const [cx, cy] = point ? spot(point, frame) : [0, 0];
    over(id, "dot", "circle", point && { cx: cx.toFixed(2), cy: cy.toFixed(2), r: 6 });
  };

  const rates = (model, i) => {
    const last = model.tp.length - 1;
    return { tpr: model.tp[i] / model.tp[last], fpr: model.fp[i] / model.fp[last],
      top: (model.tp[i] + model.fp[i]) / (model.tp[last] + model.fp[last]) };
  };
  const precision = ({ tpr, fpr }, p) => (p * tpr) / (p * tpr + (1 - p) * fpr);
  const FRAME = data.frame;
  const drawn = {
    roc(model, a, cheapest) {
      const r = cheapest === null ? null : rates(model, cheapest);
      ring("plot-roc", r && [r.fpr, r.tpr], FRAME);
    },
    pr(model, a, cheapest) {
      const at = (i) => { const r = rates(model, i); return [r.tpr, precision(r, a.prevalence)]; };
      const isMoved = decide.prior(model, a) !== null, here = at(model.place);
      const curve = () => path(model.tp.map((_, i) => at(i)).filter(([, y]) => !Number.isNaN(y)), FRAME);
      over("plot-pr", "moved", "path", isMoved ? { d: decide.once(model, "moved", a.prevalence, curve) } : null);
      document.getElementById("plot-pr").classList.toggle("stale", isMoved);
      dot("plot-pr", isMoved && !Number.isNaN(here[1]) ? here : null, FRAME);
      ring("plot-pr", cheapest === null || Number.isNaN(at(cheapest)[1]) ? null : at(cheapest), FRAME);
    },
    low(model, a, cheapest) {
      const [first] = data.plots.low.x, at = (i) => { const r = rates(model, i); return [1 - Math.max(first, Math.log10(r.fpr)) / first, r.tpr]; };
      dot("plot-low", at(model.place), FRAME);
      ring("plot-low", cheapest === null ? null : at(cheapest), FRAME);
    },
    cost(model, a) {
      const r = rates(model, model.place), up = a.prevalence * a.fn, x = up / (up + (1 - a.prevalence) * a.fp);
      const y = scale(0, data.plots.cost.y[1]), line = shapes.below([0, y(r.fpr)], [1, y(1 - r.tpr)], 1);
      over("plot-cost", "iso", "path", { d: path(line, FRAME) });
      over("plot-cost", "here", "path", { d: path([[x, 0], [x, 1]], FRAME) });
    },
    decision(model, a) {
      const [low, high] = data.plots.decision.x, x = scale(low, high)(a.fp / (a.fp + a.fn));
      over("plot-decision", "here", "path", x >= 0 && x <= 1 ? { d: path([[x, 0], [x, 1]], FRAME) } : null);
    },
    scores: (model) => draw("scores", model, () => histogram(model), (spec) => cutAt(spec, model)),
    gain(model) {
      const at = (m) => { const r = rates(m, m.place); return [r.top, r.tpr]; };
      draw("gain", model, () => against(shapes.gain, "Found: share of all positives", 1), () => ({ dots: both().map((m) => [m, at(m)]) }));
    },
    lift(model) {
      const at = (m, high) => { const r = rates(m, m.place); return r.top > 0 ? [r.top, r.tpr / r.top / high] : null; };
      draw("lift", model, () => against(shapes.lift, "Lift: precision over prevalence", null), ({ high }) => ({ dots: both().map((m) => [m, at(m, high)]) }));
    },
  };

  const nice = (high) => {
    const step = 10 ** Math.floor(Math.log10(high)), unit = [1, 2, 5, 10].map((k) => (k * step) / 5).find((s) => high / s <= 6);
    return Array.from({ length: Math.ceil(high / unit - 1e-9) + 1 }, (_, k) => Number((k * unit).toPrecision(12)));
  };
  const steps = (from, to) => Array.from({ length: 6 }, (_, k) => from + ((to - from) * k) / 5);
  const against = (line, title, top) => {
    const lines = models.filter((m) => !m.hidden).map((m) => [m, line(m)]);
    const most = top || Math.max(1, ...lines.flatMap(([, points]) => points.map(([, y]) => y)));
    const ticks = top ? steps(0, 1) : nice(most), high = ticks[ticks.length - 1];
    return { high, x: steps(0, 1), y: ticks, titles: ["Called positive: share of all rows", title],
      lines: lines.map(([m, points]) => [m, points.map(([x, y]) => [x, y / high])]),
      rule: line === shapes.gain ? [[0, 0], [1, 1]] : [[0, 1 / high], [1, 1 / high]] };
  };
  const BINS = 30;
  const histogram = (model) => {
    const found = shapes.histogram(model, BINS), ticks = nice(Math.max(...found.tp, ...found.fp));
    const high = ticks[ticks.length - 1];
    const stairs = (name) => [[0, 0], ...found[name].flatMap((v, i) => [[i / BINS, v / high], [(i + 1) / BINS, v / high]]), [1, 0]];
    return { x: steps(found.from, found.to), y: ticks, titles: ["Score", "Share of the class’s rows"], lines: [],
      areas: [["positive", stairs("tp")], ["negative", stairs("fp")]], from: found.from, to: found.to,
      names: fixed(".matrix tbody th", document.getElementById(`model-${model.index}`)).map((node) => node.textContent) };
  };
  const cutAt = ({ from, to }, model) => {
    const t = scale(from, to)(real(model.thresholds[model.place]));
    return { here: t >= 0 && t <= 1 ? [[t, 0], [t, 1]] : null };
  };
  const tick = (x) => signed(String(Number(x.toPrecision(3))));
  // What a threshold does not move is drawn once for a view, a model and the models that are shown.
  let still = { key: "", spec: null }, moving = [];
  const draw = (view, model, prepare, move) => {
    const key = [view, model.index, ...models.map((m) => Number(Boolean(m.hidden)))].join(" ");
    if (still.key !== key) {
      still = { key, spec: prepare() };
      drawStill(still.spec);
    }
    for (const node of moving) node.remove();
    const { here, dots = [] } = move(still.spec), known = dots.filter(([, point]) => point);
    moving = [...(here ? [make("path", { class: "over here", d: path(here, FRAME) })] : []),
      ...known.map(([m, point]) => [m, spot(point, FRAME)]).map(([m, [cx, cy]]) => make("circle", { class: `op k${m.index % 8}`, cx, cy, r: 6 }))];
    document.querySelector("#view-drawn g").append(...moving);
  };
  const drawStill = (spec) => {
    const g = document.querySelector("#view-drawn g"), { left, top, width, height } = FRAME;
    const ends = (ticks) => scale(ticks[0], ticks[ticks.length - 1]);
    const across = spec.x.flatMap((v) => {
      const x = left + ends(spec.x)(v) * width;
      return [make("path", { class: "grid", d: `M${x} ${top}v${height}` }),
        make("text", { x, y: top + height + 18, "text-anchor": "middle" }, tick(v))];
    });
    const upwards = spec.y.flatMap((v) => {
      const y = top + (1 - ends(spec.y)(v)) * height;
      return [make("path", { class: "grid", d: `M${left} ${y}h${width}` }),
        make("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, tick(v))];
    });
    const lines = spec.lines.map(([m, points]) => {
      const group = make("g", { class: look(m.index), "data-model": m.index });
      group.append(make("path", { class: "curve", d: path(points, FRAME) }));
      return group;
    });
    g.replaceChildren(...across, ...upwards, make("rect", { class: "frame", x: left, y: top, width, height }),
      make("text", { class: "axis-title", x: left + width / 2, y: top + height + 40, "text-anchor": "middle" }, spec.titles[0]),
      make("text", { class: "axis-title", transform: `translate(12 ${top + height / 2}) rotate(-90)`, "text-anchor": "middle" }, spec.titles[1]),
      ...(spec.areas || []).map(([name, points]) => make("path", { class: `area ${name}`, d: path(points, FRAME) })),
      ...(spec.areas || []).map(([name], k) => make("text", { class: name, x: left + 0.3 * width, y: top + 18 + 18 * k, "text-anchor": "middle" }, `■ ${spec.names[k]}`)),
      ...(spec.rule ? [make("path", { class: "reference", d: path(spec.rule, FRAME) })] : []), ...lines);
  };
  const look = (i) => `k${i % 8} d${(i + Math.floor(i / 8)) % 4}`;

  const MOVED = "Measures are read at this prevalence, counts are those of the rows. Recall, specificity and balanced accuracy do not depend on it; the others have intervals only at the prevalence that the report was asked for.";
  // Cells of the chosen model in whole cases at the prevalence asked for.
  const cases = (model, a) => {
    const total = shapes.per(a.prevalence), r = rates(model, model.place), p = a.prevalence;
    const shares = [p * r.tpr, p * (1 - r.tpr), (1 - p) * r.fpr, (1 - p) * (1 - r.fpr)];
    const isMoved = decide.prior(model, a) !== null, read = isMoved ? MOVED : "";
    const counts = shapes.whole(shares, total), card = document.getElementById(`model-${model.index}`);
    ["tp", "fn", "fp", "tn"].forEach((name, k) => {
      const [cell] = fixed(`[data-per="${name}"]`, card), text = Number.isFinite(counts[k]) ? count(counts[k]) : "";
      put(cell, text);
    });
    put(fixed("[data-per-said]", card)[0], `Small numbers: of ${count(total)} cases at ${Number((100 * p).toPrecision(3))} % prevalence. ${read}`.trim());
  };

  const readouts = (model) => {
    const i = model.place, r = rates(model, i), card = document.getElementById(`model-${model.index}`);
    const values = { threshold: cut(model.cutAt(i)), recall: number(r.tpr), fpr: number(r.fpr), top: number(100 * r.top, data.digits - 2) };
    for (const field of fixed("[data-by]", card)) {
      const value = values[field.dataset.by];
      if (field !== document.activeElement) field.value = Number.isFinite(Number(value)) ? value : "";
    }
  };
  const by = {
    recall: (m) => m.tp.map((_, i) => rates(m, i).tpr),
    fpr: (m) => m.tp.map((_, i) => rates(m, i).fpr),
    top: (m) => m.tp.map((_, i) => 100 * rates(m, i).top),
  };

  // Calls that give the same in a terminal and in Python.
  const calls = (model, a) => {
    const t = String(model.cutAt(model.place)), costs = decide.by() === "cost";
    const rows = data.call.command.map(shapes.quoted).join(" ");
    const low = data.call.lower.includes(model.name) ? " --lower-is-positive" : "", score = `--score ${shapes.quoted(model.name)}${low}`;
    const prevalence = Number(a.prevalence.toPrecision(6)), name = JSON.stringify(model.name);
    const isMoved = decide.prior(model, a) !== null;
    return {
      command: costs
        ? `thresher ${data.call.chooser} ${rows} ${score} --cost-fp ${a.fp} --cost-fn ${a.fn} --prevalence ${prevalence}`
        : `thresher report ${rows} ${score} --threshold ${shapes.quoted(`${model.name}=${t}`)}${isMoved ? ` --prevalence ${prevalence}` : ""}`,
      python: costs
        ? `evaluation[${name}].choose(cost_fp=${a.fp}, cost_fn=${a.fn}, prevalence=${prevalence})`
        : `evaluation[${name}].at(${Number.isFinite(Number(t)) ? t : `float("${t}")`})${isMoved ? `.with_prevalence(${prevalence})` : ""}`,
    };
  };

  const DRAWN = ["scores", "gain", "lift"];
  // Which model and which view: buttons, cards, drawings and lines that step back.
  let chosen = "";
  const turn = () => {
    const { model, other, view } = state, key = [view, model.index, other && other.index, ...models.map((m) => Number(Boolean(m.hidden)))].join(" ");
    if (key === chosen) return;
    chosen = key;
    for (const each of models) {
      document.getElementById(`model-${each.index}`).classList.toggle("aside", each !== model);
      one(`#pick-${each.index}`).setAttribute("aria-pressed", String(each === model));
    }
    for (const select of all("[data-with]")) {
      select.value = other ? String(other.index) : "";
      for (const option of select.options) option.hidden = option.value === String(model.index);
    }
    const shown = both().map((each) => String(each.index));
    for (const node of all("[data-view]")) node.setAttribute("aria-pressed", String(node.dataset.view === view));
    const figure = DRAWN.includes(view) ? "drawn" : view;
    for (const node of all("[data-shown]")) node.classList.toggle("aside", node.dataset.shown !== figure);
    one(".views .legend").hidden = view === "scores";
    one(".marks").hidden = view !== "roc";
    one("#view-drawn title").textContent = one(`[data-view="${view}"]`).textContent;
    for (const node of all(".views g[data-model], .views .iso")) node.classList.toggle("back", !shown.includes(node.dataset.model));
  };
  const show = () => {
    const { model, other, view } = state, a = decide.asked();
    readouts(model);
    if (decide.usable(a)) explain(model, view, a);
    turn();
    versus(model, other, other && beside(other, a));
  };
  const explain = (model, view, a) => {
    if (!state.other) for (const node of all('[data-over^="+"]')) node.remove();
    const isOnce = DRAWN.includes(view) || view === "decision";
    if (view === "roc" || view === "pr" || isOnce || data.plots[view]) {
      for (drawing of isOnce ? [model] : both()) drawn[view](drawing, a, decide.best(drawing, a));
    }
    cases(model, a);
    fixed('[data-explore="share"]', root)[0].value = shapes.placeOfShare(a.prevalence);
    fixed('[data-explore="times"]', root)[0].value = shapes.placeOfRatio(a.fn / a.fp);
    put(fixed("[data-valid]", root)[0], decide.valid(model, a));
    const said = calls(model, a);
    for (const node of fixed("[data-call]", root)) put(node, said[node.dataset.call]);
  };
  // Where the other model stands, and by which rule.
  const beside = (other, a) => {
    const at = signed(cut(other.cutAt(other.place))), isRuled = decide.usable(a) && other.place === decide.ruled(other, a);
    const costs = a.by === "cost" ? " at the same costs and prevalence" : "";
    const tests = data.compared.filter(([i, j]) => [state.model.index, other.index].every((index) => index === i || index === j)).map(([, , text]) => text);
    return [`${other.name} has its own threshold, ${at}, ${isRuled ? `by the same rule: ${decide.rule()}${costs}` : "as it was set"}.`, ...tests].join(" ");
  };
  const pick = (model) => {
    if (state.other === model) state.other = state.model;
    state.model = model;
    changed();
  };
  const save = () => {
    const a = decide.asked();
    if (!decide.usable(a)) return;
    const text = shapes.write({ m: state.model.index, v: state.view, t: cutOf(state.model),
      ...(state.other && { c: state.other.index, u: cutOf(state.other) }), by: a.by, fn: a.fn, p: a.prevalence });
    try { history.replaceState(null, "", text); } catch { /* A frame without an address of its own. */ }
  };
  const cutOf = (model) => String(model.cutAt(model.place)).replace("Infinity", "inf");
  let loading = true, waiting = false;
  const changed = () => {
    if (loading || waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; show(); save(); });
  };

  const restore = () => {
    const found = shapes.read(location.hash);
    if (!found) return;
    one(".desk").open = true;
    state.model = models.find((model) => String(model.index) === found.m) || state.model;
    if (one(`[data-view="${CSS.escape(found.v || "")}"]`)) state.view = found.v;
    decide.set({ fn: found.fn, prevalence: found.p, by: found.by });
    state.other = models.find((model) => String(model.index) === found.c && model !== state.model) || null;
    for (const [model, t] of [[state.model, found.t], [state.other, found.u]]) {
      if (model && t !== undefined) model.set(real(t === "inf" || t === "-inf" ? t : Number(t)));
    }
    show();
  };

  for (const model of models) {
    const card = document.getElementById(`model-${model.index}`);
    one(`#pick-${model.index}`).addEventListener("click", () => pick(model));
    card.addEventListener("operate", changed);
    card.addEventListener("picked", () => { if (model !== state.other) pick(model); });
    for (const field of fixed("[data-by]", card)) {
      field.addEventListener("input", () => {
        const wanted = Number(field.value);
        if (field.value.trim() === "" || !Number.isFinite(wanted)) return;
        if (field.dataset.by === "threshold") model.set(wanted);
        else model.go(shapes.nearest(by[field.dataset.by](model), wanted));
      });
      field.addEventListener("blur", () => readouts(model));
    }
    card.querySelector("[data-cheapest]").addEventListener("click", () => decide.set({ by: "cost" }));
  }
  for (const node of all("[data-view]")) node.addEventListener("click", () => { state.view = node.dataset.view; changed(); });
  for (const select of all("[data-with]")) {
    select.addEventListener("change", () => { state.other = models.find((model) => String(model.index) === select.value) || null; changed(); });
  }
  for (const box of all("[data-toggle]")) box.addEventListener("change", changed);
  root.addEventListener("asked", changed);
  one('[data-explore="share"]').addEventListener("input", (event) => decide.set({ prevalence: shapes.shareAt(event.target.value) }));
  one('[data-explore="times"]').addEventListener("input", (event) => {
    decide.set({ fn: shapes.ratioAt(event.target.value), by: "cost" });
  });
  for (const node of all("[data-copy]")) {
    node.addEventListener("click", async () => {
      const text = one(`[data-call="${node.dataset.copy}"]`).textContent, said = one('[data-explore="copied"]');
      try {
        await navigator.clipboard.writeText(text);
        said.textContent = "Copied.";
      } catch {
        getSelection().selectAllChildren(one(`[data-call="${node.dataset.copy}"]`));
        said.textContent = "Selected: copy it with the keyboard.";
      }
    });
  }
  one("[data-csv]").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([shapes.csv(state.model)], { type: "text/csv" }));
    link.download = "thresholds.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  addEventListener("hashchange", restore);
  root.classList.add("live");
  loading = false;
  restore();
  show();
  globalThis.thresherShow = show;
})();
