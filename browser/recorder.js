// Remembers what the page asks its engines and what they answer, before the page keeps the constructor of workers.
(() => {
  const asked = []; // {worker, id, op, args, result, ok, done}
  const workers = [];
  let made = 0;
  let died = null; // the worker that a new one replaces

  // What runs in each worker before its program: {stumble: true} makes the next call panic in Go, which reads the
  // two arguments of a call without asking how many there are.
  // {memory: port} asks for the size of the engine's memory in bytes.
  const prelude = `const memories = [];
  const instantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...args) => {
    const instance = await instantiate(...args);
    memories.push(instance.exports.mem);
    return instance;
  };
  addEventListener('message', (event) => {
    if (event.data.memory) {
      event.stopImmediatePropagation();
      event.data.memory.postMessage(memories[0].buffer.byteLength);
    }
    if (!event.data.stumble) return;
    event.stopImmediatePropagation();
    const call = self.stampedeCall;
    self.stampedeCall = (op) => call(op);
  });\n`;
  const blobs = new Map();
  const createObjectURL = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    const address = createObjectURL.call(URL, blob);
    if (blob.type === 'text/javascript') blobs.set(address, blob);
    return address;
  };
  const withPrelude = (address) => blobs.has(address) ?
    createObjectURL.call(URL, new Blob([prelude, blobs.get(address)], {type: 'text/javascript'})) : address;

  class RecordedWorker extends Worker {
    constructor(address, ...rest) {
      super(withPrelude(address), ...rest);
      this.number = made++;
      Object.assign(this, {place: died?.place ?? this.number, ready: false, gone: false});
      died = null;
      workers.push(this);
      this.addEventListener('message', ({data}) => {
        if (data.ready) this.ready = true;
        if (data.dead !== undefined) {
          died = this;
          this.terminate();
        }
        const call = asked.find((c) => c.worker === this.number && c.id === data.id && !c.done);
        if (call) Object.assign(call, {done: true, ok: data.ok, result: data.result, at: performance.now()});
      });
    }

    postMessage(message, ...rest) {
      if (message.op) {
        asked.push({worker: this.number, id: message.id, op: message.op, args: message.args, done: false});
        if (asked.length > 400) asked.splice(0, 200);
      }
      super.postMessage(message, ...rest);
    }

    terminate() {
      this.gone = true;
      for (const call of asked) call.done ||= call.worker === this.number;
      super.terminate();
    }
  }
  window.Worker = RecordedWorker;

  window.recorded = {
    asked, workers,
    // Whether all that the page waits for to show its settings is there: the rest fills intervals in.
    settled: () => ['#panes', '#charts'].every((region) =>
      document.querySelector(region)?.getAttribute('aria-busy') === 'false') &&
      asked.length > 0 && workers.every((w) => w.ready || w.gone) &&
      asked.every((c) => c.done || c.op === 'run' && !c.args.replay),
    idle: () => asked.every((c) => c.done),
    // Bytes of the memories of the engines that are there.
    memory: async () => {
      let sum = 0;
      for (const worker of workers.filter((w) => !w.gone)) {
        const {port1, port2} = new MessageChannel();
        const answer = new Promise((done) => { port1.onmessage = ({data}) => done(data); });
        worker.postMessage({memory: port2}, [port2]);
        sum += await answer;
      }
      return sum;
    },
    // The last run that each policy shows, in their order.
    shown: () => {
      const last = new Map();
      for (const c of asked) {
        if (c.op === 'run' && c.args.replay && c.ok) last.set(c.worker, c);
      }
      return [...last].filter(([n]) => !workers[n].gone).sort(([a], [b]) => workers[a].place - workers[b].place)
        .map(([, {args, result}]) => ({args, result}));
    },
  };
})();
