// Work per frame of the parts that touch no canvas, on a synthetic herd of three policies: node test/bench.js
// A frame looks up all states and copies the pixels of every dot that has changed. Playing at 60 frames a second
// leaves 16.7 ms for it and for the browser.
import {Dots} from '../page/dots.js';
import {made, random} from './made.js';

// herd is n calls that are sent at once, refused at random, and sent again after 1, 2, 4, ... s with some jitter.
function herd(n, jitter, seed) {
  const next = random(seed);
  const calls = [], attempts = [];
  for (let call = 0; call < n; call++) {
    let sent = 0, wait = 1;
    for (let k = 0; k < 8; k++, wait *= 2) {
      const last = k === 7 || next() < 0.15;
      const ended = sent + 0.2 + next() * (last ? 1 : 0.1);
      attempts.push({call, sent, ended, class: last ? 'ok' : 'throttled'});
      if (last) {
        calls.push({ended});
        break;
      }
      sent = ended + wait * (1 - jitter + jitter * next());
    }
  }
  attempts.sort((a, b) => a.sent - b.sent);
  return made({calls, attempts, end: 60});
}

function dotsOf(n) {
  const nothing = () => {};
  const context = {
    createImageData: (w, h) => ({data: new Uint8ClampedArray(4 * w * h)}), putImageData: nothing, fillRect: nothing,
    beginPath: nothing, arc: nothing, moveTo: nothing, lineTo: nothing, closePath: nothing, fill: nothing,
    stroke: nothing, getImageData: (x, y, w, h) => ({data: new Uint8ClampedArray(4 * w * h)}),
  };
  globalThis.document = {createElement: () => ({getContext: () => context})};
  const dots = new Dots(context);
  dots.place({x: 0, y: 0, w: 400, h: 240}, n, {paper: '#fff', states: Array(7).fill('#000')}, 1);
  return dots;
}

for (const n of [1000, 5000]) {
  const began = performance.now();
  const parts = [0, 0.5, 1].map((jitter, i) => {
    const replay = herd(n, jitter, i + 1);
    return {replay, dots: dotsOf(n), states: new Uint8Array(n)};
  });
  const made = performance.now() - began;
  const frames = [];
  for (let t = 0, now = 0; t < 60; t += 3 / 60, now += 1000 / 60) { // 3 s of the run in a second
    const from = performance.now();
    for (const {replay, dots, states} of parts) dots.draw(replay.states(t, states, 1.05), now);
    frames.push(performance.now() - from);
  }
  frames.sort((a, b) => a - b);
  const at = (q) => frames[Math.floor(q * (frames.length - 1))].toFixed(2);
  console.log(`3 x ${n}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms a frame; `
    + `records and replays made in ${made.toFixed(0)} ms`);
}
