import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import {figureSVG} from '../page/svg.js';
import {made} from './made.js';

// Two calls, of which one is answered at 2 s after a refusal, and the other gives up at 4 s.
const replay = made({
  calls: [{arrived: 0, began: 0, ended: 2}, {arrived: 0, began: 0, ended: 4, outcome: 1}],
  attempts: [
    {call: 0, sent: 0, ended: 0, class: 'throttled'}, {call: 1, sent: 0, ended: 0, class: 'throttled'},
    {call: 0, sent: 1, ended: 2},
  ],
  end: 4,
});

function figure(n, t) {
  const text = '1 of 2 answered, 3 attempts, $1 per 1,000';
  const panes = Array.from({length: n}, (_, i) => ({name: `policy <${i}> & "co"`, replay, text}));
  return figureSVG({title: 'A & B', subtitle: 'one luck', panes, t, speed: 1, end: 4});
}

// balanced says whether each element that is opened is closed again, and names are escaped.
function balanced(svg) {
  const open = [];
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gi)) {
    if (close) {
      assert.equal(open.pop(), name);
    } else if (!self) {
      open.push(name);
    }
  }
  assert.deepEqual(open, []);
  assert.doesNotMatch(svg.replace(/&(amp|lt|gt|quot);/g, ''), /&/);
}

test('the figure is well-formed, with title, axes, legend and one curve a policy', () => {
  for (const n of [1, 2, 3, 4]) {
    const svg = figure(n, 4);
    balanced(svg);
    assert.match(svg, /<title>A &amp; B<\/title>/);
    assert.equal([...svg.matchAll(/<polyline/g)].length, n);
    assert.equal([...svg.matchAll(/>attempts per 0.02 s</g)].length, n); // 4 s / 320 bins is 0.0125 s
    assert.equal([...svg.matchAll(/>the whole run: 1 of 2 answered</g)].length, n);
    assert.equal([...svg.matchAll(/>3 attempts, \$1 per 1,000</g)].length, n);
    assert.equal([...svg.matchAll(/>at 4 s</g)].length, n);
    for (const word of ['answered', 'gave up', 'refused attempts', 'calls answered so far', 'policy &lt;0&gt;']) {
      assert.ok(svg.includes(word), word);
    }
  }
});

test('the curve of answers ends at the number of answers', () => {
  const points = /<polyline points="([^"]*)"/.exec(figure(1, 4))[1].split(' ').map((p) => p.split(',').map(Number));
  // One of two calls: the middle between the axis, where the curve begins, and the top 150 above it.
  assert.equal(points.at(-1)[1], points[0][1] - 75);
});

test('the axis of time is that of the page, with marks at whole steps', () => {
  const marks = [...figure(1, 4).matchAll(/>(\S+) s<\/text>/g)].map(([, text]) => text);
  assert.deepEqual(marks.filter((text) => !text.includes('.')), ['0', '1', '2', '3', '4']);
});

test('what ends with the run is in its last bin', () => {
  // The end 4 is a whole number of bins: an answer at 4 lies on the border behind the last.
  const replay = made({calls: [{ended: 2}, {ended: 4}], attempts: [{sent: 0, ended: 4}], end: 4});
  const svg = figureSVG({title: '', subtitle: '', panes: [{name: 'p', replay, text: ''}], t: 4, speed: 1, end: 4});
  const points = /<polyline points="([^"]*)"/.exec(svg)[1].split(' ').map((p) => p.split(',').map(Number));
  assert.equal(points.at(-1)[1], points[0][1] - 150);
});

test('dots are those of the moment', () => {
  const states = (t) => [...figure(1, t).matchAll(/<use href="#state-(\d)" x="[\d.]+" y="[\d.]+" width="17/g)]
    .map(([, state]) => Number(state));
  assert.deepEqual(states(1.5), [2, 1], 'one at the provider, one waiting');
  assert.deepEqual(states(4), [4, 5], 'one answered, one gave up');
});

test('no custom property is left: the file stands alone', () => {
  assert.doesNotMatch(figure(2, 1), /var\(/);
});

test('colours are those of the page in its light theme', () => {
  const [light] = readFileSync(new URL('../page/picture.css', import.meta.url), 'utf8').split('@media');
  const long = (colour) => (colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour);
  const all = figure(1, 0.5) + figure(1, 1.5) + figure(1, 4);
  for (const [state, name] of [[1, 'waiting'], [2, 'provider'], [4, 'answered'], [5, 'gave-up']]) {
    const symbol = new RegExp(`<symbol id="state-${state}".*?</symbol>`).exec(all)[0];
    const colour = long(new RegExp(`--state-${name}: (#[0-9a-f]+);`).exec(light)[1]);
    assert.ok(symbol.includes(`"${colour}"`), `${name}: ${symbol}`);
  }
});
