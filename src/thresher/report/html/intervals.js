"use strict";
// Limits of the measures of four cells, as thresher/inference/measured.py finds them. `measured` gives what a measure
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
    return [Math.min(f(low), f(j)), Math.max(f(high), f(j))];
  };
  // Delta method on the logit scale of [−1, 1]; the slopes are central differences.
  const moment = (measure, cells, squares) => {
    const value = measure(cells);
    const variance = names.filter((name) => cells[name] > 0).reduce((total, name) => {
      const step = 1e-5 * cells[name];
      const [up, down] = [step, -step].map((d) => measure({ ...cells, [name]: cells[name] + d }));
      return total + ((up - down) / (2 * step)) ** 2 * squares[name];
    }, 0);
    return [value, Math.sqrt(variance)];
  };
  const delta = (measure, cells, squares) => {
    const weights = squares || cells, rows = sum(cells) ** 2 / sum(weights);
    const [value, error] = moment(measure, cells, weights);
    let [center, spread] = [value, error];
    if (!Number.isFinite(error) || error * Math.sqrt(rows) < 1e-7 || Math.abs(value) === 1) {
      const weight = sum(weights) / sum(cells);
      const more = (x, by) => Object.fromEntries(names.map((name) => [name, x[name] + by]));
      [center, spread] = moment(measure, more(cells, weight / 2), more(weights, (weight * weight) / 2));
    }
    if (!Number.isFinite(center + spread) || spread * Math.sqrt(rows) < 1e-7) return [];
    const p = (1 + center) / 2, half = (z * spread) / 2 / (p * (1 - p)), middle = Math.log(p / (1 - p));
    const [low, high] = [-half, half].map((d) => 2 / (1 + Math.exp(-middle - d)) - 1);
    return [Math.min(low, value), Math.max(high, value)];
  };
  // Low and high; nothing where there is no interval.
  return (name, cells, squares) => {
    if (name === "balanced_accuracy") return newcombe(cells, squares);
    if (name === "f1") return jaccard(cells, squares);
    if (Array.isArray(measured[name](cells))) return share(measured[name], cells, squares).slice(1);
    return delta(measured[name], cells, squares);
  };
};
