import assert from 'node:assert/strict';
import test from 'node:test';

import {Busy, SLOW_MS} from '../page/busy.js';

function made(t) {
  t.mock.timers.enable({apis: ['setTimeout']});
  const classes = new Set(), attributes = {}, line = {textContent: ''};
  const busy = new Busy({
    region: {setAttribute: (name, value) => { attributes[name] = value; }}, line,
    body: {classList: {add: (c) => classes.add(c), remove: (c) => classes.delete(c), contains: (c) => classes.has(c)}},
  });
  const seen = () => [attributes['aria-busy'], classes.has('slow'), line.textContent];
  return {busy, line, seen, after: (ms) => t.mock.timers.tick(ms)};
}

test('a run is seen to be slow after half a second, until its numbers are there', (t) => {
  const {busy, seen, after} = made(t);
  busy.set(true);
  after(SLOW_MS - 1);
  assert.deepEqual(seen(), ['true', false, '']);
  after(1);
  assert.deepEqual(seen(), ['true', true, 'Running …']);
  busy.set(false);
  assert.deepEqual(seen(), ['false', false, '']);
  after(SLOW_MS);
  assert.deepEqual(seen(), ['false', false, '']);
});

test('further wishes do not put it off; results do', (t) => {
  const {busy, seen, after} = made(t);
  busy.set(true);
  after(300);
  busy.set(true); // a slider moves on
  after(200);
  assert.deepEqual(seen(), ['true', true, 'Running …']);
  busy.set(false); // a result, with the next run under way
  busy.set(true);
  assert.deepEqual(seen(), ['true', false, '']);
  after(SLOW_MS - 1);
  assert.deepEqual(seen(), ['true', false, '']);
});

test('what the status line says of something else stays', (t) => {
  const {busy, line, seen} = made(t);
  busy.set(true);
  line.textContent = 'Running more replications …';
  busy.set(false);
  assert.deepEqual(seen(), ['false', false, 'Running more replications …']);
});
