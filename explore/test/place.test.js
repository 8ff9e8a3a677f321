import assert from 'node:assert/strict';
import test from 'node:test';

import {Place} from '../page/place.js';
import {State, defaults} from '../page/state.js';

const herd = '#v=1&s=herd', gate = '#v=1&s=gate';

// opened is the place of a page that has read an address. The browser tells of another one by told(), later.
async function opened(hash) {
  let told = null;
  globalThis.location = {hash};
  globalThis.history = {replaceState: (_, __, h) => { location.hash = h; }};
  globalThis.window = {addEventListener: (_, f) => { told = f; }};
  const state = new State();
  const place = new Place(state, () => {});
  place.follow(['herd', 'gate']);
  await place.read();
  return {state, place, told};
}

test('a change is written to the address', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const {state, place} = await opened(herd);
  state.setSeed(7);
  place.write();
  t.mock.timers.runAll();
  await new Promise((done) => setImmediate(done));
  assert.match(location.hash, /s=herd.*7/);
});

test('a change that is not yet written leaves the scene that the reader goes to', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const {state, place, told} = await opened(herd);
  state.setSeed(7);
  place.write();
  location.hash = gate; // the browser tells of it in a later task
  t.mock.timers.runAll();
  await new Promise((done) => setImmediate(done));
  assert.equal(location.hash, gate);
  await told();
  assert.deepEqual(state.plain(), defaults('gate'));
});
