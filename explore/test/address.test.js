import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';

import {AddressError, decode, encode} from '../page/address.js';
import {defaults} from '../page/state.js';

const scenes = ['herd', 'gate', 'sandbox'];
const recorded = JSON.parse(fs.readFileSync(new URL('addresses.json', import.meta.url), 'utf8'));

// random is a generator of 32-bit numbers (xorshift), so that a failure can be repeated.
function random(seed) {
  let x = seed;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

const alphabet = ['a', 'Z', '0', ' ', ';', '&', '=', '%', '#', '+', '"', "'", '(', ')', '{', '}', ',', ':', '/', '?',
  '\n', 'é', '中', '🐂', '\\', '~', '-', '_', '.'];

function text(next, most) {
  return Array.from({length: 1 + next(most)}, () => alphabet[next(alphabet.length)]).join('');
}

function randomState(next) {
  const state = defaults(scenes[next(2)]);
  if (next(2)) {
    state.seed = next(100000);
  }
  for (let i = next(4); i > 0; i--) {
    state.sliders[`policy.part_${i}.${next(9)}.x`] = text(next, 12);
  }
  if (next(2)) {
    state.policies = Array.from({length: 1 + next(4)}, () => ({
      name: text(next, 20), set: Array.from({length: next(3)}, () => `a.b=${text(next, 30)}`),
    }));
  }
  if (next(4) === 0) {
    state.scene = 'sandbox';
    state.document = text(next, 2000);
  }
  return state;
}

test('any state is read back from its address', async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const state = randomState(random(seed));
    const hash = await encode(state);
    assert.deepEqual(await decode(hash, scenes), state, `seed ${seed}: ${hash}`);
    assert.match(hash, /^#[\w.~%=&;,:@/$-]*$/, 'only characters that programs keep in a link');
  }
});

test('an address holds only what differs', async () => {
  assert.equal(await encode(defaults('herd')), '#v=1&s=herd');
  assert.equal(await encode({...defaults('herd'), seed: 2}), '#v=1&s=herd&seed=2');
});

test('recorded addresses of version 1 keep their meaning', async (t) => {
  for (const {what, address, state} of recorded) {
    await t.test(what, async () => assert.deepEqual(await decode(address, scenes), {...defaults(''), ...state}));
  }
});

for (const [what, address, words] of [
  ['another version', '#v=2&s=herd', /version 2/],
  ['a scene that is not there', '#v=1&s=hord', /no scene "hord"/],
  ['a field without a value', '#v=1&s=herd&seed', /"seed"/],
  ['a seed that is no number', '#v=1&s=herd&seed=-1', /whole number/],
  ['a cut escape', '#v=1&s=herd&a.b=%E4%B', /cut off/],
  ['a name that is no path', '#v=1&s=herd&__proto__=1', /no field/],
  ['five policies', '#v=1&s=herd&p5=x', /p1 to p4/],
  ['a policy without a number', '#v=1&s=herd&p0=x', /p1 to p4/],
  ['a cut document', '#v=1&z=y0vMTVWwVUhUKEpNzE1VKMlILVLISSxJBQ', /document/],
  ['a document that is no base64', '#v=1&z=*', /document/],
]) {
  test(`a mistake is said: ${what}`, () => assert.rejects(decode(address, scenes), (error) => {
    assert.ok(error instanceof AddressError, String(error));
    assert.match(error.message, words);
    return true;
  }));
}

test('a document that unpacks to more than a megabyte is refused', async () => {
  const hash = await encode({...defaults('sandbox'), document: 'x'.repeat(2 ** 20 + 1)});
  assert.ok(hash.length < 3000);
  await assert.rejects(decode(hash, scenes), AddressError);
});
