"use strict";
// Limits of a proportion p of n trials by the methods of thresher/inference/proportions/intervals.py; none by a user's own.
globalThis.thresherRates = (method, z, tail) => {
  const wilson = (p, n) => {
    const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
    const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
    return [middle - half, middle + half];
  };
  const agrestiCoull = (p, n) => {
    const center = (p * n + (z * z) / 2) / (n + z * z), half = z * Math.sqrt((center * (1 - center)) / (n + z * z));
    return [center - half, center + half];
  };
  // Stirling's series, from 10 on exact to rounding.
  const logGamma = (x) => {
    if (x < 10) return logGamma(x + 1) - Math.log(x);
    const series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / x ** 2) / x ** 2) / x ** 2) / x ** 2;
    return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series / x;
  };
  // The continued fraction of the incomplete beta function by Lentz's method; it converges fast up to about the mean.
  const lowerTail = (a, b, x) => {
    const scale = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
    const off0 = (v) => (Math.abs(v) < 1e-300 ? 1e-300 : v);
    let c = 1, d = 1 / off0(1 - ((a + b) * x) / (a + 1)), value = d;
    for (let m = 1, step = 0; m < 1e5 && Math.abs(step - 1) > 1e-15; m++) {
      step = 1;
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      for (const term of [even, (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))]) {
        d = 1 / off0(1 + term * d);
        c = off0(1 + term / c);
        step *= c * d;
      }
      value *= step;
    }
    return (Math.exp(scale) / a) * value;
  };
  const quantile = (a, b) => {
    const below = (x) => (x > (a + 1) / (a + b + 2) ? 1 - lowerTail(b, a, 1 - x) : lowerTail(a, b, x)) < tail;
    let low = 0, high = 1;
    for (let i = 0; i < 60; i++) {
      const x = (low + high) / 2;
      if (below(x)) low = x;
      else high = x;
    }
    return (low + high) / 2;
  };
  // The upper limit is 1 less the lower one of the failures.
  const beta = (more) => (p, n) => [
    p === 0 ? 0 : quantile(p * n + more, (1 - p) * n + 1 - more),
    p === 1 ? 1 : 1 - quantile((1 - p) * n + more, p * n + 1 - more),
  ];
  const within = (limits) => (p, n) => {
    const [low, high] = limits(p, n);
    return [p === 0 ? 0 : Math.max(0, low), p === 1 ? 1 : Math.min(1, high)];
  };
  const known = { wilson, "agresti-coull": agrestiCoull, jeffreys: beta(0.5), "clopper-pearson": beta(0) };
  return { wilson: within(wilson), chosen: known[method] ? within(known[method]) : () => [] };
};
