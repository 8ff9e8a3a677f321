// Runner asks the engine for what is shown: one run of each policy, side by side, while settings change, and further
// replications once they rest. At most one request a worker is in flight, and the newest wish replaces an older one.
//
// Events, each with a detail:
//   results   {results, wish}       a run of each policy
//   refused   {error, policy, wish} a policy that the engine refused: {text, mistakes}
//   rest      {}                    nothing has changed for a while; what is shown is of the last wish
//   estimate  {policy, result}      a further replication of one policy
//   filled    {}                    all replications are there

import {Superseded} from './engine.js';

export const REST_MS = 400;

export class Runner extends EventTarget {
  #engine;
  #wish = null;       // the newest, not begun
  #current = 0;       // number of the newest wish
  #cancelled = 0;     // that of the last cancel: older wishes are of another document
  #busy = false;
  #timer = 0;
  #known = new Map(); // results of the last wish by their arguments

  constructor(engine) {
    super();
    this.#engine = engine;
  }

  /** Whether a run of the newest wish is still to come. */
  get pending() { return this.#busy || this.#wish !== null; }

  /**
   * Wishes for a run of jobs [{document, set}], one a policy. replications are those to fill in at rest. What else a
   * job has, such as a name, the engine does not hear of.
   */
  ask(jobs, replications = 30) {
    this.#current++;
    this.#wish = {number: this.#current, jobs, replications};
    clearTimeout(this.#timer);
    this.#pump();
  }

  /** Drops what is wished, and what fills in. */
  cancel() {
    this.#cancelled = ++this.#current;
    this.#wish = null;
    clearTimeout(this.#timer);
  }

  async #pump() {
    if (this.#busy || !this.#wish) {
      return;
    }
    const wish = this.#wish;
    this.#wish = null;
    this.#busy = true;
    await this.#engine.start(wish.jobs.length).catch(() => {}); // the runs say why
    const answers = await Promise.allSettled(wish.jobs.map((job, i) => this.#run(i, job)));
    this.#busy = false;
    if (this.#wish) {
      if (wish.number > this.#cancelled && wish.jobs.length === this.#wish.jobs.length) {
        this.#show(wish, answers); // while dragging, what is old by one is still worth seeing
      }
      this.#pump();
    } else if (wish.number === this.#current && this.#show(wish, answers)) {
      this.#timer = setTimeout(() => this.#rest(wish), REST_MS);
    }
  }

  #run(i, job) {
    const {document, set} = job;
    return this.#known.get(keyOf(job, i)) ?? this.#engine.call(i, 'run', {document, set, replication: 0, replay: true});
  }

  // show tells of the answers, and says whether there is one of each policy.
  #show(wish, answers) {
    const refused = answers.findIndex((a) => a.status === 'rejected');
    if (refused >= 0) {
      if (answers[refused].reason instanceof Superseded) {
        return false;
      }
      this.#tell('refused', {error: answers[refused].reason, policy: refused, wish});
      return false;
    }
    this.#known = new Map(wish.jobs.map((job, i) => [keyOf(job, i), answers[i].value]));
    this.#tell('results', {results: answers.map((a) => a.value), wish});
    return true;
  }

  async #rest(wish) {
    this.#tell('rest', {});
    await Promise.all(wish.jobs.map((job, i) => this.#fill(wish, job, i)));
    if (wish.number === this.#current) {
      this.#tell('filled', {});
    }
  }

  async #fill(wish, {document, set}, i) {
    for (let replication = 1; replication < wish.replications; replication++) {
      let answer;
      try {
        answer = await this.#engine.call(i, 'run', {document, set, replication, replay: false});
      } catch (error) {
        if (wish.number === this.#current) {
          this.#tell('refused', {error, policy: i, wish});
        }
        return;
      }
      if (wish.number !== this.#current) {
        return;
      }
      this.#tell('estimate', {policy: i, result: answer.result});
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, {detail}));
  }
}

function keyOf({document, set}, i) { return JSON.stringify([i, document, set]); }
