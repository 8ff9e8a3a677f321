import assert from 'node:assert/strict';
import test from 'node:test';

import {clearDifference, studentQuantile} from '../page/compare.js';

test('the quantile of Student is that of the tables', () => {
  for (const [nu, want] of [[9, 2.2622], [10, 2.2281], [19, 2.0930], [29, 2.0452], [99, 1.9842]]) {
    assert.ok(Math.abs(studentQuantile(nu) - want) < 2e-4, `${nu}: ${studentQuantile(nu)}`);
  }
});

test('a difference is clear when zero is outside its interval', () => {
  const a = [10, 12, 9, 11, 10, 13, 8, 12, 11, 10];
  // Pairs differ by 1 or 2: mean 1.5, standard error 0.527 / sqrt(10) = 0.167, half-width 0.377.
  const clear = clearDifference(a, a.map((x, i) => x + 1 + i % 2));
  assert.equal(clear.mean, 1.5);
  assert.equal(clear.n, 10);
  assert.ok(Math.abs(clear.base - 10.6) < 1e-12);
  // Pairs differ by -1 or 1: mean 0.
  assert.equal(clearDifference(a, a.map((x, i) => x + (i % 2 ? 1 : -1))), null);
});

test('equal numbers have no difference, and few replications show none', () => {
  const a = Array.from({length: 12}, () => 5);
  assert.equal(clearDifference(a, a), null);
  assert.equal(clearDifference(a, a.map((x) => x + 1)).mean, 1, 'each pair the same');
  assert.equal(clearDifference([1, 2, 3], [11, 12, 13]), null);
});

test('rounding is no difference', () => {
  const a = Array.from({length: 12}, () => 0.24), b = a.map((x) => x * (1 - Number.EPSILON));
  assert.notEqual(a[0], b[0]);
  assert.equal(clearDifference(a, b), null);
});

test('a replication that only one of them has does not count', () => {
  const a = Array.from({length: 11}, () => 5), b = a.map(() => 6);
  b[3] = undefined;
  assert.equal(clearDifference(a, b).n, 10);
});
