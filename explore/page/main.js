// Wires the page: state -> engine -> pictures and numbers.

import {AddressError, decode, encode} from './address.js';
import {Charts, Curve} from './charts.js';
import {Clock} from './clock.js';
import {ClockBar} from './clockbar.js';
import {Controls} from './controls.js';
import {el} from './dom.js';
import {Editor} from './editor.js';
import {Engine} from './engine.js';
import {Mistakes} from './mistakes.js';
import {metricsOf, sentence} from './numbers.js';
import {Pane} from './panes.js';
import {Policies} from './policies.js';
import {Replay} from './replay.js';
import {Runner} from './runner.js';
import {SceneCurve} from './scenecurve.js';
import {Share} from './share.js';
import {State, defaults, documentOf, policiesOf, settingsOf} from './state.js';

const by = (id) => document.getElementById(id);
const state = new State();
const panes = [];
let scenes = [], scene = null, engine = null, runner = null;
let loaded = null;     // what the engine says of the document
let loadedText = null; // the document that it says it of
let loadedScene = null;
let policies = [], jobs = [], shown = []; // as shown: policies, what was run of each, and the results
let mostDollars = 1;   // the largest bill of what is shown
let opening = true;    // the next results are the first of a scene

const clock = new Clock({onTick: draw, onState: () => bar.show()});
const bar = new ClockBar(clock);
const charts = new Charts(by('charts'));
const curve = new SceneCurve(by('curve'), new Curve(by('curve')), (...args) => engine.call(...args));
const controls = new Controls({few: by('sliders'), more: by('more-sliders'),
  onInput: (path, text) => state.setSlider(path, text)});
const forms = new Policies(by('policy-forms'), (list, how) => state.setPolicies(list, how));
const editor = new Editor(by('editor'), {
  onChange: (text) => state.setDocument(text === scene.scenario ? null : text),
  schema: fetchSchema,
});
const mistakes = new Mistakes({place: by('mistakes'), controls, forms, editor, trouble,
  seed: {input: by('seed'), place: by('seed-mistake')}});
const share = new Share(by('share'), {ask: whatIsShown, call: (...args) => engine.call(...args), animate});
charts.onSeek = (t) => {
  clock.pause();
  clock.seek(t);
};

function draw(t) {
  for (const pane of panes) {
    pane.draw(t, {speed: clock.speed, still: !clock.playing, mostDollars});
  }
  charts.cursor(t);
  bar.tick(t);
}

/** Says at the top of the page what is wrong with it as a whole. */
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
  document.documentElement.dataset.scene = scene.id;
  by('title').textContent = scene.title;
  by('predict').textContent = scene.predict;
  by('look-text').textContent = scene.look;
  by('look').open = false;
  by('look').hidden = !scene.look;
  for (const link of by('scenes').querySelectorAll('a')) {
    if (link.dataset.scene === scene.id) {
      link.setAttribute('aria-current', 'page');
      link.scrollIntoView({block: 'nearest', inline: 'center'});
    } else {
      link.removeAttribute('aria-current');
    }
  }
  editor.toggle(scene.id === 'sandbox');
  by('to-sandbox').hidden = scene.id === 'sandbox';
  bar.setSpeed(scene.speed);
  charts.forget();
  curve.open(scene, state.document === null ? scene.curve : null);
  opening = true;
  clock.pause();
  document.body.classList.add('opening');
}

// refresh brings the page up to the state: reads the document if it is another, then asks for runs.
async function refresh(changed) {
  if (changed.scene) {
    openScene();
  } else {
    writeAddress();
  }
  by('said').textContent = '';
  curve.cancel();
  const text = documentOf(state, scene);
  editor.show(text);
  if (text !== loadedText || loadedScene !== scene) {
    runner.cancel();
    if (!await load(text) || text !== documentOf(state, scene)) {
      return;
    }
  }
  controls.show(state.sliders);
  policies = policiesOf(state, scene, loaded);
  forms.show(policies, state.policies !== null);
  setPanes();
  share.show(policies.map(({name}) => name));
  by('seed').value = String(state.seed ?? loaded.seed);
  curve.mark(valueOf(curve.spec?.path));
  if (changed.settings) {
    jobs = policies.map((policy) => ({document: text, set: settingsOf(state, policy)}));
    runner.ask(jobs);
  }
}

/** The value of a path as text: that of its slider, else of the document; '' where policies differ in it. */
function valueOf(path) {
  if (policies.some(({set}) => set.some((line) => line.startsWith(`${path}=`)))) {
    return '';
  }
  return state.sliders[path] ?? loaded.numbers.find((n) => n.path === path)?.text ?? '';
}

async function load(text) {
  try {
    await engine.start(Math.max(1, engine.size));
    ({result: loaded} = await engine.call(0, 'load', {document: text, set: []}));
  } catch (error) {
    refused(error, null);
    return false;
  }
  mistakes.clear();
  loadedText = text;
  loadedScene = scene;
  controls.build(scene, loaded.numbers);
  return true;
}

function refused(error, policy) {
  document.body.classList.remove('opening');
  by('waiting').hidden = true;
  by('stale').textContent = shown.length > 0 ? 'The settings have a mistake: this is the last run without one.' :
    'The scenario has a mistake, so that nothing has been run yet.';
  mistakes.show(error, policy);
}

