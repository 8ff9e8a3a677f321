// Picture: the herd of one policy on a canvas: a dot for each call, and beside the dots the limits and slots of the
// provider.
//
//   new Picture(canvas)        size the canvas by CSS; the picture follows it
//   .show(replay)              from now on this replay is drawn
//   .draw(t)                   draws t; costs little when little has changed since the last draw
//   .speed                     virtual seconds a second of playing: how long a refusal is shown
//   .counts                    of the last draw, by state (see STATES of replay.js)
//   .describe(t)               a sentence for aria-label; set it when the picture is at rest
//   .small                     the dots are too small for shapes; the page should say so
//   .onLayout                  called after the layout has changed
//   .restyle()                 reads the colours again, after a change of theme
//   .destroy()
//
// Colours are custom properties of the canvas: those of picture.css, and --ink, --paper, --muted, --line of the page.
// How flashes are kept under three a second is written in dots.js.

import {Dots, fit, LARGEST} from './dots.js';
import {FLASH_S, STATES} from './replay.js';
import {COLOURS, WORDS} from './shapes.js';
import {drawPlaces, drawVessel, placesLayout, placesText, VESSEL, vesselText} from './vessel.js';

const GAP = 14; // CSS pixels between dots and vessels
const BESIDE = 560; // from this width on, vessels stand beside the dots, else below them

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', {alpha: false});
    this.dots = new Dots(this.context);
    this.replay = null;
    this.speed = 1;
    this.t = 0;
    this.counts = new Uint32Array(STATES.length);
    this.states = new Uint8Array(0);
    this.parts = []; // vessels and places: {text, draw}
    this.onLayout = () => {};
    canvas.setAttribute('role', 'img');
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.restyle = this.restyle.bind(this);
    this.dark.addEventListener('change', this.restyle);
    this.resizes = new ResizeObserver(() => this.#layout());
    this.resizes.observe(canvas);
  }

  destroy() {
    this.resizes.disconnect();
    this.dark.removeEventListener('change', this.restyle);
    clearTimeout(this.timer);
  }

  get small() { return this.dots.small; }

  show(replay) {
    const same = this.replay && this.replay.n === replay.n && this.#plan(this.replay) === this.#plan(replay);
    this.replay = replay;
    this.states = new Uint8Array(replay.n);
    if (same) {
      this.#makeParts();
      this.draw(this.t);
    } else {
      this.#layout();
    }
  }

  restyle() { this.#layout(); }

  // The plan of the vessels as a word: the layout depends on nothing else of a replay but n.
  #plan(replay) {
    const {vessels, places} = partsOf(replay);
    return [vessels.length, ...places.map((at) => at(0).all)].join(' ');
  }

  #layout() {
    const {canvas, context, replay} = this;
    const ratio = Math.min(3, devicePixelRatio || 1);
    const w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
    if (w === 0 || h === 0) return;
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    // Sizes follow the page's font, which grows on large screens: what is in CSS pixels is for a font of 16 pixels.
    const scale = ratio * parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.#readLook(scale);
    context.fillStyle = this.look.paper;
    context.fillRect(0, 0, w, h);
    if (!replay) return;
    const room = this.#placeParts(w, h, scale);
    this.dots.place(room, replay.n, this.colours, scale);
    this.#makeParts();
    this.draw(this.t);
    this.onLayout(this);
  }

  #readLook(scale) {
    const style = getComputedStyle(this.canvas);
    const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
    const paper = read('--paper', '#fff'), ink = read('--ink', '#1c2024');
    this.colours = {paper, states: COLOURS.map((name) => read(name, '#888'))};
    this.look = {
      ratio: scale, paper, ink, muted: read('--muted', '#666'), line: read('--vessel-line', '#889'),
      water: read('--water', '#bcd7ea'), surface: read('--water-surface', '#7fb2d6'),
      taken: read('--state-provider', '#E69F00'), warn: read('--warn', '#b34700'),
      font: style.fontFamily || 'sans-serif',
    };
  }

  // The boxes of vessels and places, in device pixels; returns the room that is left for the dots.
  #placeParts(w, h, scale) {
    const p = (v) => Math.round(v * scale);
    const {vessels, places} = partsOf(this.replay);
    const gap = p(GAP), count = vessels.length;
    this.boxes = {vessels: [], places: []};
    if (count + places.length === 0) return {x: 0, y: 0, w, h};
    if (w >= p(BESIDE)) {
      const side = p(VESSEL.w), x = w - side;
      const heights = this.#placeHeights(places, side / scale, p);
      const free = h - heights.reduce((a, b) => a + b + gap, 0) - Math.max(0, count - 1) * gap;
      const each = Math.min(p(VESSEL.most), Math.floor(free / Math.max(1, count)));
      for (let i = 0; i < count; i++) this.boxes.vessels.push({x, y: i * (each + gap), w: side, h: each});
      let y = count * (each + gap);
      for (const height of heights) {
        this.boxes.places.push({x, y, w: side, h: height});
        y += height + gap;
      }
      return {x: 0, y: 0, w: x - Math.round(gap * 1.5), h};
    }
    const heights = this.#placeHeights(places, w / scale, p);
    const below = heights.reduce((a, b) => a + b, 0);
    const across = Math.max(1, Math.min(count, Math.floor(w / p(VESSEL.w - 14))));
    const rows = Math.ceil(count / across);
    const room = {x: 0, y: 0, w, h: Math.max(1, h - below - rows * p(VESSEL.least) - gap)};
    // What the grid leaves free goes to the vessels.
    const grid = fit(room.w, room.h, this.replay.n, LARGEST * scale);
    let y = Math.min(room.h, grid.rows * grid.cell) + gap;
    const each = Math.min(p(VESSEL.most), rows > 0 ? Math.floor((h - below - y) / rows) : 0);
    for (let i = 0; i < count; i++) {
      const step = Math.floor(w / across), row = Math.floor(i / across);
      this.boxes.vessels.push({x: (i % across) * step, y: y + row * each, w: step - p(8), h: each - p(8)});
    }
    y += rows * each;
    for (const height of heights) {
      this.boxes.places.push({x: 0, y, w, h: height});
      y += height;
    }
    return room;
  }

  #placeHeights(places, width, p) { return places.map((at) => p(placesLayout(at(0).all, width).h)); }

  // Each part tells what it would show at t as a text; it is drawn only when that text changes.
  #makeParts() {
    const {replay, context, look, boxes} = this;
    const {vessels, places} = partsOf(replay);
    this.parts = [
      ...vessels.map((at, i) => ({
        text: (t) => `${vesselText(at(t))} ${Math.round(at(t).level * boxes.vessels[i].h)}`,
        draw: (t) => drawVessel(context, boxes.vessels[i], at(t), look),
      })),
      ...places.map((at, i) => ({
        text: (t) => placesText(at(t)),
        draw: (t) => drawPlaces(context, boxes.places[i], at(t), look),
      })),
    ];
  }

  draw(t, now = performance.now()) {
    this.t = t;
    const {replay, states, counts} = this;
    if (!replay || !this.look) return;
    replay.states(t, states, FLASH_S * this.speed);
    counts.fill(0);
    for (let i = 0; i < states.length; i++) counts[states[i]]++;
    const again = this.dots.draw(states, now);
    for (const part of this.parts) {
      const text = part.text(t);
      if (text === part.shown) continue;
      part.shown = text;
      part.draw(t);
    }
    clearTimeout(this.timer);
    // While nobody draws, dots that were held still get their last state.
    if (again < Infinity) this.timer = setTimeout(() => this.draw(this.t), Math.max(20, again - now));
  }

  describe(t) {
    const {replay} = this;
    if (!replay) return '';
    const counts = replay.countsAt(t, FLASH_S * this.speed);
    const states = STATES.map((key, i) => [counts[key], WORDS[i]]).filter(([count]) => count > 0)
      .map(([count, word]) => `${count} ${word}`);
    const {vessels, places} = partsOf(replay);
    const parts = [
      ...vessels.map((at) => vesselText(at(t))).map(([name, left, of]) => `limit ${name}: ${left} ${of}`),
      ...places.map((at) => at(t)).map((one) => `${one.name}: ${placesText(one)}`),
    ];
    return `${replay.n} calls at ${t.toFixed(1)} s: ${[states.join(', '), ...parts].join('; ')}.`;
  }
}

// partsOf is what is drawn beside the dots, each as a function of t.
function partsOf(replay) {
  const vessels = [], places = [];
  for (const limit of replay.shownLimits()) {
    const one = replay.limits[limit];
    if (one.unit === 'concurrency') {
      places.push((t) => ({name: one.name, all: one.amount, ...replay.heldAt(limit, t)}));
    } else {
      vessels.push((t) => ({...one, level: replay.levelAt(limit, t)}));
    }
  }
  if (replay.slots > 0) {
    places.push((t) => {
      const there = replay.slotsAt(t), taken = Math.min(there, replay.slots);
      return {name: 'slots', all: replay.slots, taken, left: 0, queued: there - taken};
    });
  }
  return {vessels, places};
}
