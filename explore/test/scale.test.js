import assert from 'node:assert/strict';
import test from 'node:test';

import {derived, nearest, numberIn, setting, stops} from '../page/scale.js';

test('a text is read as a number of a unit', () => {
  for (const [text, unit, want] of [
    ['20s', 's', 20], ['500ms', 's', 0.5], ['1m30s', 's', 90], ['2h', 'm', 120], ['250us', 'ms', 0.25],
    ['500/min', '/min', 500], ['10/s', '/min', 600], ['200k/min', 'k/min', 200], ['200k/min', '/min', 200000],
    ['0.05', '', 0.05], ['5%', '', 0.05], ['30k', '', 30000], ['1_000', '', 1000], ['$5', '$', 5], ['0', '', 0],
    ['1e-3', '', 0.001], ['0', 's', 0],
    ['none', 's', null], ['', '', null], ['20s', '', null], ['20', 's', null], ['$10/min', '/min', null],
    ['full', '', null], ['1.2.3', '', null],
  ]) {
    assert.equal(numberIn(text, unit), want, `${text} in ${unit || 'no unit'}`);
  }
});

test('a setting is read back as its number', () => {
  for (const unit of ['s', 'ms', '/min', '/s', 'k/min', '', '$']) {
    for (const value of [0.0000005, 0.05, 1, 12.5, 300, 120000]) {
      assert.equal(numberIn(setting(value, unit), unit), value, setting(value, unit));
    }
  }
  assert.equal(setting(20, 's'), '20s');
  assert.equal(setting(5, '$'), '$5');
  assert.equal(setting(0.0000005, ''), '0.0000005');
});

test('stops of a linear scale are its steps', () => {
  assert.deepEqual(stops({min: 0, max: 1, step: 0.25, scale: 'linear'}), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(stops({min: 1, max: 4, step: 1, scale: 'linear'}), [1, 2, 3, 4]);
  assert.deepEqual(stops({min: 1, max: 4, step: 2, scale: 'linear'}, 2.5), [1, 2.5, 3, 4], 'the value of the scene');
});

test('stops of a log scale rise by about one ratio, and no two are equal', () => {
  const list = stops({min: 10, max: 1000, step: 1, scale: 'log'}, 333);
  assert.equal(list[0], 10);
  assert.equal(list.at(-1), 1000);
  assert.ok(list.includes(333));
  assert.ok(list.every(Number.isInteger));
  for (let i = 1; i < list.length; i++) {
    assert.ok(list[i] > list[i - 1]);
  }
  const middle = list[Math.round(list.length / 2)];
  assert.ok(middle > 60 && middle < 180, `the middle is near the geometric mean 100: ${middle}`);
});

test('the nearest stop of a value', () => {
  assert.equal(nearest([1, 10, 100], 4), 0);
  assert.equal(nearest([1, 10, 100], 7), 1);
  assert.equal(nearest([1, 10, 100], 1e9), 2);
});

test('a number without a slider gets a tenth to ten times of it', () => {
  const of = (text, number, unit) => {
    const {min, max, scale} = derived({text, number, before: '', unit});
    return [min, max, scale];
  };
  assert.deepEqual(of('20s', 20, 's'), [2, 200, 'log']);
  assert.deepEqual(of('0.5', 0.5, ''), [0.05, 1, 'log'], 'a share stays one');
  assert.deepEqual(of('20%', 20, '%'), [2, 100, 'log'], 'in percent as well');
  assert.deepEqual(of('0', 0, ''), [0, 10, 'linear']);
  assert.deepEqual(of('0', 0, 's'), [0, 10, 'linear']);
});

test('a whole number without a unit has whole stops from 1', () => {
  const stopsOf = (number) => stops(derived({text: String(number), number, unit: ''}), number);
  assert.deepEqual(stopsOf(1), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(stopsOf(0), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const number of [2, 8, 300, 5000]) {
    const list = stopsOf(number);
    assert.ok(list.every(Number.isInteger) && list[0] === 1 && list.at(-1) === 10 * number, `${number}: ${list}`);
  }
  assert.equal(setting(stops(derived({text: '0', number: 0, unit: 's'}))[2], 's'), '2s', 'a time keeps its unit');
});

test('dollars of the document keep their sign', () => {
  const number = {text: '$10/10m', before: '$', number: 10, unit: '/10m'}; // as the engine lists it
  const {unit} = derived(number);
  assert.equal(numberIn(number.text, unit), 10);
  assert.equal(setting(20, unit), '$20/10m');
});
