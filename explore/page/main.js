// Wires the page: state -> engine -> pictures and numbers.

import {encode} from './address.js';
import {Busy} from './busy.js';
import {Charts, Curve} from './charts.js';
import {Clock} from './clock.js';
import {ClockBar} from './clockbar.js';
import {Controls} from './controls.js';
import {el} from './dom.js';
import {Editor} from './editor.js';
import {Engine, get} from './engine.js';
import {Mistakes} from './mistakes.js';
import {metricsOf, sentence} from './numbers.js';
import {Pane} from './panes.js';
import {Place} from './place.js';
import {Policies} from './policies.js';
import {Replay} from './replay.js';
import {Runner} from './runner.js';
import {SceneCurve} from './scenecurve.js';
import {Share} from './share.js';
import {State, defaults, differs, documentOf, policiesOf, settingsOf} from './state.js';

const by = (id) => document.getElementById(id);
const state = new State();
const place = new Place(state, trouble);
const panes = [];
let scenes = [], scene = null, engine = null, runner = null;
let loaded = null;     // what the engine says of the document
let loadedText = null; // the document that it says it of
let loadedScene = null;
let policies = [], jobs = []; // as they are set; a job is {name, document, set}
let shown = [], ran = [];     // the results that are seen, and the jobs that they are of
let mostDollars = 1;   // the largest bill of what is shown
let opening = true;    // the next results are the first of a scene

const busy = new Busy({region: by('panes'), line: by('filling'), body: document.body});
const clock = new Clock({onTick: draw, onState: () => bar.show()});
const bar = new ClockBar(clock);
const charts = new Charts(by('charts'));
const curve = new SceneCurve(by('curve'), new Curve(by('curve')), (...args) => engine.call(...args));
const controls = new Controls({few: by('sliders'), more: by('more-sliders'),
  onInput: (path, text) => state.setSlider(path, text)});
const forms = new Policies(by('policy-forms'), (list, how) => state.setPolicies(list, how));
const editor = new Editor(by('editor'), {
  onChange: editDocument,
  schema: fetchSchema,
});
const mistakes = new Mistakes({place: by('mistakes'), controls, forms, editor, trouble,
  seed: {input: by('seed'), place: by('seed-mistake')}});
const share = new Share(by('share'), {ask: whatIsShown, call: (...args) => engine.call(...args),
  animate: (args) => engine.aside('animate', args)});
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

function openScene() {
  scene = scenes.find((s) => s.id === state.scene);
  document.title = `${scene.title} · Stampede`;
  document.documentElement.dataset.scene = scene.id;
  by('look').open = false;
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
  curve.open(scene, ownDocument() ? scene.curve : null);
  opening = true;
  clock.pause();
  document.body.classList.add('opening');
}

// ownDocument says whether the document is the scene's: then its texts, policies, sliders and curve are about it.
function ownDocument() {
  return state.document === null && !scene.given;
}

function showTexts() {
  const own = ownDocument(), opened = own && differs(state) ? 'As the scene opens: ' : '';
  by('title').textContent = own ? scene.title : loaded?.name || scene.title;
  by('predict').textContent = own ? opened + scene.predict :
    'Change the scenario, a setting or a policy. What do you expect, and what happens?';
  const left = own || state.policies !== null || !loaded ? '' : loaded.leftOut;
  by('left-out').textContent = left && `${left[0].toUpperCase()}${left.slice(1)}.`;
  by('left-out').hidden = !left;
  by('look-text').textContent = opened + scene.look;
  by('look').hidden = !own || !scene.look;
}

// refresh brings the page up to the state: reads the document if it is another, then asks for runs.
async function refresh(changed) {
  if (changed.scene) {
    openScene();
    showTexts();
  } else {
    place.write();
  }
  if (changed.names && !changed.settings && rename()) {
    return;
  }
  by('said').textContent = '';
  busy.set(true);
  curve.cancel();
  const text = documentOf(state, scene);
  editor.show(text);
  if (text !== loadedText || loadedScene !== scene) {
    runner.cancel();
    if (!await load(text) || text !== documentOf(state, scene)) {
      return;
    }
  }
  showTexts();
  controls.show(state.sliders);
  policies = policiesOf(state, scene, loaded);
  forms.show(policies, state.policies !== null);
  by('seed').value = String(state.seed ?? loaded.seed);
  curve.mark(valueOf(curve.spec?.path));
  jobs = policies.map((policy) => ({name: policy.name, document: text, set: settingsOf(state, policy)}));
  runner.ask(jobs);
}

// rename gives the policies the names of the state, and says whether no more than these is another.
function rename() {
  const list = policiesOf(state, scene, loaded);
  if (list.length !== jobs.length || loadedText !== documentOf(state, scene) || loadedScene !== scene) {
    return false;
  }
  policies = list;
  list.forEach(({name}, i) => { jobs[i].name = name; });
  showTexts();
  forms.show(policies, state.policies !== null);
  if (jobs === ran) { // else the names come with the pictures
    const names = showNames();
    charts.rename(names);
    curve.rename(names);
    compare();
  }
  return true;
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
  controls.build(scene, loaded.numbers, ownDocument());
  return true;
}

function refused(error, policy) {
  busy.set(false);
  document.body.classList.remove('opening');
  by('waiting').hidden = true;
  by('filling').textContent = ''; // nothing fills in
  by('stale').textContent = shown.length > 0 ? 'The settings have a mistake: this is the last run without one.' :
    'The scenario has a mistake, so that nothing has been run yet.';
  mistakes.show(error, policy);
}

function setPanes() {
  while (panes.length > ran.length) {
    panes.pop().remove();
  }
  while (panes.length < ran.length) {
    panes.push(new Pane(panes.length));
    by('panes').append(panes.at(-1).element);
  }
  by('panes').dataset.count = String(ran.length);
}

