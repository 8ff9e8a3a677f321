import test from 'node:test';
import assert from 'node:assert/strict';
import {STATES} from '../page/replay.js';
import {CLASSES, made, random} from './made.js';

const word = (replay, t, flash = 0.25, call = 0) => STATES[replay.stateOf(call, t, flash)];

test('a call that is refused, waits, and is answered, at each boundary', () => {
  const replay = made({
    calls: [{arrived: 1, ended: 7}],
    attempts: [{sent: 2, ended: 3, class: 'throttled'}, {sent: 5, ended: 7}],
  });
  const want = [
    [0, 'idle'], [0.999, 'idle'], [1, 'waiting'], [1.999, 'waiting'],
    [2, 'provider'], [2.999, 'provider'],
    [3, 'refused'], [3.249, 'refused'], [3.25, 'waiting'], [4.999, 'waiting'],
    [5, 'provider'], [6.999, 'provider'], [7, 'answered'], [1e9, 'answered'],
  ];
  for (const [t, state] of want) assert.equal(word(replay, t), state, `at ${t}`);
});

test('a retry sent within the flash is at the provider, and a flash of no length is none', () => {
  const replay = made({
    calls: [{ended: 4, outcome: 1}],
    attempts: [{sent: 0, ended: 1, class: 'overloaded'}, {sent: 1.1, ended: 2, class: 'throttled'}],
  });
  assert.equal(word(replay, 1.05), 'refused');
  assert.equal(word(replay, 1.1), 'provider');
  assert.equal(word(replay, 1, 0), 'waiting');
  assert.equal(word(replay, 3.999, 5), 'refused', 'a long flash ends with the call');
  assert.equal(word(replay, 4, 5), 'gaveUp');
});

test('a retry sent at the instant of the refusal leaves nothing to show of it', () => {
  const replay = made({
    calls: [{ended: 3}],
    attempts: [{sent: 0, ended: 1, class: 'throttled'}, {sent: 1, ended: 3}],
  });
  assert.equal(word(replay, 1), 'provider');
});

test('other failures are not refusals', () => {
  for (const name of ['server_error', 'timeout']) {
    const replay = made({calls: [{}], attempts: [{sent: 0, ended: 1, class: name}]});
    assert.equal(word(replay, 1), 'waiting', name);
  }
});

test('an attempt without length is a refusal at once', () => {
  const replay = made({calls: [{}], attempts: [{sent: 1, ended: 1, class: 'throttled'}]});
  assert.equal(word(replay, 1), 'refused');
});

test('of two attempts at once the later holds the call at the provider', () => {
  const replay = made({
    calls: [{ended: 4}],
    attempts: [{sent: 0, ended: 1, class: 'throttled'}, {sent: 0.5, ended: 3, class: 'timeout'}],
  });
  assert.equal(word(replay, 1), 'provider');
  assert.equal(word(replay, 3, 0.25), 'waiting');
  assert.equal(word(replay, 3, 2.5), 'refused', 'the refusal at 1 is younger than the flash');
});

test('a call that has ended stays so while an attempt of it goes on', () => {
  const replay = made({calls: [{ended: 2}], attempts: [{sent: 0, ended: 2}, {sent: 1, ended: 5, class: 'timeout'}]});
  assert.equal(word(replay, 2), 'answered');
  assert.equal(word(replay, 5), 'answered');
});

test('before it arrives a call is idle where all arrive together, and else absent', () => {
  assert.equal(word(made({calls: [{arrived: 2}, {arrived: 2}]}), 1), 'idle');
  assert.equal(word(made({calls: [{arrived: 2}, {arrived: 3}]}), 1), 'absent');
});

test('counts are by state', () => {
  const replay = made({
    calls: [{ended: 1}, {ended: 2, outcome: 1}, {}, {arrived: 0}],
    attempts: [{call: 2, sent: 2, ended: 5}, {call: 3, sent: 1, ended: 2, class: 'throttled'}],
  });
  assert.deepEqual(replay.countsAt(2, 0.25),
    {idle: 0, waiting: 0, provider: 1, refused: 1, answered: 1, gaveUp: 1, absent: 0});
});

// bySteps is the definition of a state, written from the records.
function byDefinition({calls, attempts}, c, t, flash) {
  const call = calls[c];
  if (t < call.arrived) return 'absent';
  if (call.ended >= 0 && t >= call.ended) return call.outcome === 0 ? 'answered' : 'gaveUp';
  const own = attempts.filter((a) => a.call === c);
  if (own.some((a) => a.sent <= t && t < a.ended)) return 'provider';
  const refused = (a) => a.class === 'throttled' || a.class === 'overloaded';
  return own.some((a) => refused(a) && a.ended <= t && t < a.ended + flash) ? 'refused' : 'waiting';
}

