"use strict";
// Limits of the measures of four cells, as thresher/inference/estimates/of_matrices.py finds them. `measured` gives what a measure
// is: a pair is a share [successes, trials]. `rates` has the limits of a proportion: Wilson's, and those of the method that was chosen.
globalThis.thresherIntervals = (measured, z, rates) => {
  const names = ["tp", "fn", "fp", "tn"], OF_MARGINS = ["cohen_kappa", "matthews_correlation"];
  const sum = (cells) => names.reduce((total, name) => total + cells[name], 0);
  const share = (part, cells, limits = rates.chosen) => {
    const [successes, trials] = part(cells), p = successes / trials;
    return [p, ...limits(p, trials)];
  };
  const bothRates = (cells) => ["true_positive_rate", "false_positive_rate"].map((name) => share(measured[name], cells, rates.wilson));
  const newcombe = (cells) => {
    const [[p, p0, p1], [q, q0, q1]] = bothRates(cells);
    const ends = [p - q - Math.hypot(p - p0, q1 - q), p - q + Math.hypot(p1 - p, q - q0)];
    return ends.map((d) => (1 + Math.min(1, Math.max(-1, d))) / 2);
  };
  const jaccard = (cells) => {
    const [j, low, high] = share((c) => [c.tp, c.tp + c.fp + c.fn], cells);
    const f = (x) => (2 * x) / (1 + x);
    return low === undefined ? [] : [Math.min(f(low), f(j)), Math.max(f(high), f(j))];
  };
  const single = (found) => (Array.isArray(found) ? found[0] / found[1] : found);
  // At a prevalence: how far the limits of each rate move the value.
  const mover = (name, cells, prior) => {
    const read = (tpr, fpr) => single(measured[name](globalThis.thresherShapes.scaled({ tp: tpr, fn: 1 - tpr, fp: fpr, tn: 1 - fpr }, prior)));
    const [[p, ...ofP], [q, ...ofQ]] = bothRates(cells), now = read(p, q);
    const moves = [ofP.map((end) => read(end, q) - now), ofQ.map((end) => read(p, end) - now)];
    const far = (sign) => Math.hypot(...moves.map((of) => Math.max(0, ...of.map((d) => sign * d || 0))));
    const [down, up] = [far(-1), far(1)];
    return down + up > 1e-12 ? [Math.max(OF_MARGINS.includes(name) ? -1 : 0, now - down), Math.min(1, now + up)] : [];
  };
  // Value and standard error by the delta method; the slopes are central differences.
  const moment = (measure, cells) => {
    const value = measure(cells);
    const variance = names.filter((name) => cells[name] > 0).reduce((total, name) => {
      const step = 1e-5 * cells[name];
      const [up, down] = [step, -step].map((d) => measure({ ...cells, [name]: cells[name] + d }));
      return total + ((up - down) / (2 * step)) ** 2 * cells[name];
    }, 0);
    return [value, Math.sqrt(variance)];
  };
  // Smallest value of tables with the same row and column sums; the value itself where that is the least.
  const least = (name, c, value) => {
    const n = sum(c), p = [c.tp + c.fn, c.fp + c.tn], q = [c.tp + c.fp, c.fn + c.tn];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1], chance = dot(p, q);
    const isKappa = name === "cohen_kappa";
    const most = isKappa ? n * n - chance : Math.sqrt((n * n - dot(p, p)) * (n * n - dot(q, q)));
    const low = (n * Math.max(0, Math.max(p[0] + q[0], p[1] + q[1]) - n) - chance) / most;
    return value - low < 1e-12 ? value : low;
  };
  // Limits on the logit scale between the least value and 1.
  const delta = (name, cells) => {
    const measure = (c) => single(measured[name](c)), rows = sum(cells);
    const [value, error] = moment(measure, cells), low = OF_MARGINS.includes(name) ? least(name, cells, value) : 0;
    let [center, spread] = [value, error];
    if (!Number.isFinite(error) || error * Math.sqrt(rows) < 1e-7 || value === low || value === 1) {
      [center, spread] = moment(measure, Object.fromEntries(names.map((each) => [each, cells[each] + 0.5])));
    }
    if (!Number.isFinite(center + spread) || spread * Math.sqrt(rows) < 1e-7) return [];
    const p = (center - low) / (1 - low), half = (z * spread) / (1 - low) / (p * (1 - p)), middle = Math.log(p / (1 - p));
    const ends = p > 0 && p < 1
      ? [-half, half].map((d) => low + (1 - low) / (1 + Math.exp(-middle - d)))
      : [Math.max(low, center - z * spread), Math.min(1, center + z * spread)];
    return [Math.min(ends[0], value), Math.max(ends[1], value)];
  };
  const OF_ONE_CLASS = ["true_positive_rate", "true_negative_rate", "false_positive_rate"];
  // Low and high at a prevalence, null for that of the rows; nothing where there is no interval.
  return (name, cells, prior = null) => {
    if (name === "balanced_accuracy") return newcombe(cells);
    const isShare = Array.isArray(measured[name](cells));
    if (isShare && (prior === null || OF_ONE_CLASS.includes(name))) return share(measured[name], cells).slice(1);
    if (prior !== null) return mover(name, cells, prior);
    return name === "f1" ? jaccard(cells) : delta(name, cells);
  };
};
