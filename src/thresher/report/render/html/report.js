"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const model of data.models) {
    for (const name of ["tp", "fp"]) model[name] = globalThis.thresherShapes.summed(model[name]);
    for (const { of } of model.limits) for (const ends of Object.values(of)) ends.forEach((steps, k) => { ends[k] = globalThis.thresherShapes.shown(steps, data.digits); });
    model.stops ??= model.thresholds.map((_, i) => i);
  }
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  // Nodes that stay, looked up once.
  const known = new WeakMap();
  /** @returns {any[]} */
  const fixed = (selector, root) => {
    if (!known.has(root)) known.set(root, {});
    return (known.get(root)[selector] ??= all(selector, root));
  };
  const real = (x) => (typeof x === "string" ? (x === "inf" ? Infinity : -Infinity) : x);

  // Measures of the four cells, as in thresher/measures; a pair is a share [successes, trials].
  const MEASURES = {
    accuracy: (c) => [c.tp + c.tn, c.tp + c.fn + c.fp + c.tn],
    true_positive_rate: (c) => [c.tp, c.tp + c.fn],
    true_negative_rate: (c) => [c.tn, c.fp + c.tn],
    false_positive_rate: (c) => [c.fp, c.fp + c.tn],
    positive_predictive_value: (c) => [c.tp, c.tp + c.fp],
    negative_predictive_value: (c) => [c.tn, c.fn + c.tn],
    balanced_accuracy: (c) => (c.tp / (c.tp + c.fn) + c.tn / (c.fp + c.tn)) / 2,
    f1: (c) => (2 * c.tp) / (2 * c.tp + c.fp + c.fn),
    matthews_correlation: (c) =>
      (c.tp * c.tn - c.fp * c.fn) /
      (Math.sqrt((c.tp + c.fn) * (c.fp + c.tn)) * Math.sqrt((c.tp + c.fp) * (c.fn + c.tn))),
  };
  const value = (name, cells) => {
    const found = MEASURES[name](cells);
    return Array.isArray(found) ? found[0] / found[1] : found;
  };
  const UNDEFINED = {
    "there are no rows": (c) => c.tp + c.fn + c.fp + c.tn === 0,
    "there are no positives": (c) => c.tp + c.fn === 0,
    "there are no negatives": (c) => c.fp + c.tn === 0,
    "nothing is predicted positive": (c) => c.tp + c.fp === 0,
    "nothing is predicted negative": (c) => c.fn + c.tn === 0,
    "nothing is positive, neither in truth nor predicted": (c) => c.tp + c.fn + c.fp === 0,
    "a class is empty": (c) => c.tp + c.fn === 0 || c.fp + c.tn === 0,
    "fewer than two classes occur": (c) => c.tp + c.fn === 0 || c.fp + c.tn === 0,
    "fewer than two classes are predicted": (c) => c.tp + c.fp === 0 || c.fn + c.tn === 0,
    "all rows are of one class and predicted as it": (c) => c.fp + c.fn === 0 && (c.tp === 0 || c.tn === 0),
  };
  const reason = (name, cells) =>
    data.measures[name].undefined.filter((words) => UNDEFINED[words] && UNDEFINED[words](cells)).join(" and ") || "0/0";

  // The rules of thresher/report/numbers.py.
  const signed = (text) => text.replace(/^-/, "−");
  const number = (x, digits = data.digits, bounds = [-1, 1]) => {
    if (Number.isNaN(x)) return "undefined";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
    const size = Math.abs(x);
    let text = size.toFixed(digits);
    if (size < 1 && Number(text) === 1 && bounds[x > 0 ? 1 : 0] !== null) text = ">0." + "9".repeat(digits);
    else if (size > 0 && Number(text) === 0) text = size.toExponential(1);
    else if (size >= 1e6) text = size.toExponential(3);
    else if (size >= 10) text = size.toFixed(Math.max(0, digits + 1 - String(Math.trunc(size)).length));
    if (x >= 0) return text;
    return text[0] === ">" ? "<-" + text.slice(1) : "-" + text;
  };
  const count = (x) => {
    const [whole, part] = (Number.isInteger(x) ? String(x) : x.toFixed(2)).split(".");
    const rest = (part || "").replace(/0+$/, "");
    return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : "");
  };
  const recognized = (share) => {
    if (Number.isNaN(share)) return "undefined";
    const text = (100 * share).toFixed(1);
    if (share < 1 && Number(text) === 100) return ">99.9\u00a0%";
    return share > 0 && Number(text) === 0 ? "<0.1\u00a0%" : text + "\u00a0%";
  };
  const cut = (t) => (Number.isFinite(t) ? String(t) : "beyond all scores");

  const put = (node, text, exact) => {
    if (!node.firstChild) node.textContent = text;
    else if (node.firstChild.data !== text) node.firstChild.data = text;
    if (exact !== undefined && node.value !== String(exact)) node.value = String(exact);
  };
  const cellsOf = (tp, fp, i) => ({ tp: tp[i], fn: tp[tp.length - 1] - tp[i], fp: fp[i], tn: fp[fp.length - 1] - fp[i] });

  // What the measures of a model are read at; the explorer's controls say another prevalence than the rows'.
  const reading = { prior: (_model) => null };
  const operate = (model) => {
    const card = document.getElementById(`model-${model.index}`);
    const [slider] = fixed(".slide", card), [reset] = fixed("[data-reset]", card);
    // A threshold that was typed stays as it is; those of the rows are short decimals that decide as these do.
    let typed = null;
    model.cutAt = (i) => (typed && typed.row === i ? typed.cut : real((model.cuts || model.thresholds)[i]));
    const show = (i) => {
      const cells = cellsOf(model.tp, model.fp, i);
      const at = signed(cut(model.cutAt(i))), prior = reading.prior(model);
      const isOwn = i === model.own && prior === null;
      showMatrix(card, cells);
      showMeasures(card, cells, prior, isOwn, (name) => limitsAt(model, name, i, OF_ONE_CLASS.includes(name) ? null : prior));
      for (const node of fixed("[data-cut]", card)) put(node, at);
      for (const node of fixed("[data-moved]", card)) node.hidden = isOwn;
      for (const chart of data.charts) showPoint(chart, model.index, cells);
      const rates = ["true_positive_rate", "true_negative_rate"].map((name) => number(value(name, cells)));
      slider.setAttribute("aria-valuetext", `${at}, recall ${rates[0]}, specificity ${rates[1]}`);
      if (reset) reset.disabled = i === model.chosen && !typed;
      card.dispatchEvent(new CustomEvent("operate"));
    };
    model.put = (i) => {
      typed = null;
      model.place = i;
      slider.value = globalThis.thresherShapes.nearest(model.stops, i);
    };
    model.show = () => show(model.place);
    model.go = (i) => {
      model.put(i);
      model.show();
    };
    model.set = (threshold) => {
      model.put(globalThis.thresherShapes.reached(model.thresholds.map(real), threshold));
      if (model.whole) typed = { row: model.place, cut: threshold };
      model.show();
    };
    slider.addEventListener("input", () => {
      typed = null;
      model.place = model.stops[slider.value];
      model.show();
    });
    if (reset) reset.addEventListener("click", () => { model.go(model.chosen); slider.focus(); });
    model.go(model.start);
  };

  const showMatrix = (card, c) => {
    const totals = { pos: c.tp + c.fn, neg: c.fp + c.tn, pred_pos: c.tp + c.fp, pred_neg: c.fn + c.tn };
    const sums = { ...c, ...totals, n: totals.pos + totals.neg };
    for (const node of fixed("[data-cell]", card)) put(node, count(sums[node.dataset.cell]), sums[node.dataset.cell]);
    for (const node of fixed("[data-share]", card)) put(node, recognized(value(node.dataset.share, c)));
    for (const node of fixed("td.cell", card)) {
      const name = node.firstElementChild.dataset.cell;
      const share = sums[name] / (name === "tp" || name === "fn" ? totals.pos : totals.neg) || 0;
      node.className = `cell ${name === "tp" || name === "tn" ? "right" : "wrong"} h${Math.min(4, Math.floor(share * 5))}`;
    }
  };

  // Measures of the rates of one class, which are the same at every prevalence.
  const OF_ONE_CLASS = ["true_positive_rate", "true_negative_rate", "balanced_accuracy"];
  // Limits of a measure where the slider stops, at the prevalences that Python found them for; none elsewhere.
  const limitsAt = (model, name, i, prior) => {
    const isAt = (other) => other === prior || Math.abs(other - prior) <= 1e-5 * prior;
    const at = model.stops.indexOf(i), found = model.limits.find((each) => (each.prior === null) === (prior === null) && isAt(each.prior));
    const ends = found && at >= 0 ? found.of[name].map((each) => each[at]) : [null];
    return ends[0] === null ? null : ends;
  };
  // At the report's own threshold its brackets stay, which may be from a bootstrap.
  const showMeasures = (card, cells, prior, isOwn, limitsOf) => {
    const read = prior === null ? cells : globalThis.thresherShapes.scaled(cells, prior);
    for (const node of fixed("[data-measure]", card)) {
      const name = node.dataset.measure, exact = value(name, read);
      const x = Number.isNaN(exact) && data.stand_in !== null ? real(data.stand_in) : exact;
      const none = Number.isNaN(x), text = signed(number(x, data.digits, data.measures[name].bounds));
      if (none || node.className) {
        node.className = none ? "none" : "";
        node.title = none ? reason(name, read) : "";
      }
      const [limits] = fixed(".ci", node.parentElement);
      if (limits) {
        limits.dataset.own ??= limits.textContent;
        const ends = isOwn || Number.isNaN(exact) ? null : limitsOf(name);
        limits.textContent = isOwn ? limits.dataset.own : ends ? `[${ends.map(signed).join(", ")}]` : "";
      }
      const zero = (0).toFixed(data.digits), hasBoth = limits && /^\[<?−.*, [^−]/.test(limits.textContent);
      put(node, hasBoth && Math.abs(x).toFixed(data.digits) === zero ? zero : text, x);
    }
  };

  const showPoint = (chart, index, cells) => {
    const [point] = fixed(`#plot-${chart.key} .op[data-model="${index}"]`, document);
    const x = value(chart.x, cells), y = value(chart.y, cells);
    const there = Number.isFinite(x) && Number.isFinite(y);
    point.classList.toggle("gone", !there);
    if (!there) return;
    point.setAttribute("cx", (chart.left + x * chart.width).toFixed(2));
    point.setAttribute("cy", (chart.top + (1 - y) * chart.height).toFixed(2));
  };

  // Pointing at a chart moves the operating point of the nearest curve that is shown.
  const point = (chart) => {
    /** @type {any} */
    const svg = document.getElementById(`plot-${chart.key}`);
    const places = data.models.map((model) => model.thresholds.map((_, i) => {
      const cells = cellsOf(model.tp, model.fp, i);
      return [chart.left + value(chart.x, cells) * chart.width, chart.top + (1 - value(chart.y, cells)) * chart.height];
    }));
    const nearest = (x, y, only) => {
      let best = { distance: Infinity };
      data.models.forEach((model, m) => {
        if (model.hidden || (only && model !== only)) return;
        places[m].forEach(([px, py], i) => {
          const distance = (px - x) ** 2 + (py - y) ** 2;
          if (distance < best.distance) best = { distance, model, i };
        });
      });
      return best;
    };
    let held = null;
    const move = (event) => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      const best = nearest((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, held);
      if (!best.model) return;
      held = best.model;
      best.model.go(best.i);
      document.getElementById(`model-${best.model.index}`).dispatchEvent(new CustomEvent("picked"));
    };
    svg.addEventListener("pointerdown", (event) => { held = null; move(event); svg.setPointerCapture(event.pointerId); });
    svg.addEventListener("pointermove", (event) => { if (held) move(event); });
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => { held = null; });
  };

  for (const box of all("[data-toggle]")) {
    box.hidden = false;
    box.addEventListener("change", () => {
      for (const node of all(`[data-model="${box.dataset.toggle}"]`)) node.classList.toggle("off", !box.checked);
      for (const model of data.models) if (String(model.index) === box.dataset.toggle) model.hidden = !box.checked;
    });
  }
  if (data.models.length) {
    for (const node of all("[data-live]")) node.hidden = false;
    for (const node of all("[data-static]")) node.hidden = true;
  }
  data.models.forEach(operate);
  globalThis.thresherPage = { data, reading, fixed, put, value, cellsOf, count, number, cut, signed, real, recognized };
  data.charts.forEach(point);
  if (data.models.length) document.body.classList.add("live");
  // A finding leads to its section, which may be folded, and so may its table.
  for (const link of all(".verdict a")) {
    link.addEventListener("click", () => {
      for (let node = document.querySelector(link.hash); node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
      for (const table of all(`[aria-labelledby="${link.hash.slice(1)}"] .rows`)) table.open = true;
    });
  }
  // On paper stands what is read; what is looked up stays folded.
  let opened = [];
  const paper = (isOn) => {
    if (isOn) opened.push(...all("details.printed:not([open]), .printed .rows:not([open]), .answer details:not([open])"));
    for (const node of opened) node.open = isOn;
    if (!isOn) opened = [];
  };
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
  matchMedia("print").addEventListener("change", (media) => paper(media.matches));
  // Only a table that scrolls is a stop for the keyboard.
  const reach = () => { for (const node of all(".scroll")) node.tabIndex = node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight ? 0 : -1; };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();
})();
