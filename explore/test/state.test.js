import assert from 'node:assert/strict';
import test from 'node:test';

import {State, defaults, differs, documentOf, policiesOf, settingsOf} from '../page/state.js';

const scene = {id: 'herd', scenario: 'name: herd\n', policies: [{name: 'one', set: ['a=1']}]};
const loaded = {seed: 7, policies: [{name: 'swept', set: ['b=2']}]};

test('settings come in this order: the policy, the sliders, the seed', () => {
  const state = {...defaults('herd'), seed: 3, sliders: {'x.y': '20s', a: '5'}};
  assert.deepEqual(settingsOf(state, scene.policies[0]), ['a=1', 'x.y=20s', 'a=5', 'seed=3']);
});

test('a state differs from the scene by a slider, a policy or the seed', () => {
  assert.equal(differs(defaults('herd')), false);
  for (const change of [{sliders: {'x.y': '20s'}}, {policies: []}, {seed: 0}]) {
    assert.equal(differs({...defaults('herd'), ...change}), true, JSON.stringify(change));
  }
});

test('a state as the scene adds no setting', () => {
  assert.deepEqual(settingsOf(defaults('herd'), {name: '', set: []}), []);
});

test('policies are those of the state, else of the scene, else of an edited document', () => {
  const state = defaults('herd');
  assert.deepEqual(policiesOf(state, scene, loaded), scene.policies);
  state.document = 'name: other\n';
  assert.deepEqual(policiesOf(state, scene, loaded), loaded.policies);
  assert.deepEqual(policiesOf(defaults('herd'), {...scene, given: true}, loaded), loaded.policies);
  state.policies = [{name: 'mine', set: []}];
  assert.deepEqual(policiesOf(state, scene, loaded), state.policies);
});

test('there is always one policy, and never more than four', () => {
  assert.equal(policiesOf({...defaults('x'), document: ''}, scene, {policies: []}).length, 1);
  const five = Array.from({length: 5}, (_, i) => ({name: String(i), set: []}));
  assert.equal(policiesOf({...defaults('x'), policies: five}, scene, loaded).length, 4);
});

test('a change is told with what it changes, and null gives the value of the scene back', () => {
  const state = new State(), told = [];
  state.addEventListener('change', ({detail}) => told.push(detail));
  state.replace(defaults('herd'));
  state.setSlider('a.b', '1');
  assert.deepEqual(state.plain().sliders, {'a.b': '1'});
  state.setSlider('a.b', null);
  assert.deepEqual(state.plain(), defaults('herd'));
  state.setPolicies([{name: 'x', set: []}], {names: true});
  assert.deepEqual(told.map((d) => Object.keys(d).filter((k) => d[k]).join(' ')),
    ['scene document settings names', 'settings', 'settings', 'names']);
  state.setDocument('name: b\n');
  assert.equal(documentOf(state, scene), 'name: b\n');
});
