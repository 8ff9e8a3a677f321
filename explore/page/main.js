// Wires the page: state -> engine -> pictures and numbers.

import {Clock} from './clock.js';
import {ClockBar} from './clockbar.js';
import {Controls} from './controls.js';
import {Engine, Stopped, Superseded} from './engine.js';
import {AddressError, decode, encode} from './address.js';
import {el, setMistake} from './dom.js';
import {Pane} from './panes.js';
import {Policies} from './policies.js';
import {Replay} from './replay.js';
import {Runner} from './runner.js';
import {metricsOf, sentence} from './numbers.js';
import {State, defaults, documentOf, policiesOf, settingsOf} from './state.js';

// Until the charts are there the page does without.
const {Charts} = await import('./charts.js').catch(() => ({Charts: class { show() {} cursor() {} }}));

const by = (id) => document.getElementById(id);
const state = new State();
const panes = [];
let scenes = [], scene = null, engine = null, runner = null;
let loaded = null;      // what the engine says of the document
let loadedText = null;  // the document that it says it of
let shown = [];         // results of the runs that are shown
let opening = true;     // the next results are the first of a scene

const clock = new Clock({onTick: draw, onState: () => bar.show()});
const bar = new ClockBar(clock);
const charts = new Charts(by('charts'));
const controls = new Controls({few: by('sliders'), more: by('more-sliders'),
  onInput: (path, text) => state.setSlider(path, text)});
const policyForms = new Policies(by('policy-forms'), (policies, how) => state.setPolicies(policies, how));

function draw(t) {
  for (const pane of panes) {
    pane.draw(t, {speed: clock.speed, still: !clock.playing});
  }
  charts.cursor(t);
  bar.tick(t);
}

/** Says a trouble at the top of the page; nothing takes it away. */
function trouble(text) {
  by('trouble').textContent = text ?? '';
  by('trouble').hidden = !text;
}

async function readAddress() {
  let next;
  try {
    next = await decode(location.hash, scenes.map((s) => s.id));
    trouble(null);
  } catch (error) {
    if (!(error instanceof AddressError)) {
      throw error;
    }
    const named = scenes.find((s) => new RegExp(`[#&]s=${s.id}(&|$)`).test(location.hash));
    next = defaults((named ?? scenes[0]).id);
    trouble(`${error.message} The scene is shown as it is.`);
  }
  state.replace(next);
}

let addressTimer = 0;

function writeAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(async () => {
    const hash = await encode(state.plain());
    if (hash !== location.hash) {
      history.replaceState(null, '', hash);
    }
  }, 400);
}

function openScene() {
  scene = scenes.find((s) => s.id === state.scene);
  document.title = `${scene.title} · Stampede`;
  by('title').textContent = scene.title;
  by('predict').textContent = scene.predict;
  by('look-text').textContent = scene.look;
  by('look').hidden = !scene.look;
  by('look').open = false;
  for (const link of by('scenes').querySelectorAll('a')) {
    link.toggleAttribute('aria-current', link.dataset.scene === scene.id);
    if (link.dataset.scene === scene.id) {
      link.setAttribute('aria-current', 'page');
    }
  }
  bar.setSpeed(scene.speed);
  opening = true;
}

// refresh brings the page up to the state: reads the document if it is another, then asks for runs.
async function refresh(changed) {
  if (changed.scene) {
    openScene();
  } else {
    writeAddress();
  }
  by('said').textContent = '';
  const text = documentOf(state, scene);
  if (text !== loadedText) {
    runner.cancel();
    const read = await load(text);
    if (!read || text !== documentOf(state, scene)) {
      return;
    }
  } else if (changed.scene) {
    controls.build(scene, loaded.numbers);
  }
  controls.show(state.sliders);
  const policies = policiesOf(state, scene, loaded);
  policyForms.show(policies, state.policies !== null);
  setPanes(policies);
  by('seed').value = String(state.seed ?? loaded.seed);
  if (changed.settings) {
    runner.ask(policies.map((policy) => ({document: text, set: settingsOf(state, policy)})));
  }
}

async function load(text) {
  try {
    await engine.start(Math.max(1, engine.size));
    const {result} = await engine.call(0, 'load', {document: text, set: []});
    loaded = result;
    loadedText = text;
    controls.build(scene, loaded.numbers);
    showMistakes(null);
    return true;
  } catch (error) {
    showMistakes(error, null);
    return false;
  }
}

function setPanes(policies) {
  while (panes.length > policies.length) {
    panes.pop().remove();
  }
  while (panes.length < policies.length) {
    const pane = new Pane(panes.length);
    panes.push(pane);
    by('panes').append(pane.element);
  }
  by('panes').dataset.count = String(policies.length);
  policies.forEach((policy, i) => panes[i].setName(policy.name));
}