// A trace of some calls on a coarse grid of times, so that instants coincide often; attempts may overlap.
function trace(next) {
  const whole = (n) => Math.floor(next() * n);
  const calls = [], attempts = [];
  for (let c = 0; c < 1 + whole(8); c++) {
    const arrived = c === 0 ? 0 : whole(8) / 2;
    let latest = arrived;
    for (let i = whole(6), sent = arrived; i > 0; i--) {
      sent += whole(4) / 2;
      const ended = sent + whole(5) / 2;
      latest = Math.max(latest, ended);
      attempts.push({call: c, sent, ended, class: CLASSES[whole(CLASSES.length)]});
    }
    calls.push({arrived, ended: whole(4) === 0 ? -1 : latest - whole(2) / 2, outcome: whole(2)});
    if (calls[c].ended < arrived) calls[c].ended = -1;
  }
  calls.push({arrived: 7.5, ended: -1, outcome: 0}); // so that not all arrive together
  calls.sort((a, b) => a.arrived - b.arrived);
  attempts.forEach((a) => { a.call = Math.min(a.call, calls.length - 1); });
  attempts.sort((a, b) => a.sent - b.sent);
  return {calls, attempts};
}

test('playing, seeking and the definition agree on random traces', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const records = trace(next);
    const replay = made({...records, end: 20});
    const out = new Uint8Array(replay.n);
    let t = 0, flash = 0.5;
    for (let k = 0; k < 60; k++) {
      const r = next();
      t = r < 0.7 ? t + Math.floor(next() * 5) / 4 : r < 0.9 ? Math.floor(next() * 80) / 4 : t;
      if (r > 0.97) flash = Math.floor(next() * 4) / 4;
      replay.states(t, out, flash);
      for (let c = 0; c < replay.n; c++) {
        const want = byDefinition(records, c, t, flash);
        assert.equal(STATES[out[c]], want, `states: seed ${seed}, call ${c} at ${t}, flash ${flash}`);
        assert.equal(word(replay, t, flash, c), want, `stateOf: seed ${seed}, call ${c} at ${t}, flash ${flash}`);
      }
    }
  }
});

test('series count each event in the bin that begins at or before it', () => {
  const replay = made({
    end: 4,
    calls: [{ended: 2}, {ended: 4}, {ended: 3, outcome: 1}],
    attempts: [
      {sent: 0, ended: 1.999, class: 'throttled'}, {sent: 1, ended: 2}, {sent: 1.999, ended: 2, class: 'overloaded'},
      {sent: 2, ended: 4}, {sent: 4, ended: 4, class: 'timeout'},
    ],
  });
  const {time, attempts, refused, answered} = replay.series(2);
  assert.deepEqual([...time], [0, 2, 4]);
  assert.deepEqual([...attempts], [3, 1, 1]);
  assert.deepEqual([...refused], [1, 1, 0]);
  assert.deepEqual([...answered], [0, 1, 1]);
});

test('dollars are booked when a call ends, or at the end of the run', () => {
  const replay = made({
    end: 9,
    calls: [{ended: 5, useful: 1, wasted: 0.5}, {ended: 2, outcome: 1, wasted: 0.25}, {ended: -1, wasted: 8}],
  });
  assert.deepEqual(replay.dollarsAt(1.999), {useful: 0, wasted: 0});
  assert.deepEqual(replay.dollarsAt(2), {useful: 0, wasted: 0.25});
  assert.deepEqual(replay.dollarsAt(5), {useful: 1, wasted: 0.75});
  assert.deepEqual(replay.dollarsAt(9), {useful: 1, wasted: 8.75});
});

test('a level falls at a request and rises on a line towards the next', () => {
  const limits = [{name: 'requests', amount: 10, unit: 'requests'}, {name: 'tokens', amount: 1, unit: 'tokens'}];
  const replay = made({
    limits,
    calls: [{}],
    attempts: [{sent: 1, ended: 1, class: 'throttled', limit: 1}],
    levels: [[1, 0, 0.4], [1, 1, 0.5], [1, 0, 0], [3, 0, 0.8], [3, 1, -0.25], [5, 0, 0.6]],
  });
  const want = [[0.5, 1], [1, 0], [2, 0.4], [3, 0.8], [4, 0.8], [5, 0.6], [99, 0.6]];
  for (const [t, level] of want) assert.ok(Math.abs(replay.levelAt(0, t) - level) < 1e-12, `at ${t}`);
  assert.equal(replay.levelAt(1, 2), 0.5);
  assert.equal(replay.levelAt(1, 3), -0.25);
  assert.deepEqual(replay.shownLimits(), [1, 0], 'the one that refuses comes first');
  assert.deepEqual(replay.shownLimits(1), [1]);
});

