"use strict";
(() => {
  const page = globalThis.thresherPage, root = document.querySelector(".explore");
  if (!page || !root) return;
  const { data, fixed, put: write, value, cellsOf, number, cut, signed } = page;
  const control = (name) => fixed(`[data-explore="${name}"]`, root)[0];
  const models = data.models.filter((model) => document.getElementById(`explore-${model.index}`));
  const EQUAL = 1e-12;

  // What is asked for; null where a field holds no number that can be used.
  const asked = () => {
    const [fp, fn, prevalence] = ["fp", "fn", "prevalence"].map((name) => {
      const field = control(name), found = field.value.trim() === "" ? NaN : Number(field.value);
      const fits = found >= 0 && Number.isFinite(found) && (name !== "prevalence" || found <= 1);
      if (field.getAttribute("aria-invalid") !== String(!fits)) field.setAttribute("aria-invalid", String(!fits));
      return fits ? found : null;
    });
    return { by: control("criterion").value, fp, fn, prevalence };
  };
  const usable = (a) => a.fp !== null && a.fn !== null && a.prevalence !== null && a.fp + a.fn > 0;

  // Prevalence that a model's measures are read at; null for that of its rows, of which the field holds six digits.
  const prior = (model, a = asked()) => {
    const last = model.tp.length - 1, own = model.tp[last] / (model.tp[last] + model.fp[last]);
    return usable(a) && Math.abs(a.prevalence - own) > 1e-5 * own ? a.prevalence : null;
  };
  const cost = (c, a) => a.fp * c.fp + a.fn * c.fn;
  const cellsAt = (model, i, a) => globalThis.thresherShapes.scaled(cellsOf(model.tp, model.fp, i), a.prevalence);
  const height = (c, a) => {
    if (a.by === "cost") return -cost(c, a);
    if (a.by === "corner") return -Math.hypot(c.fn / (c.tp + c.fn), c.fp / (c.fp + c.tn));
    if (a.by === "informedness") return c.tp / (c.tp + c.fn) - c.fp / (c.fp + c.tn);
    return value(a.by, c);
  };
  // What a model has at a key, worked out when the key is another than the last.
  const kept = new Map();
  const once = (model, name, key, make) => {
    const at = `${model.index} ${name}`, had = kept.get(at);
    if (had && had.key === key) return had.found;
    const found = make();
    kept.set(at, { key, found });
    return found;
  };
  // First row whose height is the largest, up to rounding: the most conservative threshold of those that tie.
  const best = (model, a, of = height) => {
    const heights = model.thresholds.map((_, i) => of(cellsAt(model, i, a), a));
    const known = heights.filter((h) => !Number.isNaN(h));
    if (!known.length) return null;
    const top = Math.max(...known), slack = EQUAL * Math.max(...known.map(Math.abs));
    return heights.findIndex((h) => h >= top - slack);
  };

  const cheapest = (model, a) =>
    once(model, "cheapest", `${a.fp} ${a.fn} ${a.prevalence}`, () => best(model, a, (cells) => -cost(cells, a)));

  // Slopes for which a point is the cheapest: above all chords to the right, below all to the left; null off the hull.
  const slopes = (model, i) => once(model, "slopes", i, () => slopesAt(model, i));
  const slopesAt = (model, i) => {
    const last = model.tp.length - 1, x = (k) => model.fp[k] / model.fp[last], y = (k) => model.tp[k] / model.tp[last];
    let low = 0, high = Infinity;
    for (let k = 0; k <= last; k++) {
      const run = x(k) - x(i), rise = y(k) - y(i);
      if (run > 0) low = Math.max(low, rise / run);
      else if (run < 0) high = Math.min(high, rise / run);
      else if (rise > 0) return x(i) === 0 ? [Infinity, Infinity] : null;
    }
    return low <= high * (1 + EQUAL) ? [low, high] : null;
  };
  const short = (x) => String(Number(x.toPrecision(3)));
  const cases = (x) => (x < 10 ? short(x) : number(x, 1));
  const span = (ends, a) => {
    if (!ends) return "none";
    // 0/0 and ∞·0 where every ratio has the slope.
    const [low, high] = ends.map((slope) => (slope * a.prevalence) / (1 - a.prevalence));
    if (!(low > 0) && !Number.isFinite(high)) return "any";
    if (low === high) return Number.isFinite(low) ? short(low) : "∞";
    if (!(low > 0)) return `up to ${short(high)}`;
    if (!Number.isFinite(high)) return `${short(low)} or more`;
    return short(low) === short(high) ? short(low) : `${short(low)} to ${short(high)}`;
  };

  const show = (model) => {
    const row = document.getElementById(`explore-${model.index}`), a = asked();
    const put = (name, text) => write(fixed(`[data-explored="${name}"]`, row)[0], text);
    if (!usable(a)) {
      for (const cell of row.querySelectorAll("[data-explored]")) cell.textContent = "—";
      drawLine(model, null);
      return;
    }
    const i = model.place, c = cellsAt(model, i, a), spent = cost(c, a);
    const least = cost(cellsAt(model, cheapest(model, a), a), a);
    put("cost", signed(number(spent)));
    put("over", spent - least <= EQUAL * Math.max(spent, least) ? "0" : number(spent - least));
    put("ratio", span(slopes(model, i), a));
    put("precision", number(c.tp / (c.tp + c.fp)));
    put("found", cases(1000 * c.tp));
    put("missed", cases(1000 * c.fn));
    put("false", cases(1000 * c.fp));
    drawLine(model, a);
  };

  // The line of equal expected cost through a model's point on the ROC.
  const chart = data.charts.find((each) => each.key === "roc");
  const drawLine = (model, a) => {
    const svg = document.getElementById("plot-roc");
    if (!svg || !chart) return;
    let line = svg.querySelector(`.iso[data-model="${model.index}"]`);
    if (!line) {
      line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      line.setAttribute("data-model", model.index);
      line.setAttribute("class", `iso k${model.index % 8}`);
      svg.insertBefore(line, svg.querySelector("g"));
    }
    const ends = a && ["", "cost"].includes(a.by) ? segment(model, a) : null;
    line.classList.toggle("gone", !ends);
    if (!ends) return;
    ends.flat().forEach((v, k) => {
      const at = k % 2 ? chart.top + (1 - v) * chart.height : chart.left + v * chart.width;
      line.setAttribute(["x1", "y1", "x2", "y2"][k], at.toFixed(2));
    });
  };
  const segment = (model, a) => {
    const i = model.place, last = model.tp.length - 1;
    const x = model.fp[i] / model.fp[last], y = model.tp[i] / model.tp[last];
    const up = a.prevalence * a.fn, along = (1 - a.prevalence) * a.fp;
    if (up === 0) return [[x, 0], [x, 1]];
    const slope = along / up, at = (t) => [t, y + slope * (t - x)];
    if (slope === 0) return [[0, y], [1, y]];
    /** @param {number[]} point */
    const clip = ([t, v]) => (v < 0 ? [x - y / slope, 0] : v > 1 ? [x + (1 - y) / slope, 1] : [t, v]);
    return [clip(at(0)), clip(at(1))];
  };

  const choose = () => {
    const a = asked(), said = control("said");
    if (!usable(a)) {
      said.textContent = "Costs are numbers from 0 on, one of them above 0, and a prevalence lies between 0 and 1.";
    } else if (a.by !== "") {
      const found = models.map((model) => [model, best(model, a)]);
      found.forEach(([model, i]) => { if (i !== null) model.put(i); });
      const parts = found.map(([model, i]) => `${model.name} ${i === null ? "undefined" : signed(cut(model.cutAt(i)))}`);
      said.textContent = `Thresholds: ${parts.join(", ")}.`;
    } else said.textContent = "";
    for (const model of models) model.show();
    root.dispatchEvent(new CustomEvent("asked", { bubbles: true }));
  };

  // For which costs a model's threshold is the cheapest, in words.
  const valid = (model, a) => {
    const t = signed(cut(model.cutAt(model.place))), found = span(slopes(model, model.place), a);
    if (found === "none") return `No ratio of costs makes ${t} the cheapest threshold: its point lies below the hull of the ROC, where others cost less.`;
    if (found === "any") return `${t} is as cheap as any other, whatever the costs.`;
    return `${t} is the cheapest threshold while a false positive costs ${found} false negatives at this prevalence.`;
  };
  const set = (wanted) => {
    for (const name of ["fp", "fn", "prevalence"]) if (wanted[name] !== undefined) control(name).value = wanted[name];
    if (wanted.by !== undefined) control("criterion").value = wanted.by;
    choose();
  };

  models.forEach((model) => {
    document.getElementById(`operate-${model.index}`).addEventListener("operate", () => show(model));
    show(model);
  });
  for (const name of ["fp", "fn", "prevalence"]) control(name).addEventListener("input", choose);
  control("criterion").addEventListener("change", () => {
    if (control("criterion").value === "") models.forEach((model) => model.go(model.start));
    choose();
  });
  // Where the rule chosen puts a model's threshold, and what the rule is called.
  const ruled = (model, a) => (a.by === "" ? model.start : best(model, a));
  const rule = () => control("criterion").selectedOptions[0].textContent;
  page.decide = { once, asked, usable, valid, set, prior, ruled, rule, best: cheapest, by: () => control("criterion").value };
  page.reading.prior = prior;
  choose();
})();
