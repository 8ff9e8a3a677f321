import test from 'node:test';
import assert from 'node:assert/strict';
import {Dots, fit, HOLD_MS} from '../page/dots.js';
import {random} from './made.js';

// A stage is dots on a canvas that keeps only pixels. A sprite of state s is filled with the number s.
function stage(n, box = {x: 0, y: 0, w: 100, h: 100}) {
  let drawn = 0;
  const context = {
    createImageData: (width, height) => ({width, height, data: new Uint8ClampedArray(4 * width * height)}),
    putImageData: () => { drawn++; },
  };
  globalThis.document = {
    createElement: () => {
      const canvas = {};
      canvas.getContext = () => ({
        fillRect() {}, beginPath() {}, arc() {}, moveTo() {}, lineTo() {}, closePath() {}, fill() {}, stroke() {},
        getImageData(_, __, width, height) {
          const pixels = new Uint32Array(width * height);
          const side = width * width;
          pixels.forEach((_, i) => { pixels[i] = Math.floor(i / side); });
          return {data: new Uint8ClampedArray(pixels.buffer)};
        },
      });
      return canvas;
    },
  };
  const dots = new Dots(context);
  dots.place(box, n, {paper: '#fff', states: Array(7).fill('#000')}, 1);
  const {columns, cell} = dots.grid;
  const look = (i) => {
    const x = (i % columns) * cell, y = Math.floor(i / columns) * cell;
    const pixels = new Uint32Array(dots.image.data.buffer);
    return [pixels[y * columns * cell + x], pixels[(y + cell - 1) * columns * cell + x + cell - 1]];
  };
  return {dots, look, puts: () => drawn};
}

test('the grid has the largest cell that fits', () => {
  const want = [
    [100, 100, 1, 26, {cell: 26, columns: 1, rows: 1}],
    [100, 100, 100, 26, {cell: 10, columns: 10, rows: 10}],
    [100, 100, 101, 26, {cell: 9, columns: 11, rows: 10}],
    [400, 200, 5000, 26, {cell: 4, columns: 100, rows: 50}],
    [10, 10, 5000, 26, {cell: 1, columns: 10, rows: 500}],
  ];
  for (const [w, h, n, largest, grid] of want) assert.deepEqual(fit(w, h, n, largest), grid);
  for (let n = 1; n <= 5000; n += 7) {
    const {cell, columns, rows} = fit(640, 480, n, 30);
    assert.ok(columns * rows >= n && columns * cell <= 640 && rows * cell <= 480, `${n} dots`);
  }
});

test('each dot shows its state in its cell, and rest draws nothing', () => {
  const {dots, look, puts} = stage(30);
  const states = Uint8Array.from({length: 30}, (_, i) => i % 7);
  assert.equal(dots.draw(states, 0), Infinity);
  states.forEach((state, i) => assert.deepEqual(look(i), [state, state], `dot ${i}`));
  assert.equal(puts(), 1);
  dots.draw(states, 1000);
  assert.equal(puts(), 1);
});

test('a look is held, and the return value says until when', () => {
  const {dots, look} = stage(2);
  dots.draw([1, 1], 1000);
  assert.equal(dots.draw([2, 1], 1000 + HOLD_MS - 1), 1000 + HOLD_MS);
  assert.deepEqual(look(0), [1, 1]);
  assert.equal(dots.draw([2, 1], 1000 + HOLD_MS), Infinity);
  assert.deepEqual(look(0), [2, 2]);
});

test('no dot changes more than five times in a second, however fast its state does', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const next = random(seed);
    const {dots, look} = stage(5);
    const changes = Array.from({length: 5}, () => []);
    const before = Array(5).fill(-1);
    let states = [];
    for (let now = 0; now < 6000; now += 4 + 20 * next()) {
      states = Array.from({length: 5}, () => Math.floor(next() * 6));
      dots.draw(states, now);
      for (let i = 0; i < 5; i++) {
        if (look(i)[0] !== before[i]) changes[i].push(now);
        before[i] = look(i)[0];
      }
    }
    for (const times of changes) {
      assert.ok(times.length > 20, 'it does change');
      for (let k = 5; k < times.length; k++) {
        assert.ok(times[k] - times[k - 5] > 1000, `seed ${seed}: six changes in ${times[k] - times[k - 5]} ms`);
      }
    }
    dots.draw(states, 7000);
    states.forEach((state, i) => assert.equal(look(i)[0], state, 'the last state is shown in the end'));
  }
});
