"use strict";
// Limits of the measures of four cells, as thresher/inference/estimates/of_matrices.py finds them. `measured` gives what a measure
// is: a pair is a share [successes, trials]. `squares` are the sums of squared weights per cell, or nothing. `rates`
// has the limits of a proportion: Wilson's, and those of the method that was chosen.
globalThis.thresherIntervals = (measured, z, rates) => {
  const names = ["tp", "fn", "fp", "tn"];
  const sum = (cells) => names.reduce((total, name) => total + cells[name], 0);
  // Importance weights leave the effective number of trials, (Σw)²/Σw².
  const share = (part, cells, squares, limits = rates.chosen) => {
    const [successes, trials] = part(cells), p = successes / trials;
    return [p, ...limits(p, squares ? (trials * trials) / part(squares)[1] : trials)];
  };
  const newcombe = (cells, squares) => {
    const [p, p0, p1] = share(measured.true_positive_rate, cells, squares, rates.wilson);
    const [q, q0, q1] = share(measured.false_positive_rate, cells, squares, rates.wilson);
    const ends = [p - q - Math.hypot(p - p0, q1 - q), p - q + Math.hypot(p1 - p, q - q0)];
    return ends.map((d) => (1 + Math.min(1, Math.max(-1, d))) / 2);
  };
  const jaccard = (cells, squares) => {
    const [j, low, high] = share((c) => [c.tp, c.tp + c.fp + c.fn], cells, squares);
    const f = (x) => (2 * x) / (1 + x);
    return low === undefined ? [] : [Math.min(f(low), f(j)), Math.max(f(high), f(j))];
  };
  // Value and standard error by the delta method; the slopes are central differences.
  const moment = (measure, cells, squares) => {
    const value = measure(cells);
    const variance = names.filter((name) => cells[name] > 0).reduce((total, name) => {
      const step = 1e-5 * cells[name];
      const [up, down] = [step, -step].map((d) => measure({ ...cells, [name]: cells[name] + d }));
      return total + ((up - down) / (2 * step)) ** 2 * squares[name];
    }, 0);
    return [value, Math.sqrt(variance)];
  };
  const single = (found) => (Array.isArray(found) ? found[0] / found[1] : found);
  // Smallest value of tables with the same row and column sums; the value itself where that is the least.
  const least = (name, c, value) => {
    const n = sum(c), p = [c.tp + c.fn, c.fp + c.tn], q = [c.tp + c.fp, c.fn + c.tn];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1], chance = dot(p, q);
    const isKappa = name === "cohen_kappa";
    const most = isKappa ? n * n - chance : Math.sqrt((n * n - dot(p, p)) * (n * n - dot(q, q)));
    const low = (n * Math.max(0, Math.max(p[0] + q[0], p[1] + q[1]) - n) - chance) / most;
    return value - low < 1e-12 ? value : low;
  };
  // Limits on the logit scale between the least value and 1; a prevalence rescales the cells before they are read.
  const delta = (name, cells, squares, prior) => {
    const read = (c) => (prior === null ? c : globalThis.thresherShapes.scaled(c, prior));
    const measure = (c) => single(measured[name](read(c))), weights = squares || cells, rows = sum(cells) ** 2 / sum(weights);
    const [value, error] = moment(measure, cells, weights), low = OF_MARGINS.includes(name) ? least(name, read(cells), value) : 0;
    let [center, spread] = [value, error];
    if (!Number.isFinite(error) || error * Math.sqrt(rows) < 1e-7 || value === low || value === 1) {
      const weight = sum(weights) / sum(cells);
      const more = (x, by) => Object.fromEntries(names.map((each) => [each, x[each] + by]));
      [center, spread] = moment(measure, more(cells, weight / 2), more(weights, (weight * weight) / 2));
    }
    if (!Number.isFinite(center + spread) || spread * Math.sqrt(rows) < 1e-7) return [];
    const p = (center - low) / (1 - low), half = (z * spread) / (1 - low) / (p * (1 - p)), middle = Math.log(p / (1 - p));
    const ends = p > 0 && p < 1
      ? [-half, half].map((d) => low + (1 - low) / (1 + Math.exp(-middle - d)))
      : [Math.max(low, center - z * spread), Math.min(1, center + z * spread)];
    return [Math.min(ends[0], value), Math.max(ends[1], value)];
  };
  const OF_MARGINS = ["cohen_kappa", "matthews_correlation"];
  const OF_ONE_CLASS = ["true_positive_rate", "true_negative_rate", "false_positive_rate"];
  // Low and high at a prevalence, null for that of the rows; nothing where there is no interval.
  return (name, cells, squares, prior = null) => {
    if (name === "balanced_accuracy") return newcombe(cells, squares);
    if (name === "f1" && prior === null) return jaccard(cells, squares);
    const isClosed = prior === null || OF_ONE_CLASS.includes(name);
    if (isClosed && Array.isArray(measured[name](cells))) return share(measured[name], cells, squares).slice(1);
    return delta(name, cells, squares, prior);
  };
};
