import assert from 'node:assert/strict';
import test from 'node:test';

import {Engine, Stopped, Superseded, get} from '../page/engine.js';

// Fake is a worker that keeps what it is sent; the test answers for it.
class Fake {
  static all = [];
  sent = [];
  constructor() { Fake.all.push(this); }
  postMessage(data) { this.sent.push(data); }
  terminate() { this.gone = true; }
  say(data) { this.onmessage({data}); }
  get asked() { return this.sent.filter(({op}) => op); }
}

function engine() {
  Fake.all = [];
  globalThis.Worker = Fake;
  return new Engine();
}

test('calls wait in line, and the newest of a key takes the place of those that wait', async () => {
  const e = engine();
  e.start(1);
  const [worker] = Fake.all;
  const first = e.call(0, 'run', 1, 'k'), second = e.call(0, 'run', 2, 'k'), third = e.call(0, 'run', 3, 'k');
  await assert.rejects(second, Superseded);
  assert.deepEqual(worker.asked.map(({args}) => args), [1], 'one under way');
  worker.say({id: 1, ok: true, result: 'a', buffers: {}});
  assert.equal((await first).result, 'a');
  assert.deepEqual(worker.asked.map(({args}) => args), [1, 3]);
  worker.say({id: 3, ok: false, result: {text: 'no'}});
  await assert.rejects(third, {text: 'no', mistakes: []});
});

test('a worker that stops while it answers is started again, and the next call is made', async () => {
  const e = engine();
  e.start(1).catch(() => {}); // the calls say it
  const [old] = Fake.all;
  const first = e.call(0, 'run', 1), second = e.call(0, 'run', 2);
  old.say({dead: 'panic: x'});
  await assert.rejects(first, (error) => error instanceof Stopped && error.message === 'panic: x');
  old.say({dead: 'the engine stopped'}); // of the same end: the call of the new worker goes on
  assert.equal(Fake.all.length, 2);
  Fake.all[1].say({id: 2, ok: true, result: 'b', buffers: {}});
  assert.equal((await second).result, 'b');
});

test('a worker that could not start is started again by the next call', async () => {
  const e = engine();
  const started = e.start(1);
  Fake.all[0].say({dead: 'out of memory'});
  await assert.rejects(started, Stopped);
  const answer = e.call(0, 'run', 1);
  assert.equal(Fake.all.length, 2, 'else the call would wait for ever');
  assert.ok(Fake.all[0].gone);
  Fake.all[1].say({id: 1, ok: true, result: 'a', buffers: {}});
  assert.equal((await answer).result, 'a');
});

test('a call aside has a worker of its own, which the number of policies does not stop', async () => {
  const e = engine();
  e.start(2);
  const answer = e.aside('animate', {});
  assert.equal(Fake.all.length, 3);
  e.start(1);
  const own = Fake.all[2];
  assert.ok(Fake.all[1].gone && !own.gone);
  own.say({id: 1, ok: true, result: {}, buffers: {gif: 'bytes'}});
  assert.equal((await answer).buffers.gif, 'bytes');
  assert.ok(own.gone, 'its memory is given back');
});

test('a file that the server does not have is an error, not a text', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => ({ok: false, status: 404}));
  await assert.rejects(get(new URL('https://example.com/a/schema.json')), {
    message: 'schema.json: the server answered 404',
  });
});