/** Names what is seen, and returns the names. */
function showNames() {
  const names = ran.map(({name}) => name);
  names.forEach((name, i) => panes[i].setName(name));
  share.show(names);
  return names;
}

function showResults(results, wish) {
  mistakes.clear();
  by('waiting').hidden = true;
  shown = results.map(({result}) => result);
  ran = wish.jobs;
  setPanes();
  const names = showNames();
  const replays = results.map(({result, buffers}) => new Replay(result, arrays(buffers)));
  const ended = clock.finished && !clock.playing && clock.end > 0;
  clock.end = Math.max(...replays.map((replay) => replay.end));
  const metrics = metricsOf(shown);
  const bills = replays.map((replay) => replay.dollarsAt(Infinity));
  mostDollars = Math.max(...bills.map(({useful, wasted}) => useful + wasted)) || 1;
  replays.forEach((replay, i) => panes[i].show(replay, shown[i], metrics));
  showCurves(replays, names, opening);
  by('clipped').hidden = !shown.some(({clipped}) => clipped);
  by('filling').textContent = '';
  if (opening) {
    opening = false;
    document.body.classList.remove('opening');
    if (!ownDocument()) {
      bar.fit(clock.end);
    }
    clock.open();
  } else if (ended) {
    clock.seek(clock.end);
  } else {
    draw(clock.t);
  }
}

let curves = null; // what the charts are to show

// showCurves shows the curves after the next frame, unless at once: numbers and pictures come first, for a slider that
// moves.
function showCurves(replays, names, atOnce) {
  const wish = curves = {replays, names};
  const show = () => {
    if (wish !== curves) return;
    charts.show(replays, names);
    by('charts').setAttribute('aria-busy', 'false');
  };
  by('charts').setAttribute('aria-busy', 'true');
  if (atOnce) show();
  else requestAnimationFrame(() => setTimeout(show));
}

function arrays(buffers) {
  return Object.fromEntries(Object.entries(buffers).map(([name, buffer]) => [name, new Float64Array(buffer)]));
}

function atRest() {
  by('said').textContent = `${shown.map((result, i) => sentence(ran[i].name, result)).join('; ')}.`;
  by('filling').textContent = 'Running more replications for the intervals …';
  const names = ran.map(({name}) => name);
  curve.fill(names, ran, valueOf(curve.spec?.path)).catch((error) => mistakes.show(error, null));
}

function addEstimate(i, result) {
  panes[i].numbers.add(result);
  compare();
}

function compare() {
  for (const pane of panes.slice(1)) {
    pane.numbers.compare(panes[0].numbers, ran[0].name);
  }
}

function setSeed(text) {
  if (/^[0-9]{1,15}$/.test(text)) {
    state.setSeed(Number(text) === loaded?.seed ? null : Number(text));
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
    address: encode({...state.plain(), document: scene.given ? documentOf(state, scene) : state.document})
      .then((hash) => new URL(hash, location.href).href),
    panes: panes.map(({replay}, i) => ({replay, text: sentence('', shown[i]), ...ran[i]})),
    t: clock.t, speed: clock.speed, end: charts.end,
  };
}

// An edited document keeps the policies of its scene; those of a document that was given follow its sweep.
function editDocument(text) {
  if (state.document === null && state.policies === null && !scene.given) {
    state.policies = structuredClone(scene.policies);
  }
  state.setDocument(text === scene.scenario ? null : text);
}

// The scene's scenario with all that was changed, as a document of the sandbox.
function toSandbox() {
  return place.go({...state.plain(), scene: 'sandbox', document: documentOf(state, scene), policies});
}

let schema = null; // promise of the JSON Schema of scenarios

function fetchSchema() {
  schema ??= get('schema.json').then((reply) => reply.json()).catch((error) => {
    schema = null;
    throw error;
  });
  return schema;
}

async function begin() {
  const [index, ready] = await Promise.all([get('scenes.json').then((reply) => reply.json()), Engine.open()]);
  engine = ready;
  scenes = index.scenes;
  const sandbox = scenes.find((s) => s.id === 'sandbox');
  if (index.given && sandbox) {
    Object.assign(sandbox, {given: true, scenario: await (await get('scenario.yaml')).text()});
  }
  by('version').textContent = index.version ? `Stampede ${index.version}.` : '';
  by('scenes').append(...scenes.map((s) => // whole addresses: a bare # would be a link within the page
    el('li', {}, el('a', {href: new URL(`#v=1&s=${s.id}`, location.href).href, 'data-scene': s.id}, s.title))));
  runner = new Runner(engine);
  runner.addEventListener('results', ({detail}) => {
    showResults(detail.results, detail.wish);
    busy.set(false);
    busy.set(runner.pending);
  });
  runner.addEventListener('refused', ({detail: {error, policy}}) =>
    refused(error, {...policies[policy], number: policy}));
  runner.addEventListener('rest', atRest);
  runner.addEventListener('estimate', ({detail}) => addEstimate(detail.policy, detail.result));
  runner.addEventListener('filled', () => { by('filling').textContent = ''; });
  state.addEventListener('change', ({detail}) => refresh(detail));
  place.follow(scenes.map((s) => s.id));
  by('next-seed').addEventListener('click', () => setSeed(String((state.seed ?? loaded?.seed ?? 1) + 1)));
  by('seed').addEventListener('change', () => setSeed(by('seed').value.trim()));
  by('reset').addEventListener('click', () => {
    state.replace(defaults(scene.id));
    place.write();
  });
  by('to-sandbox').addEventListener('click', toSandbox);
  if (index.given && sandbox && location.hash === '') {
    state.replace(defaults('sandbox'));
  } else {
    await place.read();
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
