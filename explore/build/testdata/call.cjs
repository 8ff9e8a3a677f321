// node call.cjs WASM_EXEC ENGINE CALLS: makes the calls, a JSON list of {op, args, times}, and prints the answers, the
// milliseconds of each and the bytes of memory at the end.
const fs = require('fs');
const vm = require('vm');
const [loader, engine, calls] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(loader, 'utf8'));
const go = new globalThis.Go();
globalThis.stampedeReady = () => {
  const answers = JSON.parse(calls).map(({op, args, times = 1}) => {
    let reply;
    const began = performance.now();
    for (let i = 0; i < times; i++) reply = stampedeCall(op, args);
    return {ok: reply.ok, result: reply.result, ms: (performance.now() - began) / times};
  });
  console.log(JSON.stringify({answers, memory: go._inst.exports.mem.buffer.byteLength}));
  process.exit(0);
};
WebAssembly.instantiate(fs.readFileSync(engine), go.importObject).then(({instance}) => go.run(instance));
