import assert from 'node:assert/strict';
import test from 'node:test';

import {Superseded} from '../page/engine.js';
import {REST_MS, Runner} from '../page/runner.js';

// Slow is an engine whose calls are answered when the test says so.
class Slow {
  calls = [];
  start() { return Promise.resolve(); }
  call(worker, op, args) {
    return new Promise((resolve, reject) => this.calls.push({worker, op, args, resolve, reject}));
  }
  async answer() {
    await settle();
    for (const {worker, args, resolve} of this.calls.splice(0)) {
      resolve({result: {worker, set: args.set, replication: args.replication}});
    }
    await settle();
  }
}

async function settle() {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}

const job = (value) => ({document: 'd', set: [`a=${value}`]});

function record(runner) {
  const events = [];
  for (const type of ['results', 'refused', 'rest', 'estimate', 'filled']) {
    runner.addEventListener(type, ({detail}) => events.push([type, detail]));
  }
  return events;
}

test('one request a worker is in flight, and the newest wish wins', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const engine = new Slow(), runner = new Runner(engine), events = record(runner);
  for (const value of [1, 2, 3, 4]) {
    runner.ask([job(value), job(-value)]);
  }
  await settle();
  assert.deepEqual(engine.calls.map((c) => c.args.set[0]), ['a=1', 'a=-1']);
  await engine.answer();
  assert.deepEqual(engine.calls.map((c) => c.args.set[0]), ['a=4', 'a=-4'], '2 and 3 are never run');
  await engine.answer();
  assert.deepEqual(events.map(([type]) => type), ['results', 'results']);
  assert.deepEqual(events[1][1].results.map((r) => r.result.set[0]), ['a=4', 'a=-4']);
  runner.cancel();
});

test('a policy that has not changed is not run again', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const engine = new Slow(), runner = new Runner(engine);
  runner.ask([job(1), job(2)]);
  await engine.answer();
  runner.ask([job(1), job(3)]);
  await settle();
  assert.deepEqual(engine.calls.map((c) => c.args.set[0]), ['a=3']);
  await engine.answer();
  runner.cancel();
});

test('a job with another name is the same job, and the engine hears of no name', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const engine = new Slow(), runner = new Runner(engine), events = record(runner);
  runner.ask([{...job(1), name: 'one'}]);
  await settle();
  assert.deepEqual(engine.calls[0].args, {...job(1), replication: 0, replay: true});
  await engine.answer();
  runner.ask([{...job(1), name: 'other'}]);
  await settle();
  assert.equal(engine.calls.length, 0);
  const names = events.map(([type, {wish}]) => [type, wish.jobs[0].name]);
  assert.deepEqual(names, [['results', 'one'], ['results', 'other']]);
  runner.cancel();
});

test('at rest the other replications run, one a message, until something changes', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const engine = new Slow(), runner = new Runner(engine), events = record(runner);
  runner.ask([job(1)], 3);
  await engine.answer();
  t.mock.timers.tick(REST_MS - 1);
  await settle();
  assert.equal(engine.calls.length, 0);
  t.mock.timers.tick(1);
  await settle();
  assert.deepEqual(engine.calls.map((c) => c.args.replication), [1]);
  await engine.answer();
  await engine.answer();
  assert.deepEqual(events.map(([type]) => type), ['results', 'rest', 'estimate', 'estimate', 'filled']);

  events.length = 0;
  runner.ask([job(2)], 30);
  await engine.answer();
  t.mock.timers.tick(REST_MS);
  await settle();
  runner.ask([job(3)], 30); // while replication 1 of the last wish runs
  await engine.answer();
  assert.deepEqual(events.map(([type]) => type), ['results', 'rest', 'results'], 'its answer is dropped');
  runner.cancel();
});

test('a policy that is refused is told, and the next wish runs', async () => {
  const engine = new Slow(), runner = new Runner(engine), events = record(runner);
  runner.ask([job(1), job(2)]);
  await settle();
  engine.calls[0].resolve({result: {}});
  engine.calls[1].reject({text: 'no', mistakes: []});
  engine.calls.length = 0;
  await settle();
  assert.deepEqual(events.map(([type, {policy}]) => [type, policy]), [['refused', 1]]);
  runner.ask([job(1)]);
  await engine.answer();
  assert.equal(events.at(-1)[0], 'results');
  runner.cancel();
});

test('an answer of another document, or of another number of policies, is not shown', async () => {
  const engine = new Slow(), runner = new Runner(engine), events = record(runner);
  runner.ask([job(1), job(2)]);
  await settle();
  runner.ask([job(1), job(2), job(3)]);
  await engine.answer();
  assert.deepEqual(events, [], 'two policies');
  await engine.answer();
  assert.deepEqual(events.map(([, {results}]) => results.length), [3]);

  events.length = 0;
  runner.ask([job(4), job(5), job(6)]);
  await settle();
  runner.cancel(); // another scene is read ...
  runner.ask([job(7), job(8), job(9)]); // ... before the last answer is there
  await engine.answer();
  assert.deepEqual(events, [], 'the scene before');
  await engine.answer();
  assert.deepEqual(events[0][1].results.map((r) => r.result.set[0]), ['a=7', 'a=8', 'a=9']);
  runner.cancel();
});

test('a call that another took the place of is no mistake of the reader', async () => {
  const engine = new Slow(), runner = new Runner(engine), events = record(runner);
  runner.ask([job(1)]);
  await settle();
  engine.calls.pop().reject(new Superseded('the policy is gone'));
  await settle();
  assert.deepEqual(events, []);
});
