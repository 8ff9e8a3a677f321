// The address of what is shown: what stands behind # holds what differs from a scene.
//
//   #v=1&s=herd                                        a scene
//   #v=1&s=herd&seed=2&policy.gate.semaphore=4         a seed and a setting common to all policies
//   #v=1&s=herd&p1=full%20jitter;PATH=VALUE;...&p2=... all policies, where one of them differs
//   #v=1&z=...                                         a document: base64url of raw deflate of its UTF-8
//
// A key that holds no dot and is none of these is a field at the top of the document. Version 1 stays readable:
// a change of meaning takes a new number.

import {defaults, MAX_POLICIES} from './state.js';

export const VERSION = 1;
const maxDocument = 1 << 20; // bytes of a document that an address may hold
const maxSeed = 2 ** 53 - 1;
const pathPattern = /^[a-z][a-z0-9_]*(\.[\w@-]+)*$/;

/** AddressError is a sentence about an address that cannot be read. */
export class AddressError extends Error {}

/** The part behind # for a state. */
export async function encode(state) {
  const parts = [`v=${VERSION}`];
  if (state.document !== null) {
    parts.push(`z=${await pack(state.document)}`);
  } else {
    parts.push(`s=${escape(state.scene)}`);
  }
  if (state.seed !== null) {
    parts.push(`seed=${state.seed}`);
  }
  for (const [path, text] of Object.entries(state.sliders)) {
    parts.push(`${escape(path)}=${escape(text)}`);
  }
  state.policies?.forEach((policy, i) => {
    parts.push(`p${i + 1}=${[policy.name, ...policy.set].map(escape).join(';')}`);
  });
  return '#' + parts.join('&');
}

/**
 * The state of an address. scenes are the ids that there are, the first of which opens where the address names none.
 * Throws AddressError with a sentence for the reader.
 */
export async function decode(hash, scenes) {
  const fields = split(hash);
  const version = fields.get('v') ?? String(VERSION);
  if (version !== String(VERSION)) {
    throw new AddressError(`This address is of version ${version}; this page reads version ${VERSION}.`);
  }
  const state = defaults(fields.get('s') ?? (fields.has('z') ? 'sandbox' : scenes[0]));
  if (!scenes.includes(state.scene)) {
    throw new AddressError(`There is no scene "${state.scene}"; there are ${scenes.join(', ')}.`);
  }
  const policies = [];
  for (const [key, text] of fields) {
    if (key === 'v' || key === 's') {
      continue;
    } else if (key === 'z') {
      state.document = await unpack(text);
    } else if (key === 'seed') {
      state.seed = seedOf(text);
    } else if (/^p[0-9]+$/.test(key)) {
      const i = Number(key.slice(1)) - 1;
      if (i < 0 || i >= MAX_POLICIES) {
        throw new AddressError(`This address has a policy ${key}; there are p1 to p${MAX_POLICIES}.`);
      }
      const [name, ...set] = text;
      policies[i] = {name, set};
    } else if (pathPattern.test(key)) {
      state.sliders[key] = text;
    } else {
      throw new AddressError(`This address holds "${key}", which is no field of a scenario.`);
    }
  }
  if (policies.length > 0) {
    state.policies = policies.filter(Boolean);
  }
  return state;
}

/** The fields of an address by key. That of a policy is a list: its name, then its settings. */
function split(hash) {
  const fields = new Map();
  for (const part of hash.replace(/^#/, '').split('&')) {
    if (part === '') {
      continue;
    }
    const at = part.indexOf('=');
    if (at <= 0) {
      throw new AddressError(`This address holds "${part}", which is not of the form NAME=VALUE.`);
    }
    const key = unescape(part.slice(0, at)), text = part.slice(at + 1);
    fields.set(key, /^p[0-9]+$/.test(key) ? text.split(';').map(unescape) : unescape(text));
  }
  return fields;
}

function seedOf(text) {
  const seed = Number(text);
  if (!/^[0-9]+$/.test(text) || seed > maxSeed) {
    throw new AddressError(`This address holds the seed "${text}"; a seed is a whole number from 0.`);
  }
  return seed;
}

// The characters that need no escape in a value keep an address readable. Brackets and quotation marks are escaped,
// since programs that make links of text end a link there.
function escape(text) {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())
    .replace(/%(3D|2C|3A|40|2F|24)/g, (c) => decodeURIComponent(c));
}

function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressError(`This address is cut off or damaged near "${text.slice(0, 40)}".`);
  }
}

async function pack(text) {
  const bytes = await pipe(new TextEncoder().encode(text), new CompressionStream('deflate-raw'), Infinity);
  let binary = '';
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

async function unpack(text) {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const plain = await pipe(bytes, new DecompressionStream('deflate-raw'), maxDocument);
    return new TextDecoder('utf-8', {fatal: true}).decode(plain);
  } catch {
    throw new AddressError('The document in this address is cut off or damaged.');
  }
}

// pipe sends bytes through a stream and collects at most so many.
async function pipe(bytes, through, most) {
  const chunks = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) {
      break;
    }
    chunks.push(value);
    if ((size += value.length) > most) {
      await reader.cancel();
      throw new RangeError(`more than ${most} bytes`);
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
