import assert from 'node:assert/strict';
import test from 'node:test';

import {grouped, metricsOf, sentence} from '../page/numbers.js';
import {settings} from '../page/policies.js';
import {fileName} from '../page/share.js';

test('thousands are set apart, and nothing else changes', () => {
  for (const [text, want] of [['1322', '1,322'], ['999', '999'], ['1234567', '1,234,567'], ['0.0041', '0.0041'],
    ['1234.5', '1,234.5'], ['-12000', '-12,000'], ['1e+06', '1e+06'], ['never', 'never']]) {
    assert.equal(grouped(text), want);
  }
});

test('policies list the same metrics: those that one of them has', () => {
  const one = {values: {answered: 1, attempts: 2, attempts_timeout: 0, attempts_throttled: 0}};
  const two = {values: {answered: 1, attempts: 2, attempts_timeout: 3, makespan_s: 4}};
  assert.deepEqual(metricsOf([one, two]),
    ['answered', 'attempts', 'attempts_throttled', 'attempts_timeout', 'makespan_s']);
  assert.deepEqual(metricsOf([one]), ['answered', 'attempts', 'attempts_throttled']);
});

test('a run is said in one sentence', () => {
  const shown = {answered: '300', calls: '300', attempts: '1322', usd_per_1000_answers: '0.41'};
  assert.equal(sentence('full jitter', {shown}), 'full jitter: 300 of 300 answered, 1,322 attempts, $0.41 per 1,000');
  const nothing = {answered: '0', calls: '2000', attempts: '2000'};
  assert.equal(sentence('', {shown: nothing}), '0 of 2,000 answered, 2,000 attempts');
});

test('settings are the lines that are not empty', () => {
  assert.deepEqual(settings(' a=1 \n\n  b={c: 2}\n'), ['a=1', 'b={c: 2}']);
});

test('a name makes a file name', () => {
  assert.equal(fileName('herd full jitter'), 'herd-full-jitter');
  assert.equal(fileName('openai-python@2.46'), 'openai-python-2.46');
  assert.equal(fileName('../../x'), 'x');
  assert.equal(fileName('中'), 'scenario');
});