function showResults({results}) {
  showMistakes(null);
  by('waiting').hidden = true;
  shown = results;
  const replays = results.map(({result, buffers}) => new Replay(result, arrays(buffers)));
  const ended = clock.finished && !clock.playing && clock.end > 0;
  clock.end = Math.max(...replays.map((replay) => replay.end));
  const metrics = metricsOf(results.map(({result}) => result));
  replays.forEach((replay, i) => panes[i].show(replay, results[i].result, metrics));
  charts.show(replays, panes.map((pane) => pane.name.textContent));
  if (opening) {
    opening = false;
    clock.open();
  } else if (ended) {
    clock.seek(clock.end);
  } else {
    draw(clock.t);
  }
}

function arrays(buffers) {
  return Object.fromEntries(Object.entries(buffers).map(([name, buffer]) => [name, new Float64Array(buffer)]));
}

// showMistakes says what the engine refused: beside the slider, the policy or the seed that it is about, else in
// the settings. The last pictures stay.
function showMistakes(error, policy) {
  document.body.classList.toggle('refused', error !== null);
  policyForms.setMistake(-1, null);
  setMistake(by('seed'), by('seed-mistake'), null);
  let rest = [];
  if (error instanceof Stopped) {
    trouble(`The simulator stopped and was started again. What it said: ${error.message}`);
  } else if (error && !(error instanceof Superseded)) {
    const list = error.mistakes?.length ? error.mistakes : [{path: '', line: 0, text: error.text ?? error.message}];
    rest = controls.setMistakes(list);
    const own = new Set(policiesOf(state, scene, loaded)[policy]?.set.map((line) => line.split('=')[0].trim()));
    const ofPolicy = rest.filter((m) => m.line === 0 && [...own].some((path) => related(path, m.path)));
    if (ofPolicy.length > 0) {
      policyForms.setMistake(policy, ofPolicy.map((m) => m.text).join(' '));
      by('policies').open = true;
      rest = rest.filter((m) => !ofPolicy.includes(m));
    }
  } else {
    controls.setMistakes([]);
  }
  by('mistakes').textContent = rest.map((m) => m.text).join('\n');
  by('mistakes').hidden = rest.length === 0;
}

// related says whether one path is the other, or lies inside it.
function related(a, b) {
  return a === b || a.startsWith(b + '.') || b.startsWith(a + '.');
}

function atRest() {
  by('said').textContent = panes.map((pane, i) => sentence(pane.name.textContent, shown[i].result)).join('; ') + '.';
  by('filling').textContent = 'Running further replications for intervals …';
}

function addEstimate({policy, result}) {
  panes[policy].numbers.add(result);
  for (const pane of panes.slice(1)) {
    pane.numbers.compare(panes[0].numbers, panes[0].name.textContent);
  }
}

function setSeed(text) {
  if (!/^[0-9]{1,15}$/.test(text)) {
    setMistake(by('seed'), by('seed-mistake'), `seed: found "${text}"; want a whole number from 0`);
    return;
  }
  state.setSeed(Number(text) === loaded.seed ? null : Number(text));
}

async function begin() {
  const [index, ready] = await Promise.all([fetch('scenes.json').then((reply) => reply.json()), Engine.open()]);
  engine = ready;
  scenes = index.scenes;
  if (index.given) {
    const sandbox = scenes.find((s) => s.id === 'sandbox');
    Object.assign(sandbox, {given: true, scenario: await (await fetch('scenario.yaml')).text()});
  }
  by('version').textContent = index.version ? `Stampede ${index.version}.` : '';
  by('scenes').append(...scenes.map((s) =>
    el('li', {}, el('a', {href: `#v=1&s=${s.id}`, 'data-scene': s.id}, s.title))));
  runner = new Runner(engine);
  runner.addEventListener('results', ({detail}) => showResults(detail));
  runner.addEventListener('refused', ({detail}) => showMistakes(detail.error, detail.policy));
  runner.addEventListener('rest', atRest);
  runner.addEventListener('estimate', ({detail}) => addEstimate(detail));
  runner.addEventListener('filled', () => { by('filling').textContent = ''; });
  state.addEventListener('change', ({detail}) => refresh(detail));
  window.addEventListener('hashchange', readAddress);
  by('next-seed').addEventListener('click', () => setSeed(String((state.seed ?? loaded.seed) + 1)));
  by('seed').addEventListener('change', () => setSeed(by('seed').value.trim()));
  by('reset').addEventListener('click', () => state.replace(defaults(scene.id)));
  if (index.given && location.hash === '') {
    state.replace(defaults('sandbox'));
  } else {
    await readAddress();
  }
}

if (!document.documentElement.dataset.unsupported) {
  begin().catch((error) => {
    by('waiting').hidden = true;
    trouble(`The page cannot start: ${error.message}`);
    throw error;
  });
}
