import test from 'node:test';
import assert from 'node:assert/strict';
import {binned, binsOf, perBin} from '../page/bins.js';
import {figure, roundUp} from '../page/plot.js';
import {placesLayout, placesText, vesselText} from '../page/vessel.js';
import {made} from './made.js';

const replay = made({
  end: 5,
  calls: [{ended: 1}, {ended: 3}, {ended: 5}, {ended: 4, outcome: 1}],
  attempts: [
    {sent: 0, ended: 1, class: 'throttled'}, {sent: 0.5, ended: 1}, {sent: 2, ended: 3}, {sent: 4, ended: 5},
  ],
});

test('attempts and refusals are counts of a bin, and answers are counted up to its start', () => {
  const columns = binned(replay, {width: 2, bins: 3});
  assert.deepEqual(columns.attempts, [2, 1, 1, 0]);
  assert.deepEqual(columns.refused, [1, 0, 0, 0]);
  assert.deepEqual(columns.answered, [0, 1, 2, 3]);
});

test('a shorter run goes on without attempts and with its answers', () => {
  const {attempts, refused, answered} = binned(replay, {width: 2, bins: 5});
  assert.deepEqual(attempts, [2, 1, 1, 0, 0, 0]);
  assert.deepEqual(refused, [1, 0, 0, 0, 0, 0]);
  assert.deepEqual(answered, [0, 1, 2, 3, 3, 3]);
});

test('a wave of 300 clients is 300 in bins of half a second', () => {
  const wave = made({end: 100, calls: [{}], attempts: Array.from({length: 300}, () => ({sent: 0.2, ended: 1}))});
  const layout = binsOf(100);
  assert.equal(layout.width, 0.5); // 100 s / 320 bins is 0.31 s
  assert.equal(binned(wave, layout).attempts[0], 300);
  assert.equal(perBin(layout.width), 'attempts per 0.5 s');
});

test('bins reach beyond the end, so that what ends with the run is in one', () => {
  assert.deepEqual(binsOf(4), {width: 0.02, bins: 201});
  assert.deepEqual(binsOf(0), {width: 1, bins: 1});
});

test('bins are 1, 2 or 5 times a power of ten', () => {
  const want = [[0.3, 0.5], [1, 1], [1.1, 2], [4, 5], [5.01, 10], [157 / 320, 0.5], [0.002, 0.002], [0, 1]];
  for (const [v, step] of want) assert.ok(Math.abs(roundUp(v) - step) < 1e-12, `${v}: ${roundUp(v)}`);
});

test('figures are short', () => {
  const want = [[0, '0'], [0.25, '0.25'], [1500, '1.5K'], [15000, '15K'], [null, '']];
  for (const [v, text] of want) assert.equal(figure(v), text);
});

test('a vessel says what is left, in its unit', () => {
  const tokens = {name: 'tokens 200k/min', amount: 200000, unit: 'tokens'};
  assert.deepEqual(vesselText({...tokens, level: 0.9375}), ['tokens 200k/min', '188K left', 'of 200K']);
  assert.deepEqual(vesselText({...tokens, level: -0.01}), ['tokens 200k/min', 'overdrawn', 'of 200K']);
  assert.deepEqual(vesselText({name: '$5', amount: 5e9, unit: 'dollars', level: 0.5}), ['$5', '$2.5 left', 'of $5']);
});

test('places say what is taken, abandoned and queued', () => {
  assert.equal(placesText({all: 8, taken: 6, left: 0, queued: 0}), '6 of 8 taken');
  assert.equal(placesText({all: 8, taken: 8, left: 3, queued: 12}), '8 of 8 taken, 3 abandoned, 12 queued');
});

test('boxes stand in one row where it is wide, in several where it is narrow, and become a bar when too many', () => {
  const shape = (all, width) => {
    const {bar, columns, rows} = placesLayout(all, width);
    return [bar, columns, rows];
  };
  assert.deepEqual(shape(8, 400), [false, 8, 1]);
  assert.deepEqual(shape(57, 400), [false, 57, 1]);
  assert.deepEqual(shape(58, 400), [true, 1, 1]);
  assert.deepEqual(shape(24, 128), [false, 7, 4]);
  assert.deepEqual(shape(28, 128), [false, 7, 4]);
  assert.deepEqual(shape(29, 128), [true, 1, 1]);
  for (let all = 1; all < 200; all++) {
    for (const width of [128, 257, 402, 900]) {
      const {columns, pitch} = placesLayout(all, width);
      assert.ok(columns * pitch <= width + 1e-9, `${all} in ${width}`);
    }
  }
});
