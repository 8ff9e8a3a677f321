// Replay: one replication as the engine recorded it, and what can be asked of it at a time t in virtual seconds.
//
//   new Replay(result, buffers)   result: what `run` answered; buffers: {calls, attempts, levels}, Float64Arrays
//   .n .end .slots .limits .calls .attempts .levels   end: until when it is of all calls
//   .stateOf(call, t, flash)      one of the states below; flash: virtual seconds for which a refusal is shown
//   .states(t, out, flash)        the same of all calls; fast when t moves forward by small steps
//   .countsAt(t, flash)           {idle, waiting, provider, refused, answered, gaveUp, absent}
//   .series(binWidth)             {time, attempts, refused, answered}: counts in bins
//   .dollarsAt(t)                 {useful, wasted}
//   .levelAt(limit, t)            share left, negative when overdrawn
//   .slotsAt(t)                   requests under way at the provider whose client waits
//   .heldAt(limit, t)             {taken, left}: of a limit on concurrency: places taken, and those of them whose
//                                 client has left
//   .shownLimits(most)            indexes of the limits worth drawing
//
// The rules are those of the engine's replay.Call.StateAt.

export const IDLE = 0, WAITING = 1, PROVIDER = 2, REFUSED = 3, ANSWERED = 4, GAVE_UP = 5, ABSENT = 6;

// STATES are the keys of counts and the ends of class names, by state.
export const STATES = ['idle', 'waiting', 'provider', 'refused', 'answered', 'gaveUp', 'absent'];

// FLASH_S is for how long a refusal is shown, in seconds of playing: the Flash of the engine's replays.
export const FLASH_S = 0.35;

const CALL = 5, ATTEMPT = 6, LEVEL = 3; // strides
const OPEN = WAITING; // in a step: under way, with no attempt at the provider

export class Replay {
  constructor(result, buffers) {
    const none = new Float64Array(0);
    this.result = result;
    this.calls = buffers?.calls ?? none;
    this.attempts = buffers?.attempts ?? none;
    this.levels = buffers?.levels ?? none;
    this.n = this.calls.length / CALL;
    this.m = this.attempts.length / ATTEMPT;
    this.limits = result.limits ?? [];
    this.slots = result.slots ?? 0;
    this.end = result.until ?? result.end ?? 0;
    this.refusing = (result.classes ?? []).map((word) => word === 'throttled' || word === 'overloaded');
    // A call that has not arrived is drawn only where all arrive together: else nobody knows of it yet.
    this.together = this.n > 0 && this.calls[0] === this.calls[CALL * (this.n - 1)];
    this.#index();
    this.#buildSteps();
    this.#levelsByLimit();
    this.cursor = new Uint32Array(this.n);
    this.due = new Float64Array(this.n).fill(-Infinity);
    this.current = new Uint8Array(this.n);
    this.at = Infinity; // the last t of states
    this.flash = 0;
  }

