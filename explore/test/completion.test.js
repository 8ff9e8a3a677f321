import assert from 'node:assert/strict';
import test from 'node:test';

import {Completion, contextAt} from '../page/completion.js';

// The caret is where | stands.
function at(marked) {
  const caret = marked.indexOf('|');
  return contextAt(marked.replace('|', ''), caret);
}

for (const [what, text, path, position, word] of [
  ['an empty document', '|', '', 'key', ''],
  ['a word at the top', 'name: x\npol|', '', 'key', 'pol'],
  ['below a key', 'policy:\n  |', 'policy', 'key', ''],
  ['deeper', 'policy:\n  retry:\n    att|', 'policy.retry', 'key', 'att'],
  ['back out', 'policy:\n  retry:\n    attempts: 3\n  ti|', 'policy', 'key', 'ti'],
  ['past blank lines and comments', 'policy:\n  retry:\n\n# about\n    att|', 'policy.retry', 'key', 'att'],
  ['a value', 'policy:\n  retry_after: ob|', 'policy.retry_after', 'value', 'ob'],
  ['a value not begun', 'policy: |', 'policy', 'value', ''],
  ['in a flow mapping', 'policy:\n  backoff: {exponential: {ba|', 'policy.backoff.exponential', 'key', 'ba'],
  ['after a comma', 'backoff: {exponential: {base: 1s, fa|', 'backoff.exponential', 'key', 'fa'],
  ['a value in a flow mapping', 'backoff: {exponential: {base: 1s, jitter: fu|', 'backoff.exponential.jitter', 'value',
    'fu'],
  ['after a closed mapping', 'a: {b: {c: 1}, d|', 'a', 'key', 'd'],
  ['in a flow list', 'faults: [{sta|', 'faults.[]', 'key', 'sta'],
  ['an item of a list', 'provider:\n  limits:\n    - re|', 'provider.limits.[]', 'key', 're'],
  ['a flow item of a list', 'provider:\n  limits:\n    - {resource: requests, li|', 'provider.limits.[]', 'key', 'li'],
  ['a later key of an item', 'limits:\n  - resource: requests\n    li|', 'limits.[]', 'key', 'li'],
  ['the second item', 'limits:\n  - resource: requests\n  - re|', 'limits.[]', 'key', 're'],
  ['a list as far left as its key', 'limits:\n- resource: a\n- re|', 'limits.[]', 'key', 're'],
  ['a key after such a list', 'a:\n  limits:\n  - resource: a\n  pr|', 'a', 'key', 'pr'],
  ['a colon inside a value', 'a: {at: 10:30, f|', 'a', 'key', 'f'],
]) {
  test(`the place of the caret: ${what}`, () => {
    const context = at(text);
    assert.deepEqual([context.path.join('.'), context.position, context.word], [path, position, word]);
    assert.equal(context.from, text.indexOf('|') - word.length);
  });
}

test('there is nothing to complete in a comment', () => {
  assert.equal(at('name: x # a com|'), null);
});

const schema = {
  $defs: {
    Retry: {
      anyOf: [{type: 'string'}, {properties: {
        attempts: {type: 'number', description: 'Attempts of a call.'},
        jitter: {anyOf: [{enum: ['none', 'full', 'equal']}, {type: 'null'}]},
        limits: {items: {$ref: '#/$defs/Limit'}, type: 'array'},
      }}],
    },
    Limit: {properties: {resource: {enum: ['requests', 'tokens']}, shared: {type: 'boolean'}}},
  },
  properties: {retry: {anyOf: [{$ref: '#/$defs/Retry'}, {type: 'null'}, {enum: ['none']}]}},
};

test('fields and words come from the schema, through references and alternatives', () => {
  const completion = new Completion(schema);
  const texts = (marked) => completion.at(at(marked)).map(({text}) => text);
  assert.deepEqual(texts('|'), ['retry']);
  assert.deepEqual(texts('retry: |'), ['none']);
  assert.deepEqual(texts('retry:\n  |'), ['attempts', 'jitter', 'limits']);
  assert.deepEqual(texts('retry: {jitter: |'), ['none', 'full', 'equal']);
  assert.deepEqual(texts('retry: {limits: [{|'), ['resource', 'shared']);
  assert.deepEqual(texts('retry: {limits: [{shared: |'), ['true', 'false']);
  assert.deepEqual(texts('retry:\n  temp|'), ['attempts'], 'the middle of a word');
  assert.deepEqual(texts('retry:\n  unknown:\n    |'), []);
  assert.equal(completion.at(at('retry:\n  att|'))[0].about, 'Attempts of a call.');
  assert.equal(completion.at(at('retry:\n  att|'))[0].insert, 'attempts: ');
});