function setPanes() {
  while (panes.length > policies.length) {
    panes.pop().remove();
  }
  while (panes.length < policies.length) {
    panes.push(new Pane(panes.length));
    by('panes').append(panes.at(-1).element);
  }
  by('panes').dataset.count = String(policies.length);
  policies.forEach((policy, i) => panes[i].setName(policy.name));
}

function showResults(results) {
  mistakes.clear();
  by('waiting').hidden = true;
  shown = results.map(({result}) => result);
  const replays = results.map(({result, buffers}) => new Replay(result, arrays(buffers)));
  const ended = clock.finished && !clock.playing && clock.end > 0;
  clock.end = Math.max(...replays.map((replay) => replay.end));
  const metrics = metricsOf(shown);
  const bills = replays.map((replay) => replay.dollarsAt(Infinity));
  mostDollars = Math.max(...bills.map(({useful, wasted}) => useful + wasted)) || 1;
  replays.forEach((replay, i) => panes[i].show(replay, shown[i], metrics));
  charts.show(replays, policies.map(({name}) => name));
  by('clipped').hidden = !shown.some(({clipped}) => clipped);
  by('filling').textContent = '';
  if (opening) {
    opening = false;
    document.body.classList.remove('opening');
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

function atRest() {
  by('said').textContent = `${shown.map((result, i) => sentence(policies[i].name, result)).join('; ')}.`;
  by('filling').textContent = 'Running more replications for the intervals …';
  const names = policies.map(({name}) => name);
  curve.fill(names, jobs, valueOf(curve.spec?.path)).catch((error) => mistakes.show(error, null));
}

function addEstimate(i, result) {
  panes[i].numbers.add(result);
  for (const pane of panes.slice(1)) {
    pane.numbers.compare(panes[0].numbers, policies[0].name);
  }
}

function setSeed(text) {
  if (/^[0-9]{1,15}$/.test(text)) {
    state.setSeed(Number(text) === loaded.seed ? null : Number(text));
  } else {
    mistakes.setSeed(`seed: found "${text}"; want a whole number from 0`);
  }
}

function whatIsShown() {
  if (shown.length === 0) {
    throw new Error('nothing has been run yet');
  }
  return {
    scene: scene.id === 'sandbox' ? loaded.name || 'scenario' : scene.id,
    title: scene.id === 'sandbox' ? loaded.name || scene.title : scene.title,
    address: encode(state.plain()).then((hash) => new URL(hash, location.href).href),
    panes: panes.map(({replay}, i) =>
      ({name: policies[i].name, replay, text: sentence('', shown[i]), ...jobs[i]})),
    t: clock.t, speed: clock.speed,
  };
}

// animate asks a worker of its own, so that the page goes on.
async function animate(args) {
  runner.extra = 1;
  try {
    await engine.start(jobs.length + 1);
    return await engine.call(jobs.length, 'animate', args);
  } finally {
    runner.extra = 0;
  }
}

// The scene's scenario with all that was changed, as a document of the sandbox.
async function toSandbox() {
  const next = {...state.plain(), scene: 'sandbox', document: documentOf(state, scene), policies};
  history.pushState(null, '', await encode(next)); // the button back returns to the scene
  state.replace(next);
}

let schema = null; // promise of the JSON Schema of scenarios

function fetchSchema() {
  schema ??= fetch('schema.json').then((reply) => reply.json()).catch((error) => {
    schema = null;
    throw error;
  });
  return schema;
}

async function begin() {
  const [index, ready] = await Promise.all([fetch('scenes.json').then((reply) => reply.json()), Engine.open()]);
  engine = ready;
  scenes = index.scenes;
  const sandbox = scenes.find((s) => s.id === 'sandbox');
  if (index.given && sandbox) {
    Object.assign(sandbox, {given: true, scenario: await (await fetch('scenario.yaml')).text()});
  }
  by('version').textContent = index.version ? `Stampede ${index.version}.` : '';
  by('scenes').append(...scenes.map((s) => // whole addresses: a bare # would be a link within the page
    el('li', {}, el('a', {href: new URL(`#v=1&s=${s.id}`, location.href).href, 'data-scene': s.id}, s.title))));
  runner = new Runner(engine);
  runner.addEventListener('results', ({detail}) => showResults(detail.results));
  runner.addEventListener('refused', ({detail: {error, policy}}) =>
    refused(error, {...policies[policy], number: policy}));
  runner.addEventListener('rest', atRest);
  runner.addEventListener('estimate', ({detail}) => addEstimate(detail.policy, detail.result));
  runner.addEventListener('filled', () => { by('filling').textContent = ''; });
  state.addEventListener('change', ({detail}) => refresh(detail));
  window.addEventListener('hashchange', readAddress);
  by('next-seed').addEventListener('click', () => setSeed(String((state.seed ?? loaded.seed) + 1)));
  by('seed').addEventListener('change', () => setSeed(by('seed').value.trim()));
  by('reset').addEventListener('click', () => {
    state.replace(defaults(scene.id));
    writeAddress();
  });
  by('to-sandbox').addEventListener('click', toSandbox);
  if (index.given && sandbox && location.hash === '') {
    state.replace(defaults('sandbox'));
  } else {
    await readAddress();
  }
  fetchSchema().catch(() => {}); // now, so that the editor needs no server later
}

if (!document.documentElement.dataset.unsupported) {
  begin().catch((error) => {
    by('waiting').hidden = true;
    trouble(`The page cannot start: ${error.message}`);
    throw error;
  });
}
