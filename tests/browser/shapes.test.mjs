// The explorer's pure functions, by node --test; SHAPES names their file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInThisContext } from "node:vm";

runInThisContext(readFileSync(process.env.SHAPES, "utf8"));
const s = globalThis.thresherShapes;
const MODEL = { thresholds: ["inf", 0.9, 0.5, 0.1], tp: [0, 1, 2, 2], fp: [0, 0, 1, 3] };

test("scales go there and back", () => {
  for (let place = 0; place <= 1000; place += 25) {
    if (place && place < 1000) assert.ok(Math.abs(s.placeOfShare(s.shareAt(place)) - place) <= 6);
    assert.ok(Math.abs(s.placeOfRatio(s.ratioAt(place)) - place) <= 1);
  }
  assert.deepEqual([s.placeOfShare(0), s.placeOfShare(1), s.placeOfRatio(0), s.placeOfRatio(Infinity)], [0, 1000, 0, 1000]);
  assert.deepEqual([s.shareAt(500), s.ratioAt(500), s.ratioAt(1000)], [0.5, 1, 10000]);
});
test("whole numbers add up", () => {
  assert.deepEqual(s.whole([1, 1, 1], 1000), [334, 333, 333]);
  assert.deepEqual(s.whole([0.0004, 0.0001, 0.5, 0.4995], 1000), [0, 0, 500, 500]);
});
test("a typed threshold is at the last one that reaches it", () => {
  const falling = [Infinity, 0.9, 0.5, 0.1], rising = [-Infinity, 1, 2, 3];
  assert.deepEqual([2, 0.9, 0.868, 0.5, 0.05, Infinity].map((t) => s.reached(falling, t)), [0, 1, 1, 2, 3, 0]);
  assert.deepEqual([0.7, 0.69].map((t) => s.reached([Infinity, 0.9, 0.7].map(Math.fround), t)), [2, 2]);
  assert.deepEqual([0, 1, 2.5, 9, -Infinity].map((t) => s.reached(rising, t)), [0, 1, 2, 3, 0]);
});
test("the nearest is the first of those that tie", () => assert.equal(s.nearest([0, 1, 1, 3], 2), 1));
test("counts are the sums of their steps", () => {
  assert.deepEqual(s.summed({ steps: [0, 2, 0, 5] }), [0, 2, 2, 7]);
  assert.deepEqual(s.summed([0.5, 0.25]), [0.5, 0.25]);
});
test("limits are the sums of their steps, with as many decimals as asked for", () => {
  assert.deepEqual(s.shown([9123, 7, "1.0e-5", -9200, null], 4), ["0.9123", "0.9130", "1.0e-5", "-0.0070", null]);
  assert.deepEqual(s.shown([912, 1], 3), ["0.912", "0.913"]);
});
test("cells of a table are sorted as numbers, or else as words", () => {
  const cells = ["−0.5", "p < 0.0001", "1,234", "<0.01 %", "∞", ">0.9999", "−∞", "5.1e-7", "R2 3"];
  assert.deepEqual(cells.map(s.numeral), [-0.5, 0.0001, 1234, 0.01, Infinity, 0.9999, -Infinity, 5.1e-7, NaN]);
  const texts = ["0.2", "undefined", "−1", "", "1,000", "0.2"];
  assert.deepEqual(s.order(texts, false), [2, 0, 5, 4, 1, 3]);
  assert.deepEqual(s.order(texts, true), [4, 0, 5, 2, 1, 3]);
  assert.deepEqual(s.order(["g10", "g2", "—"], false), [1, 0, 2]);
});
test("a histogram holds every row once", () => {
  const found = s.histogram(MODEL, 10);
  const sum = (x) => x.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum(found.tp) - 1) < 1e-12 && Math.abs(sum(found.fp) - 1) < 1e-12);
  assert.deepEqual([found.tp[9], found.tp[5], found.fp[1]], [0.5, 0.5, 2 / 3]);
});
test("gain and lift", () => {
  assert.deepEqual(s.gain(MODEL), [[0, 0], [0.2, 0.5], [0.6, 1], [1, 1]]);
  assert.deepEqual(s.lift(MODEL), [[0.2, 2.5], [0.6, 1 / 0.6], [1, 1]]);
});
test("a line is cut at a height", () => {
  assert.deepEqual(s.below([0, 0], [1, 2], 1), [[0, 0], [0.5, 1]]);
  assert.deepEqual(s.below([0, 2], [1, 3], 1), []);
});
test("state goes there and back", () => {
  const state = { m: "1", t: "0.5", by: "cost" };
  assert.deepEqual({ ...s.read(s.write(state)) }, state);
  assert.equal(s.read("#about-notes"), null);
});
test("words are quoted for a shell", () => {
  assert.deepEqual(["a.csv", "it's", "<b>"].map(s.quoted), ["a.csv", "'it'\\''s'", "'<b>'"]);
});
test("the table as a file", () => {
  const rows = s.csv(MODEL).trim().split("\n");
  assert.deepEqual(rows.slice(1), ["inf,0,0,2,3,0,0,", "0.9,1,0,1,3,0.5,0,1", "0.5,2,1,0,2,1,0.3333333333333333,0.6666666666666666", "0.1,2,3,0,0,1,1,0.4"]);
});
