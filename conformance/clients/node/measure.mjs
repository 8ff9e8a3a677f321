// Measures the retry decisions of one npm client: node measure.mjs CLIENT SEEDS MAX < replies.json > waits.json
//
// The client under test is the real package. Its fetch, its timers, its clock and Math.random are replaced: every
// request gets the same reply, time jumps to the next timer once nothing else can happen, and the seed of a call
// decides its random numbers. Printed are, for each reply and seed, the seconds between the requests.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { readFileSync } from 'node:fs';
import { open } from './clients.mjs';

const [name, seeds, max] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const replies = JSON.parse(readFileSync(0, 'utf8'));
const real = { setTimeout, setImmediate, Date };

// clock is the virtual time in milliseconds, and the timers in the order in which they fire.
const clock = { now: real.Date.UTC(2026, 0, 1), timers: [], next: 1 };

function schedule(run, delay, args) {
	// As Node's timers: what is no number from 1 to 2^31-1 is 1 ms.
	delay = delay >= 1 && delay <= 2147483647 ? Math.trunc(delay) : 1;
	const id = clock.next++;
	const timer = {
		at: clock.now + delay, id, run: () => run(...args),
		ref: () => timer, unref: () => timer, hasRef: () => true, refresh: () => timer, [Symbol.toPrimitive]: () => id,
	};
	clock.timers.push(timer);
	return timer;
}

function cancel(timer) {
	const id = Number(timer);
	clock.timers = clock.timers.filter((t) => t.id !== id);
}

const afterDelay = (run, delay, ...args) => schedule(run, delay, args);
const pause = (delay, value, options) => new Promise((resolve, reject) => {
	const timer = schedule(() => resolve(value), delay, []);
	options?.signal?.addEventListener('abort', () => { cancel(timer); reject(options.signal.reason); });
});
class VirtualDate extends real.Date {
	constructor(...args) { args.length === 0 ? super(clock.now) : super(...args); }
	static now() { return clock.now; }
}

const require = createRequire(import.meta.url);
Object.assign(require('node:timers'), { setTimeout: afterDelay, clearTimeout: cancel });
require('node:timers/promises').setTimeout = pause;
syncBuiltinESMExports();
Object.assign(globalThis, { setTimeout: afterDelay, clearTimeout: cancel, Date: VirtualDate });
performance.now = () => clock.now - real.Date.UTC(2026, 0, 1);

// settle lets everything happen that needs no timer.
async function settle(turns) {
	for (let i = 0; i < turns; i++) await new Promise((resolve) => real.setImmediate(resolve));
}

let script; // the reply of this call
let requests; // instants of its requests

globalThis.fetch = async () => {
	requests.push(clock.now);
	if (requests.length > max) return new Response('{}', { headers: { 'content-type': 'application/json' } });
	if (script.status === 0) {
		const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
		throw new TypeError('fetch failed', { cause });
	}
	const headers = { 'content-type': 'application/json', ...script.headers };
	if (script.ahead) headers['retry-after'] = new real.Date(clock.now + 1000 * script.ahead).toUTCString();
	return new Response(script.body, { status: script.status, headers });
};

// random is the generator mulberry32.
function random(state) {
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let x = Math.imul(state ^ (state >>> 15), 1 | state);
		x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
		return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
	};
}

async function waits(call, reply, seed, turns) {
	script = reply;
	requests = [];
	Math.random = random(seed);
	let done = false;
	call().then(() => { done = true; }, (error) => { done = true; if (process.env.DEBUG) console.error(reply.name, error); });
	for (;;) {
		await settle(turns);
		if (done) break;
		if (clock.timers.length === 0) {
			await new Promise((resolve) => real.setTimeout(resolve, 500));
			if (!done && clock.timers.length === 0) throw new Error(`${reply.name}: waits without a timer`);
			continue;
		}
		const timer = clock.timers.reduce((a, b) => (b.at < a.at || b.at === a.at && b.id < a.id ? b : a));
		cancel(timer);
		clock.now = Math.max(clock.now, timer.at);
		timer.run();
	}
	clock.timers = [];
	clock.now = Math.ceil(clock.now / 1000) * 1000; // dates have whole seconds
	return requests.slice(1, max).map((at, i) => (at - requests[i]) / 1000);
}

console.log = console.info = console.warn = () => {};
const call = await open(name);
await waits(call, replies[0], 0, 5000); // loads what the client loads late
const out = {};
for (const reply of replies) {
	out[reply.name] = [];
	for (let seed = 1; seed <= seeds; seed++) out[reply.name].push(await waits(call, reply, seed, 30));
	if (requests.length === 0) throw new Error(`${reply.name}: no request was sent`);
}
process.stdout.write(JSON.stringify(out) + '\n', () => process.exit(0));
