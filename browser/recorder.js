// Remembers what the page asks its engines and what they answer, before the page keeps the constructor of workers.
(() => {
  const asked = []; // {worker, id, op, args, result, ok, done}
  const workers = [];
  let made = 0;

  class RecordedWorker extends Worker {
    constructor(...args) {
      super(...args);
      Object.assign(this, {number: made++, ready: false, gone: false});
      workers.push(this);
      this.addEventListener('message', ({data}) => {
        if (data.ready) this.ready = true;
        if (data.dead !== undefined) this.terminate();
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
    settled: () => asked.length > 0 && workers.every((w) => w.ready || w.gone) &&
      asked.every((c) => c.done || c.op === 'run' && !c.args.replay),
    // The last run that each policy shows, in the order of the workers.
    shown: () => {
      const last = new Map();
      for (const c of asked) {
        if (c.op === 'run' && c.args.replay && c.ok) last.set(c.worker, c);
      }
      return [...last].sort(([a], [b]) => a - b).filter(([n]) => !workers[n].gone)
        .map(([, {args, result}]) => ({args, result}));
    },
  };
})();