test('a bucket refills at its rate until it is full, also after the last request', () => {
  const replay = made({
    end: 99,
    limits: [{name: 'requests 2/s', amount: 8, unit: 'requests', rate: 2}],
    levels: [[1, 0, 0.5], [1, 0, 0], [9, 0, 0.875]],
  });
  const want = [[0.5, 1], [1, 0], [2, 0.25], [3, 0.5], [5, 1], [8.99, 1], [9, 0.875], [9.25, 0.9375], [20, 1]];
  for (const [t, level] of want) assert.ok(Math.abs(replay.levelAt(0, t) - level) < 1e-12, `at ${t}`);
});

test('a fixed window is full again from its next beginning', () => {
  const replay = made({
    end: 99,
    limits: [{name: '10 a minute', amount: 10, unit: 'requests', window: 60, offset: 45}], // begins at 15, 75, ...
    levels: [[1, 0, 0.5], [16, 0, 0.25]],
  });
  const want = [[14.9, 0.5], [15, 1], [16, 0.25], [74.9, 0.25], [75, 1], [99, 1]];
  for (const [t, level] of want) assert.equal(replay.levelAt(0, t), level, `at ${t}`);
});

test('of limits that refuse nothing and stay above half only the lowest is shown, and only alone', () => {
  const limits = [{name: 'a'}, {name: 'b'}, {name: 'c'}];
  const calm = made({limits, levels: [[1, 0, 0.9], [1, 1, 0.6], [1, 2, 0.7]]});
  assert.deepEqual(calm.shownLimits(), [1]);
  const busy = made({limits, levels: [[1, 0, 0.9], [1, 1, 0.6], [1, 2, 0.5]]});
  assert.deepEqual(busy.shownLimits(), [2]);
  const refusing = made({
    limits, calls: [{}], attempts: [{sent: 1, ended: 1, class: 'throttled', limit: 0}],
    levels: [[1, 0, 0.9], [1, 1, 0.6], [1, 2, 0.5]],
  });
  assert.deepEqual(refusing.shownLimits(), [0, 2]);
});

test('a limit without a sample is not shown', () => {
  const replay = made({limits: [{name: 'a'}, {name: 'b'}], levels: [[1, 1, 0.5]]});
  assert.deepEqual(replay.shownLimits(), [1]);
});

test('slots hold what has reached the provider and was not refused', () => {
  const replay = made({
    calls: [{}],
    attempts: [
      {sent: 0, received: 1, ended: 4}, {sent: 0, received: 2, ended: 3},
      {sent: 0, received: 2, ended: 5, class: 'throttled'}, {sent: 0, received: -1, ended: 5, class: 'timeout'},
    ],
  });
  const want = [[0.999, 0], [1, 1], [2, 2], [3, 1], [3.999, 1], [4, 0]];
  for (const [t, taken] of want) assert.equal(replay.slotsAt(t), taken, `at ${t}`);
});

test('places whose client has left are what the samples have beyond the attempts', () => {
  const replay = made({
    end: 20,
    limits: [{name: '4 at once', amount: 4, unit: 'concurrency'}],
    calls: [{}],
    attempts: [{sent: 1, ended: 3, class: 'timeout'}, {sent: 2, ended: 9}, {sent: 5, ended: 6}],
    levels: [[1, 0, 0.75], [2, 0, 0.5], [5, 0, 0.25], [8, 0, 0.75]], // of the first, the place is free at 7
  });
  const want = [[0, 0, 0], [1, 1, 0], [2, 2, 0], [4, 1, 0], [5, 3, 1], [6, 2, 1], [8, 1, 0], [9, 0, 0]];
  for (const [t, taken, left] of want) assert.deepEqual(replay.heldAt(0, t), {taken, left}, `at ${t}`);
});

test('an empty replay answers everything', () => {
  const replay = made({end: 0});
  assert.equal(replay.n, 0);
  assert.deepEqual(replay.dollarsAt(1), {useful: 0, wasted: 0});
  assert.deepEqual([...replay.series(1).attempts], [0]);
  assert.deepEqual(replay.shownLimits(), []);
});
