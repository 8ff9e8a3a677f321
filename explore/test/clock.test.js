import test from 'node:test';
import assert from 'node:assert/strict';
import {Clock} from '../page/clock.js';

// stage is a clock whose time of day and frames a test turns by hand.
function stage({end = 10, speed = 1, reduced = false} = {}) {
  const s = {ms: 0, ticks: [], states: [], frames: []};
  s.clock = new Clock({
    now: () => s.ms,
    frame: (f) => s.frames.push(f),
    cancel: () => { s.frames = []; },
    reduced: () => reduced,
    onTick: (t) => s.ticks.push(t),
    onState: (c) => s.states.push(c.playing),
  });
  s.clock.end = end;
  s.clock.speed = speed;
  s.pass = (ms) => {
    s.ms += ms;
    s.frames.splice(0).forEach((f) => f());
    return s.clock.t;
  };
  return s;
}

test('t follows the time of day and the speed, whatever the frames', () => {
  const s = stage({speed: 2});
  s.clock.play();
  assert.equal(s.pass(16), 0.032);
  assert.equal(s.pass(3000), 6.032, 'after frames that a hidden tab did not get');
});

test('pause keeps t, and play goes on from there', () => {
  const s = stage();
  s.clock.play();
  s.pass(1000);
  s.ms += 500; // no frame in between
  s.clock.pause();
  assert.equal(s.clock.t, 1.5);
  s.pass(5000);
  assert.equal(s.clock.t, 1.5);
  s.clock.play();
  assert.equal(s.pass(250), 1.75);
});

test('it stops at the end, and play begins again', () => {
  const s = stage({end: 2});
  s.clock.play();
  assert.equal(s.pass(5000), 2);
  assert.equal(s.clock.playing, false);
  assert.equal(s.clock.finished, true);
  assert.equal(s.frames.length, 0, 'no frame is asked for');
  s.clock.toggle();
  assert.equal(s.clock.t, 0);
  assert.equal(s.clock.playing, true);
});

test('a change of speed bends the time from now on', () => {
  const s = stage();
  s.clock.play();
  s.pass(1000);
  s.clock.speed = 4;
  assert.equal(s.pass(1000), 5);
  assert.throws(() => { s.clock.speed = 0; }, RangeError);
  assert.throws(() => { s.clock.speed = NaN; }, RangeError);
});

test('seek stays within the run and does not stop the playing', () => {
  const s = stage();
  s.clock.play();
  s.pass(1000);
  s.clock.seek(-1);
  assert.equal(s.clock.t, 0);
  assert.equal(s.pass(1000), 1);
  s.clock.seek(99);
  assert.equal(s.clock.t, 10);
  assert.equal(s.clock.playing, false);
});

test('a shorter run takes t with it', () => {
  const s = stage();
  s.clock.seek(8);
  s.clock.end = 5;
  assert.equal(s.clock.t, 5);
  s.clock.end = 20;
  assert.equal(s.clock.t, 5);
});

test('a step is in seconds of playing', () => {
  const s = stage({speed: 3, end: 100});
  s.clock.step(2);
  assert.equal(s.clock.t, 6);
  s.clock.step(-1);
  assert.equal(s.clock.t, 3);
});

test('open plays from the start; with reduced motion it shows the end', () => {
  const plain = stage();
  plain.clock.seek(4);
  plain.clock.open();
  assert.deepEqual([plain.clock.t, plain.clock.playing], [0, true]);
  const reduced = stage({reduced: true});
  reduced.clock.open();
  assert.deepEqual([reduced.clock.t, reduced.clock.playing], [10, false]);
  assert.deepEqual(reduced.frames, []);
});

test('each frame ticks once', () => {
  const s = stage();
  s.clock.play();
  s.pass(100);
  s.pass(100);
  assert.deepEqual(s.ticks, [0, 0.1, 0.2]);
});
