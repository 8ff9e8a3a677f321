// One engine in a Web Worker: a classic script behind wasm_exec.js, which is one.
//
// It is sent {module} once: the compiled engine. It answers {ready: true}, and then each {id, op, args} by
// {id, ok, result, buffers}, or by {dead: text} when the engine has stopped.
'use strict';

let loaded;
const ready = new Promise((resolve) => { self.stampedeReady = resolve; });

self.onmessage = async ({data}) => {
  if (data.module) {
    loaded = start(data.module);
    loaded.catch((error) => self.postMessage({dead: String(error)}));
    return;
  }
  await loaded;
  try {
    const reply = self.stampedeCall(data.op, data.args);
    const buffers = {};
    for (const [name, buffer] of Object.entries(reply.buffers)) buffers[name] = buffer;
    self.postMessage({id: data.id, ok: reply.ok, result: reply.result, buffers}, Object.values(buffers));
  } catch (error) {
    self.postMessage({dead: lastWords() || String(error)});
  }
};

// What the engine wrote to its standard error, in pieces.
let said = '';

// lastWords is the message of a panic, without the goroutines that follow it; else the beginning of what was said.
function lastWords() {
  const from = Math.max(0, said.search(/^(panic|fatal error): /m));
  return said.slice(from).split('\n\n')[0].slice(0, 500).trim();
}

async function start(module) {
  const decoder = new TextDecoder();
  self.fs.writeSync = (_, bytes) => {
    if (said.length < 1e5) said += decoder.decode(bytes);
    return bytes.length;
  };
  const go = new self.Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance).then(() => self.postMessage({dead: lastWords() || 'the engine stopped'}));
  await ready;
  self.postMessage({ready: true});
}
