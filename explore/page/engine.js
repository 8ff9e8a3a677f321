// The engine of the page: the simulator of the command line, compiled to WebAssembly, one worker a policy.
//
// The module is compiled once and handed to each worker. The script of the workers is kept as one blob, so that a
// worker can start again when the server of the page has gone; importScripts of a blob would need a wider security
// policy.

/** A call that the engine refused: its text, and the mistakes in the scenario if these are the reason. */
export class Refused extends Error {
  constructor({text, mistakes}) {
    super(text);
    this.text = text;
    this.mistakes = mistakes ?? [];
  }
}

/** The engine stopped while it answered; it has been started again. */
export class Stopped extends Error {}

/** A call that a newer one, or a change of the number of workers, made needless. */
export class Superseded extends Error {}

/** Fetches a file of the page; it throws where the server has none. */
export async function get(address) {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`${String(address).split('/').pop()}: the server answered ${reply.status}`);
  return reply;
}

export class Engine {
  #module;
  #script;
  #workers = [];

  /** Fetches and compiles the engine. Addresses are relative to the page. */
  static async open(base = new URL('.', import.meta.url)) {
    const engine = new Engine();
    const at = (name) => get(new URL(name, base)), text = async (name) => (await at(name)).text();
    const [module, ...code] = await Promise.all([
      at('engine.wasm.gz').then(unpacked).then((bytes) => WebAssembly.compile(bytes)),
      text('wasm_exec.js'), text('worker.js'),
    ]);
    engine.#module = module;
    engine.#script = URL.createObjectURL(new Blob([code.join('\n')], {type: 'text/javascript'}));
    return engine;
  }

  /** Makes so many workers, numbered from 0, ready; it resolves when all are. Those beyond are stopped. */
  start(n) {
    for (const worker of this.#workers.splice(n)) worker.stop(new Superseded('the policy is gone'));
    while (this.#workers.length < n) {
      this.#workers.push(new Worked(this.#module, this.#script));
    }
    return Promise.all(this.#workers.map((worker) => worker.ready));
  }

  /** How many workers there are. */
  get size() { return this.#workers.length; }

  /**
   * Asks a worker and resolves to {result, buffers}. Calls wait in line; of those waiting under one key only the
   * newest is made, and the others reject with Superseded.
   */
  call(worker, op, args, key = '') {
    return this.#workers[worker].call(op, args, key);
  }

  /** Asks a worker of its own, which ends with the answer: for what takes long. */
  async aside(op, args) {
    const worker = new Worked(this.#module, this.#script);
    try {
      return await worker.call(op, args, '');
    } finally {
      worker.stop(new Superseded('the worker has answered'));
    }
  }

  /** Rejects what waits at a worker under a key. */
  cancel(worker, key) { this.#workers[worker]?.cancel(key); }
}

/** The engine's bytes, whether the server has unpacked them already or not. */
async function unpacked(reply) {
  const bytes = new Uint8Array(await reply.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** A worker with the calls that wait for it. */
class Worked {
  #parts;
  #ready;
  #worker = null; // null after it has stopped while nothing was asked: the next call starts it again
  #line = []; // of calls; the first is under way while busy
  #busy = false;
  #next = 1;

  constructor(...parts) {
    this.#parts = parts;
    this.#begin();
  }

  #begin() {
    const [module, script] = this.#parts;
    const worker = this.#worker = new Worker(script);
    this.#ready = new Promise((resolve, reject) => {
      worker.onmessage = ({data}) => {
        if (worker !== this.#worker) return; // one that has stopped can say so twice
        if (data.ready) resolve();
        else if (data.dead !== undefined) this.#restart(data.dead, reject);
        else this.#answer(data);
      };
      worker.onerror = (event) => {
        if (worker === this.#worker) this.#restart(event.message, reject);
      };
    });
    this.#ready.catch(() => {}); // the calls that wait say it
    worker.postMessage({module});
  }

  /** Resolves when the worker can answer. */
  get ready() {
    if (!this.#worker) this.#begin();
    return this.#ready;
  }

  call(op, args, key) {
    if (key) this.cancel(key);
    return new Promise((resolve, reject) => {
      this.#line.push({id: this.#next++, op, args, key, resolve, reject});
      this.#send();
    });
  }

  cancel(key) {
    const first = this.#busy ? 1 : 0;
    const gone = this.#line.slice(first).filter((call) => call.key === key);
    this.#line = this.#line.filter((call) => !gone.includes(call));
    for (const call of gone) call.reject(new Superseded('a newer call took its place'));
  }

  #send() {
    if (this.#busy || this.#line.length === 0) return;
    if (!this.#worker) this.#begin();
    this.#busy = true;
    const {id, op, args} = this.#line[0];
    this.#worker.postMessage({id, op, args});
  }

  #answer({id, ok, result, buffers}) {
    const call = this.#line[0];
    if (!this.#busy || call?.id !== id) return;
    this.#line.shift();
    this.#busy = false;
    if (ok) call.resolve({result, buffers});
    else call.reject(new Refused(result));
    this.#send();
  }

  #restart(text, refuse) {
    const error = new Stopped(text);
    refuse(error);
    this.#worker.terminate();
    this.#worker = null;
    if (!this.#busy) return;
    this.#busy = false;
    this.#line.shift().reject(error);
    this.#begin();
    this.#send();
  }

  stop(error) {
    this.#worker?.terminate();
    for (const call of this.#line.splice(0)) call.reject(error);
  }
}
