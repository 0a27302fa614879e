"use strict";
// The explorer's page: which model, which view, its drawings, and its state in the address.
(() => {
  const page = globalThis.thresherPage, shapes = globalThis.thresherShapes, root = document.querySelector(".explorer");
  if (!page || !root) return;
  const { data, fixed, put, count, number, cut, signed, real, decide } = page, SVG = "http://www.w3.org/2000/svg";
  const all = (selector) => [...root.querySelectorAll(selector)], one = (selector) => root.querySelector(selector);
  const models = data.models, state = { model: models[0], view: "roc" };
  const place = (model) => Number(fixed(`#model-${model.index} .slide`, document)[0].value);
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

  // What lies over a drawing of Python's: one shape of each name, of the chosen model's color.
  const over = (id, name, tag, attributes) => {
    const svg = document.getElementById(id);
    if (!svg) return;
    const found = svg.querySelector(`[data-over="${name}"]`) || svg.appendChild(make(tag, { "data-over": name }));
    const look = `over ${name} k${state.model.index % 8}${attributes ? "" : " gone"}`;
    for (const [key, value] of Object.entries({ class: look, ...attributes })) {
      if (found.getAttribute(key) !== String(value)) found.setAttribute(key, value);
    }
  };
  const ring = (id, point, frame) => {
    const [cx, cy] = point ? spot(point, frame) : [0, 0];
    over(id, "ring", "circle", point && { cx: cx.toFixed(2), cy: cy.toFixed(2), r: 10 });
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
      ring("chart-roc", r && [r.fpr, r.tpr], FRAME);
    },
    pr(model, a, cheapest) {
      const at = (i) => { const r = rates(model, i); return [r.tpr, precision(r, a.prevalence)]; };
      const last = model.tp.length - 1, own = model.tp[last] / (model.tp[last] + model.fp[last]);
      const moved = Math.abs(a.prevalence - own) > 1e-6 * own;
      const curve = () => path(model.tp.map((_, i) => at(i)).filter(([, y]) => !Number.isNaN(y)), FRAME);
      over("chart-pr", "moved", "path", moved ? { d: decide.once(model, "moved", a.prevalence, curve) } : null);
      ring("chart-pr", cheapest === null || Number.isNaN(at(cheapest)[1]) ? null : at(cheapest), FRAME);
    },
    low(model, a, cheapest) {
      const [first] = data.plots.low.x, at = (i) => { const r = rates(model, i); return [1 - Math.max(first, Math.log10(r.fpr)) / first, r.tpr]; };
      const [cx, cy] = spot(at(place(model)), FRAME);
      over("plot-low", "dot", "circle", { cx, cy, r: 6 });
      ring("plot-low", cheapest === null ? null : at(cheapest), FRAME);
    },
    cost(model, a) {
      const r = rates(model, place(model)), up = a.prevalence * a.fn, x = up / (up + (1 - a.prevalence) * a.fp);
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
      const r = rates(model, place(model));
      draw("gain", model, () => against(shapes.gain, "Found: share of all positives", 1), () => ({ dot: [r.top, r.tpr] }));
    },
    lift(model) {
      const r = rates(model, place(model)), dot = ({ high }) => ({ dot: r.top > 0 ? [r.top, r.tpr / r.top / high] : null });
      draw("lift", model, () => against(shapes.lift, "Lift: precision over prevalence", null), dot);
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
      areas: [["positive", stairs("tp")], ["negative", stairs("fp")]], from: found.from, to: found.to };
  };
  const cutAt = ({ from, to }, model) => {
    const t = scale(from, to)(real(model.thresholds[place(model)]));
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
    const { here, dot } = move(still.spec), [cx, cy] = dot ? spot(dot, FRAME) : [0, 0];
    moving = [...(here ? [make("path", { class: "over here", d: path(here, FRAME) })] : []),
      ...(dot ? [make("circle", { class: `op k${model.index % 8}`, cx, cy, r: 6 })] : [])];
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
      make("text", { class: "axis-title", transform: `translate(15 ${top + height / 2}) rotate(-90)`, "text-anchor": "middle" }, spec.titles[1]),
      ...(spec.areas || []).map(([name, points]) => make("path", { class: `area ${name}`, d: path(points, FRAME) })),
      ...(spec.rule ? [make("path", { class: "reference", d: path(spec.rule, FRAME) })] : []), ...lines);
  };
  const look = (i) => `k${i % 8} d${(i + Math.floor(i / 8)) % 4}`;

  // Cells of the chosen model in whole cases at the prevalence asked for.
  const cases = (model, a) => {
    const total = a.prevalence < 0.01 || a.prevalence > 0.99 ? 100000 : 1000, r = rates(model, place(model)), p = a.prevalence;
    const shares = [p * r.tpr, p * (1 - r.tpr), (1 - p) * r.fpr, (1 - p) * (1 - r.fpr)];
    const counts = shapes.whole(shares, total), card = document.getElementById(`model-${model.index}`);
    ["tp", "fn", "fp", "tn"].forEach((name, k) => {
      const [cell] = fixed(`[data-per="${name}"]`, card), text = Number.isFinite(counts[k]) ? count(counts[k]) : "";
      put(cell, text);
    });
    put(fixed("[data-per-said]", card)[0], `Small: of ${count(total)} cases at a prevalence of ${Number(p.toPrecision(3))}.`);
  };

  const readouts = (model) => {
    const i = place(model), r = rates(model, i), card = document.getElementById(`model-${model.index}`);
    const values = { threshold: signed(cut(real(model.thresholds[i]))).replace("−", "-"), recall: number(r.tpr), fpr: number(r.fpr), top: number(100 * r.top, 3) };
    for (const field of fixed("[data-by]", card)) {
      const value = values[field.dataset.by];
      if (field !== document.activeElement) field.value = Number.isFinite(Number(value)) ? value : "";
    }
  };
  const by = {
    threshold: (m) => m.thresholds.map(real).map((t) => (Number.isFinite(t) ? t : Math.sign(t) * 1e300)),
    recall: (m) => m.tp.map((_, i) => rates(m, i).tpr),
    fpr: (m) => m.tp.map((_, i) => rates(m, i).fpr),
    top: (m) => m.tp.map((_, i) => 100 * rates(m, i).top),
  };

  // Calls that give the same in a terminal and in Python.
  const calls = (model, a) => {
    const t = String(real(model.thresholds[place(model)])), costs = decide.by() === "cost";
    const rows = data.call.command.map(shapes.quoted).join(" ");
    const low = data.call.lower.includes(model.name) ? " --lower-is-positive" : "", score = `--score ${shapes.quoted(model.name)}${low}`;
    const prevalence = Number(a.prevalence.toPrecision(6)), name = JSON.stringify(model.name);
    return {
      command: costs
        ? `thresher threshold ${rows} ${score} --cost-fp ${a.fp} --cost-fn ${a.fn} --prevalence ${prevalence}`
        : `thresher report ${rows} ${score} --threshold ${shapes.quoted(`${model.name}=${t}`)}`,
      python: costs
        ? `evaluation[${name}].choose(cost_fp=${a.fp}, cost_fn=${a.fn}, prevalence=${prevalence})`
        : `evaluation[${name}].at(${Number.isFinite(Number(t)) ? t : `float("${t}")`})`,
    };
  };

  const DRAWN = ["scores", "gain", "lift"];
  // Which model and which view: buttons, cards, drawings and lines that step back.
  let chosen = "";
  const turn = () => {
    const { model, view } = state, key = [view, model.index, ...models.map((m) => Number(Boolean(m.hidden)))].join(" ");
    if (key === chosen) return;
    chosen = key;
    for (const other of models) {
      document.getElementById(`model-${other.index}`).classList.toggle("aside", other !== model);
      one(`#pick-${other.index}`).setAttribute("aria-pressed", String(other === model));
    }
    for (const node of all("[data-view]")) node.setAttribute("aria-pressed", String(node.dataset.view === view));
    const figure = DRAWN.includes(view) ? "drawn" : view;
    for (const node of all("[data-shown]")) node.classList.toggle("aside", node.dataset.shown !== figure);
    one("#view-drawn title").textContent = one(`[data-view="${view}"]`).textContent;
    for (const node of all(".views g[data-model], .views .iso")) node.classList.toggle("back", node.dataset.model !== String(model.index));
  };
  const show = () => {
    const { model, view } = state, a = decide.asked();
    readouts(model);
    if (decide.usable(a)) explain(model, view, a);
    turn();
  };
  const explain = (model, view, a) => {
    if (view === "roc" || view === "pr" || DRAWN.includes(view) || data.plots[view]) drawn[view](model, a, decide.best(model, a));
    cases(model, a);
    fixed('[data-explore="share"]', root)[0].value = shapes.placeOfShare(a.prevalence);
    fixed('[data-explore="times"]', root)[0].value = shapes.placeOfRatio(a.fn / a.fp);
    put(fixed("[data-valid]", root)[0], decide.valid(model, a));
    const said = calls(model, a);
    for (const node of fixed("[data-call]", root)) put(node, said[node.dataset.call]);
  };
  const save = () => {
    const a = decide.asked();
    if (!decide.usable(a)) return;
    const text = shapes.write({ m: state.model.index, v: state.view, t: String(state.model.thresholds[place(state.model)]),
      by: a.by, fp: a.fp, fn: a.fn, p: a.prevalence });
    try { history.replaceState(null, "", text); } catch { /* A frame without an address of its own. */ }
  };
  let loading = true, waiting = false;
  const changed = () => {
    if (loading || waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; show(); save(); });
  };

  const restore = () => {
    const found = shapes.read(location.hash);
    if (!found) return;
    state.model = models.find((model) => String(model.index) === found.m) || state.model;
    if (one(`[data-view="${CSS.escape(found.v || "")}"]`)) state.view = found.v;
    decide.set({ fp: found.fp, fn: found.fn, prevalence: found.p, by: found.by });
    if (found.t !== undefined) state.model.go(shapes.nearest(by.threshold(state.model), by.threshold({ thresholds: [found.t === "inf" || found.t === "-inf" ? found.t : Number(found.t)] })[0]));
    show();
  };

  for (const model of models) {
    const card = document.getElementById(`model-${model.index}`);
    one(`#pick-${model.index}`).addEventListener("click", () => { state.model = model; changed(); });
    document.getElementById(`operate-${model.index}`).addEventListener("operate", changed);
    card.addEventListener("picked", () => { state.model = model; changed(); });
    for (const field of fixed("[data-by]", card)) {
      field.addEventListener("input", () => {
        const wanted = Number(field.value);
        if (field.value.trim() !== "" && Number.isFinite(wanted)) model.go(shapes.nearest(by[field.dataset.by](model), wanted));
      });
      field.addEventListener("blur", () => readouts(model));
    }
    card.querySelector("[data-cheapest]").addEventListener("click", () => decide.set({ by: "cost" }));
  }
  for (const node of all("[data-view]")) node.addEventListener("click", () => { state.view = node.dataset.view; changed(); });
  for (const box of all("[data-toggle]")) box.addEventListener("change", changed);
  root.addEventListener("asked", changed);
  one('[data-explore="share"]').addEventListener("input", (event) => decide.set({ prevalence: shapes.shareAt(event.target.value) }));
  one('[data-explore="times"]').addEventListener("input", (event) => {
    const a = decide.asked(), ratio = shapes.ratioAt(event.target.value);
    decide.set(a.fp > 0 ? { fn: Number((a.fp * ratio).toPrecision(6)) } : { fp: 1, fn: ratio });
  });
  for (const node of all("[data-copy]")) {
    node.addEventListener("click", async () => {
      const text = one(`[data-call="${node.dataset.copy}"]`).textContent, said = one('[data-explore="said"]');
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
