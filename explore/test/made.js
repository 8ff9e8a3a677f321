// made builds replays by hand: calls and attempts as objects with only what a test cares about, in any order.
import {Replay} from '../page/replay.js';

export const CLASSES = ['ok', 'throttled', 'overloaded', 'server_error', 'timeout'];

export function made({calls = [], attempts = [], levels = [], limits = [], slots = 0, end = 10}) {
  const call = (c) => [c.arrived ?? 0, c.ended ?? -1, c.outcome ?? 0, c.useful ?? 0, c.wasted ?? 0];
  const attempt = (a) => [a.call ?? 0, a.sent, a.received ?? a.sent, a.ended, CLASSES.indexOf(a.class ?? 'ok'),
    a.limit ?? -1];
  return new Replay({end, slots, limits, classes: CLASSES, outcomes: ['answered', 'gave_up_attempts']}, {
    calls: Float64Array.from(calls.flatMap(call)),
    attempts: Float64Array.from([...attempts].sort((a, b) => (a.call ?? 0) - (b.call ?? 0) || a.sent - b.sent)
      .flatMap(attempt)),
    levels: Float64Array.from(levels.flat()),
  });
}

// random is a generator of numbers in [0, 1): the same for the same seed.
export function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let x = Math.imul(s ^ (s >>> 15), s | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}
