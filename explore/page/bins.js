// Attempts, refusals and answers of a replay, counted in bins of time: one rule for the charts of the page and for the
// figure, so that both show the same numbers.

import {roundUp} from './plot.js';

const BINS = 320; // at most, over the longest run

/** The bins for runs that end until then: their width in seconds, and how many there are. */
export function binsOf(end) {
  const width = roundUp(end / BINS);
  return {width, bins: Math.max(1, Math.floor(end / width) + 1)};
}

/** "attempts per 0.5 s": what the height of a bin is. */
export function perBin(width) { return `attempts per ${Number(width.toPrecision(3))} s`; }

/**
 * A replay as the columns of a chart: attempts and refusals in each bin, and the answers until its start. One more
 * column closes the last bin. After the end of the run there are 0 attempts, and the answers stay.
 */
export function binned(replay, {width, bins}) {
  const {attempts, refused, answered} = replay.series(width);
  const columns = (counts) => Array.from({length: bins + 1}, (_, i) => (i < bins ? counts[i] ?? 0 : 0));
  let sum = 0;
  const until = columns(answered).map((count) => { sum += count; return sum - count; });
  return {replay, width, bins, attempts: columns(attempts), refused: columns(refused), answered: until};
}
