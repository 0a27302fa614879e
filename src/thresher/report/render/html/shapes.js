"use strict";
// What the explorer works out, without a page: scales of sliders, cases in whole numbers, lines of a view, its state as text.
globalThis.thresherShapes = (() => {
  const logit = (p) => Math.log(p / (1 - p)), expit = (x) => 1 / (1 + Math.exp(-x));
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
  const rounded = (x) => Number(x.toPrecision(3));
  // A share on the logit scale and a ratio on the log scale, as positions of a slider from 0 to 1000.
  const WIDEST = logit(0.9999), DECADES = 4;
  const shareAt = (place) => {
    const p = expit((place / 500 - 1) * WIDEST);
    return p <= 0.5 ? rounded(p) : Number((1 - rounded(1 - p)).toPrecision(6));
  };
  const placeOfShare = (p) => Math.round(500 * (1 + clamp(logit(p), -WIDEST, WIDEST) / WIDEST));
  const ratioAt = (place) => rounded(10 ** ((place / 500 - 1) * DECADES));
  const placeOfRatio = (r) => Math.round(500 * (1 + clamp(Math.log10(r), -DECADES, DECADES) / DECADES));

  // Shares as whole numbers that add up to `total`: the largest remainders are rounded up.
  const whole = (shares, total) => {
    const sum = shares.reduce((a, b) => a + b, 0), exact = shares.map((s) => (total * s) / sum);
    const down = exact.map(Math.floor), left = Math.round(total - down.reduce((a, b) => a + b, 0));
    const order = exact.map((x, i) => [x - down[i], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    order.slice(0, left).forEach(([, i]) => { down[i] += 1; });
    return down;
  };
  // Cells as shares of all cases at another share of positives.
  const scaled = (c, share) => {
    const p = c.tp + c.fn, n = c.fp + c.tn;
    return { tp: (share * c.tp) / p, fn: (share * c.fn) / p, fp: ((1 - share) * c.fp) / n, tn: ((1 - share) * c.tn) / n };
  };
  // Cases that a share of positives is shown in: enough to have some of the rarer class.
  const per = (share) => (share < 0.01 || share > 0.99 ? 100000 : 1000);
  // Counts from their steps; others are as they are.
  const summed = (counts) => {
    let sum = 0;
    return counts.steps ? [...counts.steps].map((step) => (sum += Number(step))) : counts;
  };
  // Limits as texts, from their steps in units of the last decimal; others are as they are.
  const shown = (steps, digits) => {
    let sum = 0;
    return steps.map((step) => (typeof step === "number" ? ((sum += step) / 10 ** digits).toFixed(digits) : step));
  };
  // Last place whose threshold a typed one reaches, from the sentinel at the first on: it decides the same rows. Scores
  // that are float32 numbers are compared as such.
  const reached = (thresholds, wanted) => {
    const away = thresholds[0] > 0 ? 1 : -1, isSingle = thresholds.every((t) => Math.fround(t) === t);
    const at = isSingle ? Math.fround(wanted) : wanted;
    return Math.max(0, thresholds.filter((t) => t === at || away * t >= away * wanted).length - 1);
  };
  // Place of the value that is nearest to the one wanted, the first of those that tie.
  const nearest = (values, wanted) => {
    let best = 0;
    values.forEach((v, i) => { if (Math.abs(v - wanted) < Math.abs(values[best] - wanted)) best = i; });
    return best;
  };

  // Shares of each class's rows in bins of their scores; scores between two thresholds count at the lower of them.
  const histogram = (model, bins) => {
    const cuts = model.thresholds.map(Number), known = cuts.filter(Number.isFinite);
    const low = Math.min(...known), high = Math.max(...known), unit = low >= 0 && high <= 1;
    const [from, to] = unit ? [0, 1] : [low, high > low ? high : low + 1];
    const last = cuts.length - 1, out = { from, to, tp: Array(bins).fill(0), fp: Array(bins).fill(0) };
    for (let i = 1; i <= last; i++) {
      const bin = clamp(Math.floor(((cuts[i] - from) / (to - from)) * bins), 0, bins - 1);
      for (const name of ["tp", "fp"]) out[name][bin] += (model[name][i] - model[name][i - 1]) / (model[name][last] || 1);
    }
    return out;
  };
  // Share of rows called positive, and what is found among them: the share of all positives, and how many times chance.
  const gain = (model) => {
    const last = model.tp.length - 1, p = model.tp[last], n = p + model.fp[last];
    return model.tp.map((tp, i) => [(tp + model.fp[i]) / n, tp / p]);
  };
  const lift = (model) => gain(model).filter(([x]) => x > 0).map(([x, y]) => [x, y / x]);

  // Part of the straight line between two points below a height.
  const below = ([x0, y0], [x1, y1], top) => {
    const at = (x, y, u, v) => [x + ((top - y) / (v - y)) * (u - x), top];
    if (y0 > top && y1 > top) return [];
    return [y0 > top ? at(x0, y0, x1, y1) : [x0, y0], y1 > top ? at(x0, y0, x1, y1) : [x1, y1]];
  };

  // Number that a text of a table begins with, NaN for words; and the order of such texts, numbers by size, words as words.
  const numeral = (text) => {
    const found = text.trim().replace(/−/g, "-").replace(/,/g, "").match(/^(?:p )?[<>= ]*(-?)(∞|\d[\d.]*(?:e[+-]?\d+)?)/);
    return found ? Number(found[1] + (found[2] === "∞" ? "Infinity" : found[2])) : NaN;
  };
  const BLANK = new Set(["", "undefined", "—"]);
  const order = (texts, isDown) => {
    const known = texts.map((text, i) => i).filter((i) => !BLANK.has(texts[i])), numbers = texts.map(numeral);
    const isNumeric = known.every((i) => !Number.isNaN(numbers[i])), way = isDown ? -1 : 1;
    const words = (a, b) => texts[a].localeCompare(texts[b], "en", { numeric: true });
    known.sort((a, b) => way * (isNumeric ? Number(numbers[a] > numbers[b]) - Number(numbers[a] < numbers[b]) : words(a, b)) || a - b);
    return [...known, ...texts.map((text, i) => i).filter((i) => BLANK.has(texts[i]))];
  };

  // State as text behind "#x:" and back; null for any other text.
  const write = (state) => "#x:" + new URLSearchParams(state).toString();
  const read = (hash) => (hash.startsWith("#x:") ? Object.fromEntries(new URLSearchParams(hash.slice(3))) : null);

  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);
  const csv = (model) => {
    const last = model.tp.length - 1, p = model.tp[last], n = model.fp[last];
    const rows = model.thresholds.map((t, i) => {
      const [tp, fp] = [model.tp[i], model.fp[i]];
      return [t, tp, fp, p - tp, n - fp, tp / p, fp / n, tp + fp ? tp / (tp + fp) : ""].join(",");
    });
    return ["threshold,tp,fp,fn,tn,recall,false_positive_rate,precision", ...rows].join("\n") + "\n";
  };
  return { shareAt, placeOfShare, ratioAt, placeOfRatio, whole, scaled, per, summed, shown, reached, nearest, histogram, gain, lift, below, numeral, order, write, read, quoted, csv };
})();
