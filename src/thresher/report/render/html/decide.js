"use strict";
// Costs and prevalence that are typed, the cheapest threshold of every model at them, and any other rule for a threshold.
(() => {
  const page = globalThis.thresherPage, root = document.querySelector(".explorer");
  if (!page || !root) return;
  const { data, fixed, put, value, cellsOf, number, count, cut, signed, real } = page, { scaled, per } = globalThis.thresherShapes;
  const control = (name) => fixed(`[data-explore="${name}"]`, root)[0];
  const models = data.models.filter((model) => document.getElementById(`explore-${model.index}`));
  const EQUAL = 1e-12, MANY = 4, MOST = 3;

  // What is asked for: the cost of a missed positive in false alarms, and a prevalence; null for what cannot be used.
  const asked = () => {
    const [fn, percent] = ["fn", "prevalence"].map((name) => {
      const field = control(name), text = field.value === field.defaultValue ? field.dataset.exact : field.value;
      const found = text.trim() === "" ? NaN : Number(text);
      const fits = found >= 0 && Number.isFinite(found) && (name !== "prevalence" || found <= 100);
      if (field.getAttribute("aria-invalid") !== String(!fits)) field.setAttribute("aria-invalid", String(!fits));
      return fits ? found : null;
    });
    return { by: control("criterion").value, fp: 1, fn, prevalence: percent === null ? null : percent / 100 };
  };
  const usable = (a) => a.fn !== null && a.prevalence !== null;

  // Prevalence that a model's measures are read at; null for that of its rows, of which the field holds six digits.
  const prior = (model, a = asked()) => {
    const last = model.tp.length - 1, own = model.tp[last] / (model.tp[last] + model.fp[last]);
    return usable(a) && Math.abs(a.prevalence - own) > 1e-5 * own ? a.prevalence : null;
  };
  const cost = (c, a) => a.fp * c.fp + a.fn * c.fn;
  const cellsAt = (model, i, a) => scaled(cellsOf(model.tp, model.fp, i), a.prevalence);
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
    once(model, "cheapest", `${a.fn} ${a.prevalence}`, () => best(model, a, (cells) => -cost(cells, a)));

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
  const short = (x) => { const found = Number(x.toPrecision(3)); return found >= 1000 ? count(found) : String(found); };
  // For which costs a model's threshold is the cheapest, in the words of the question.
  const valid = (model, a) => {
    const t = signed(cut(model.cutAt(model.place))), ends = slopes(model, model.place), odds = (1 - a.prevalence) / a.prevalence;
    if (!ends) return `${t} is never the cheapest threshold: some other one costs less, whatever a missed “${data.positive}” costs.`;
    const [high, low] = ends.map((slope) => odds / slope);
    const range = !(low > 0) ? (Number.isFinite(high) ? `up to ${short(high)}` : "") : !Number.isFinite(high) ? `${short(low)} or more`
      : short(low) === short(high) ? short(low) : `${short(low)} to ${short(high)}`;
    if (low === high && !(low > 0 && Number.isFinite(low))) return `${t} is the cheapest threshold only if ${low > 0 ? "false alarms cost" : `a missed “${data.positive}” costs`} nothing.`;
    if (!range) return `${t} is as cheap as any other threshold, whatever a missed “${data.positive}” costs.`;
    return `${t} is the cheapest threshold while a missed “${data.positive}” costs ${range} false alarm${range === "1" ? "" : "s"}.`;
  };

  // A number of cases with as many decimals as the largest of its column needs for two digits.
  const digitsOf = (values) => {
    const most = Math.max(0, ...values.filter(Number.isFinite));
    return most > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(most)))) : 0;
  };
  const cases = (x, digits) => {
    const [whole, part] = x.toFixed(digits).split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
  };
  const percent = (x) => (Number.isFinite(x) ? `${signed((100 * x).toFixed(data.digits - 2))}\u00a0%` : "—");

  // The cheapest threshold of every model in so many cases, and what it saves against the cheaper trivial rule.
  const plans = (a) => models.map((model) => {
    const i = cheapest(model, a), c = cellsAt(model, i, a), spent = cost(c, a);
    const rule = Math.min(a.prevalence * a.fn, (1 - a.prevalence) * a.fp), total = per(a.prevalence);
    return { model, i, spent, cut: real((model.cuts || model.thresholds)[i]), found: total * c.tp, missed: total * c.fn, false: total * c.fp,
      precision: c.tp / (c.tp + c.fp), cost: total * spent, saved: rule > 0 ? 1 - spent / rule : NaN };
  });
  const way = (model) => (data.call.lower.includes(model.name) ? "≤" : "≥");
  const recommend = (a) => {
    // Of models that cost the same the one that the verdict names; another has a ROC that crosses it.
    const all = plans(a), better = all.find((each) => String(each.model.index) === control("said").dataset.best) || all[0];
    const first = all.reduce((least, each) => (each.spent < least.spent * (1 - EQUAL) ? each : least), better);
    const shared = Object.fromEntries(["found", "missed", "false", "cost"].map((name) => [name, digitsOf(all.map((each) => each[name]))]));
    for (const each of all) {
      const row = document.getElementById(`explore-${each.model.index}`);
      const texts = { cut: `${way(each.model)} ${signed(cut(each.cut))}`, precision: percent(each.precision), saved: percent(each.saved),
        ...Object.fromEntries(Object.entries(shared).map(([name, digits]) => [name, cases(each[name], digits)])) };
      for (const cell of fixed("[data-explored]", row)) put(cell, texts[cell.dataset.explored]);
      row.classList.toggle("best", each === first);
    }
    // Of many models the cheapest stand first.
    const body = document.getElementById(`explore-${first.model.index}`).parentElement, ranked = [...all].sort((x, y) => x.spent - y.spent);
    if (all.length > MANY) ranked.forEach(({ model }, k) => {
      const row = document.getElementById(`explore-${model.index}`);
      if (body.children[k] !== row) body.insertBefore(row, body.children[k]);
    });
    const { model, i } = first, last = model.tp.length - 1, positive = `“${data.positive}”`, bold = (text) => Object.assign(document.createElement("b"), { textContent: text });
    const none = model.tp[i] + model.fp[i] === 0, every = model.tp[i] + model.fp[i] === model.tp[last] + model.fp[last];
    if (none || every) return [`Call ${none ? "no" : "every"} case ${positive}: at this cost no threshold does better.`];
    const equal = all.filter((each) => each.cut === first.cut && each.found === first.found && each.false === first.false);
    const use = models.length > equal.length ? ["Use ", bold(equal.length > MOST ? model.name : equal.map((each) => each.model.name).join(" or ")), " and call"] : ["Call"];
    const [found, missed, alarms] = ["found", "missed", "false"].map((name) => cases(first[name], shared[name]));
    return [...use, ` ${positive} from a score of `, bold(`${signed(cut(first.cut))}${way(model) === "≤" ? " or less" : ""}`),
      `: of ${count(per(a.prevalence))} cases it finds ${found} and misses ${missed}, with ${alarms} false alarm${alarms === "1" ? "" : "s"}.`,
      ...(first === better ? [] : [` At this cost it beats ${better.model.name}, which ranks better overall: their ROC curves cross.`])];
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
    const ends = usable(a) && ["", "cost"].includes(a.by) ? segment(model, a) : null;
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
      said.textContent = "A cost is a number from 0 on, and a share lies between 0 and 100 %.";
      for (const cell of root.querySelectorAll("[data-explored]")) cell.textContent = "—";
    } else {
      const words = recommend(a);
      put(control("per"), count(per(a.prevalence)));
      said.replaceChildren(...(said.dataset.instead ? [said.dataset.instead] : words));
      if (a.by !== "") {
        for (const model of models) {
          const i = best(model, a);
          if (i !== null) model.put(i);
        }
      }
    }
    for (const model of models) model.show();
    root.dispatchEvent(new CustomEvent("asked", { bubbles: true }));
  };
  const set = (wanted) => {
    if (wanted.fn !== undefined) control("fn").value = wanted.fn;
    if (wanted.prevalence !== undefined) {
      const field = control("prevalence"), percent = Number((100 * wanted.prevalence).toPrecision(6));
      field.value = percent === Number(field.dataset.exact) ? field.defaultValue : percent;
    }
    if (wanted.by !== undefined) control("criterion").value = wanted.by;
    choose();
  };

  models.forEach((model) => {
    document.getElementById(`model-${model.index}`).addEventListener("operate", () => drawLine(model, asked()));
    drawLine(model, asked());
  });
  // A cost that is typed moves every threshold to the cheapest.
  control("fn").addEventListener("input", () => set({ by: "cost" }));
  control("prevalence").addEventListener("input", choose);
  control("criterion").addEventListener("change", () => {
    if (control("criterion").value === "") models.forEach((model) => model.go(model.start));
    choose();
  });
  // Where the rule chosen puts a model's threshold, and what the rule is called.
  const ruled = (model, a) => (a.by === "" ? model.start : best(model, a));
  const rule = () => control("criterion").selectedOptions[0].textContent;
  const spent = (model, a) => number(cost(cellsAt(model, model.place, a), a));
  page.decide = { once, asked, usable, valid, set, prior, ruled, rule, spent, best: cheapest, by: () => control("criterion").value };
  page.reading.prior = prior;
  choose();
})();