  // The attempts of call c are first[c] to first[c+1] - 1, in the order in which they were sent.
  #index() {
    const {n, m, attempts} = this;
    const first = new Uint32Array(n + 1);
    for (let a = 0; a < m; a++) first[attempts[a * ATTEMPT] + 1]++;
    for (let c = 0; c < n; c++) first[c + 1] += first[c];
    this.first = first;
  }

  // A call's life in steps, each with its time, what it is from then on (IDLE, OPEN, PROVIDER, ANSWERED or GAVE_UP)
  // and the time of the last refusal until then. The steps of call c are from[c] to from[c+1] - 1; the first is at
  // -Infinity. Two steps of one call never have the same time.
  #buildSteps() {
    const {n, m, calls, attempts, first} = this;
    const most = 2 * m + 3 * n;
    const time = new Float64Array(most), mark = new Float64Array(most), kind = new Uint8Array(most);
    const from = new Uint32Array(n + 1);
    const ends = []; // attempts of the call by their end
    let k = 0;
    const step = (start, t, what, refused) => {
      if (k > start && time[k - 1] === t) k--;
      time[k] = t;
      kind[k] = what;
      mark[k] = refused;
      k++;
    };
    for (let c = 0; c < n; c++) {
      const start = k;
      from[c] = start;
      const arrived = calls[c * CALL], ended = calls[c * CALL + 1];
      const last = ended < 0 ? Infinity : ended;
      step(start, -Infinity, IDLE, -Infinity);
      step(start, arrived, OPEN, -Infinity);
      ends.length = 0;
      for (let a = first[c]; a < first[c + 1]; a++) {
        const end = attempts[a * ATTEMPT + 3];
        let j = ends.length;
        ends.push(a);
        for (; j > 0 && attempts[ends[j - 1] * ATTEMPT + 3] > end; j--) ends[j] = ends[j - 1];
        ends[j] = a;
      }
      let sent = first[c], done = 0, refused = -Infinity;
      while (done < ends.length) {
        const s = sent < first[c + 1] ? attempts[sent * ATTEMPT + 1] : Infinity;
        const e = attempts[ends[done] * ATTEMPT + 3];
        const t = Math.min(s, e);
        if (t >= last) break;
        if (s <= e) {
          sent++;
        } else {
          if (this.refusing[attempts[ends[done] * ATTEMPT + 4]]) refused = e;
          done++;
        }
        step(start, Math.max(t, arrived), sent - first[c] > done ? PROVIDER : OPEN, refused);
      }
      if (last < Infinity) step(start, last, calls[c * CALL + 2] === 0 ? ANSWERED : GAVE_UP, -Infinity);
    }
    from[n] = k;
    this.from = from;
    this.time = time.subarray(0, k);
    this.mark = mark.subarray(0, k);
    this.kind = kind.subarray(0, k);
  }

  // The last step of call c at or before t.
  #stepAt(c, t) {
    let low = this.from[c], high = this.from[c + 1] - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #stateOfStep(k, t, flash) {
    const kind = this.kind[k];
    if (kind === OPEN) return t < this.mark[k] + flash ? REFUSED : WAITING;
    return kind === IDLE && !this.together ? ABSENT : kind;
  }

  stateOf(c, t, flash = 0) {
    return this.#stateOfStep(this.#stepAt(c, t), t, flash);
  }

  // states fills out with the state of each call at t. Each call has a cursor and the time when its state changes
  // next, so playing forward costs one comparison a call; a jump back or another flash looks every call up.
  states(t, out, flash = 0) {
    const {n, due, current, cursor, from, time, mark, kind} = this;
    if (t < this.at || flash !== this.flash) {
      due.fill(-Infinity);
      for (let c = 0; c < n; c++) cursor[c] = this.#stepAt(c, t);
    }
    this.at = t;
    this.flash = flash;
    for (let c = 0; c < n; c++) {
      if (t < due[c]) continue;
      const last = from[c + 1] - 1;
      let k = cursor[c];
      while (k < last && time[k + 1] <= t) k++;
      cursor[c] = k;
      const state = this.#stateOfStep(k, t, flash);
      current[c] = state;
      const next = k < last ? time[k + 1] : Infinity;
      due[c] = state === REFUSED ? Math.min(next, mark[k] + flash) : next;
    }
    out.set(current);
    return out;
  }

  countsAt(t, flash = 0) {
    const tally = new Uint32Array(STATES.length);
    for (let c = 0; c < this.n; c++) tally[this.stateOf(c, t, flash)]++;
    return Object.fromEntries(STATES.map((key, state) => [key, tally[state]]));
  }

  // series counts attempts by when they were sent, refusals by when the client heard of them and answers by when
  // the call ended, in bins [i*binWidth, (i+1)*binWidth) from 0 to the end. time has the start of each bin.
  series(binWidth) {
    const bins = Math.max(1, Math.floor(this.end / binWidth) + 1);
    const out = {binWidth, time: new Float64Array(bins)};
    for (const key of ['attempts', 'refused', 'answered']) out[key] = new Float64Array(bins);
    for (let i = 0; i < bins; i++) out.time[i] = i * binWidth;
    const add = (counts, t) => {
      if (t >= 0 && t <= this.end) counts[Math.floor(t / binWidth)]++;
    };
    for (let i = 0; i < this.attempts.length; i += ATTEMPT) {
      add(out.attempts, this.attempts[i + 1]);
      if (this.refusing[this.attempts[i + 4]]) add(out.refused, this.attempts[i + 3]);
    }
    for (let i = 0; i < this.calls.length; i += CALL) {
      if (this.calls[i + 2] === 0) add(out.answered, this.calls[i + 1]);
    }
    return out;
  }

  // dollarsAt books the dollars of a call when it ends. Those of calls that never end come with the end of the run.
  dollarsAt(t) {
    const {calls, end} = this;
    let useful = 0, wasted = 0;
    for (let i = 0; i < calls.length; i += CALL) {
      const ended = calls[i + 1];
      if ((ended < 0 ? end : ended) > t) continue;
      useful += calls[i + 3];
      wasted += calls[i + 4];
    }
    return {useful, wasted};
  }

  #levelsByLimit() {
    const {levels} = this;
    const times = this.limits.map(() => []), shares = this.limits.map(() => []);
    for (let i = 0; i < levels.length; i += LEVEL) {
      const t = levels[i], limit = levels[i + 1], share = levels[i + 2];
      if (!this.limits[limit]) continue;
      times[limit].push(t);
      shares[limit].push(share);
    }
    this.levelTimes = times.map((list) => Float64Array.from(list));
    this.levelShares = shares.map((list) => Float64Array.from(list));
  }

  // levelAt is full before the first sample. Samples follow requests; from one to the next a bucket refills at its
  // rate until it is full, and a fixed window is full again from its next beginning. Other limits rise on a straight
  // line where the next sample is higher, and else stay.
  levelAt(limit, t) {
    const times = this.levelTimes[limit], shares = this.levelShares[limit];
    const k = countUpTo(times, t);
    if (k === 0) return 1;
    const {rate, window, offset, amount} = this.limits[limit], level = shares[k - 1], at = times[k - 1];
    if (rate > 0) return Math.min(1, level + rate / amount * (t - at));
    if (window > 0) return Math.floor((t + offset) / window) > Math.floor((at + offset) / window) ? 1 : level;
    if (k === times.length || shares[k] <= level) return level;
    return level + (shares[k] - level) * (t - at) / (times[k] - at);
  }

  // slotsAt counts the attempts whose request has reached the provider and whose client still waits, without the
  // refused ones.
  slotsAt(t) {
    if (!this.slotTimes) {
      const begin = [], end = [];
      for (let i = 0; i < this.attempts.length; i += ATTEMPT) {
        if (this.attempts[i + 2] < 0 || this.refusing[this.attempts[i + 4]]) continue;
        begin.push(this.attempts[i + 2]);
        end.push(Math.max(this.attempts[i + 2], this.attempts[i + 3]));
      }
      this.slotTimes = {begin: Float64Array.from(begin).sort(), end: Float64Array.from(end).sort()};
    }
    return countUpTo(this.slotTimes.begin, t) - countUpTo(this.slotTimes.end, t);
  }

  // heldAt: a request that its client has left may hold its place for longer. The attempts do not tell until when;
  // the samples do: what is taken beyond the attempts under way was left. That holds until the next
  // sample; after the last nothing is known.
  heldAt(limit, t) {
    const {amount} = this.limits[limit];
    const times = this.levelTimes[limit], k = countUpTo(times, t);
    const waiting = Math.min(amount, this.slotsAt(t));
    if (k === 0 || k === times.length) return {taken: waiting, left: 0};
    const taken = Math.round(amount * (1 - this.levelShares[limit][k - 1]));
    const left = Math.max(0, Math.min(amount - waiting, taken - this.slotsAt(times[k - 1])));
    return {taken: waiting + left, left};
  }

  // shownLimits chooses the limits that refuse most, then those that come nearest to empty. One that refuses nothing
  // and stays above half is shown only when no other is, and one without a sample never.
  shownLimits(most = 3) {
    const refused = this.limits.map(() => 0);
    for (let i = 0; i < this.attempts.length; i += ATTEMPT) {
      const limit = this.attempts[i + 5];
      if (limit >= 0) refused[limit]++;
    }
    const lowest = this.levelShares.map((list) => {
      let least = 1;
      for (const share of list) least = Math.min(least, share);
      return least;
    });
    const sampled = this.limits.map((_, i) => i).filter((i) => this.levelTimes[i].length > 0)
      .sort((a, b) => refused[b] - refused[a] || lowest[a] - lowest[b] || a - b);
    const busy = sampled.filter((i) => refused[i] > 0 || lowest[i] <= 0.5);
    return (busy.length > 0 ? busy : sampled.slice(0, 1)).slice(0, most);
  }
}

// countUpTo is how many of the ascending values are at most t.
function countUpTo(values, t) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}
