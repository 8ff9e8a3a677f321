// Dots: the calls of one replay in a grid, in order of arrival, drawn into a part of a canvas.
//
//   new Dots(context)
//   .place(box, n, colours, scale)   box {x, y, w, h} in device pixels; colours {paper, states: by state}; scale:
//                                    device pixels a CSS pixel, times the scale of the page's font
//   .draw(states, now)               draws what has changed; returns when to draw again, or Infinity
//   .grid {columns, rows, cell, size}, .small: shapes are too small to tell apart
//
// Each state is drawn once, into a sprite; a dot that changes is a copy of a sprite's pixels into an image, and one
// putImageData a frame shows the changed rows. Without a GPU this takes a tenth of the time of paths (3 x 5,000 dots
// that all change: 1 ms against 9 ms), since no path is filled and no draw call is recorded for each dot.
//
// Flashes (WCAG 2.3.1): a dot that has changed keeps its look for HOLD_MS of the time of day, whatever the speed of
// playing. So a dot changes at most five times in a second; a flash is a pair of changes, which makes two. A
// refusal is a state of replay.FLASH_S seconds, longer than this, so that it is never skipped.

import {drawShape, SMALLEST} from './shapes.js';
import {STATES} from './replay.js';

export const HOLD_MS = 201; // five changes, so at most two whole flashes, in 1.005 s

export const LARGEST = 30; // CSS pixels of a cell
const UNDRAWN = 255;

// fit is the largest square cell of which n fit into w by h, and the grid that it makes.
export function fit(w, h, n, largest) {
  let cell = Math.max(1, Math.min(Math.floor(largest), Math.floor(w), Math.floor(h)));
  while (cell > 1 && Math.floor(w / cell) * Math.floor(h / cell) < n) cell--;
  const columns = Math.max(1, Math.min(n, Math.floor(w / cell)));
  return {cell, columns, rows: Math.ceil(n / columns)};
}

export class Dots {
  constructor(context) {
    this.context = context;
    this.grid = {columns: 0, rows: 0, cell: 0, size: 0};
    this.small = false;
    this.n = 0;
    this.shown = new Uint8Array(0);
    this.held = new Float64Array(0);
  }

  place(box, n, colours, scale) {
    const {cell, columns, rows} = fit(box.w, box.h, n, LARGEST * scale);
    const gap = cell >= 12 ? Math.round(cell * 0.28) : cell >= 7 ? 2 : cell > 1 ? 1 : 0;
    const size = cell - gap;
    this.grid = {columns, rows, cell, size};
    this.small = size / scale < SMALLEST;
    this.x = box.x + Math.floor((box.w - columns * cell) / 2);
    this.y = box.y;
    this.#makeSprites(cell, this.small ? Math.min(size, SMALLEST - 0.5) : size, colours);
    this.image = this.context.createImageData(columns * cell, Math.max(1, rows * cell));
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.pixels.fill(this.sprites[0]); // a sprite's first pixel is paper
    if (n !== this.n) {
      this.n = n;
      this.held = new Float64Array(n);
    }
    this.shown = new Uint8Array(n).fill(UNDRAWN);
  }

  #makeSprites(cell, size, colours) {
    const canvas = document.createElement('canvas');
    canvas.width = cell;
    canvas.height = cell * STATES.length;
    const context = canvas.getContext('2d', {alpha: false, willReadFrequently: true});
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    STATES.forEach((_, state) => {
      drawShape(context, state, cell / 2, cell * state + cell / 2, size, colours.states[state]);
    });
    const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
    this.sprites = new Uint32Array(data.buffer);
  }

  draw(states, now) {
    const {shown, held, n} = this;
    const {columns, cell} = this.grid;
    let first = n, last = -1, again = Infinity;
    for (let i = 0; i < n; i++) {
      const state = states[i];
      if (state === shown[i]) continue;
      if (now < held[i] && shown[i] !== UNDRAWN) {
        if (held[i] < again) again = held[i];
        continue;
      }
      held[i] = now + HOLD_MS;
      shown[i] = state;
      this.#copy(i, state);
      if (i < first) first = i;
      last = i;
    }
    if (last >= 0) {
      const top = Math.floor(first / columns) * cell, bottom = (Math.floor(last / columns) + 1) * cell;
      this.context.putImageData(this.image, this.x, this.y, 0, top, columns * cell, bottom - top);
    }
    return again;
  }

  #copy(i, state) {
    const {pixels, sprites} = this;
    const {columns, cell} = this.grid;
    const width = columns * cell;
    let to = Math.floor(i / columns) * cell * width + (i % columns) * cell;
    let from = state * cell * cell;
    for (let y = 0; y < cell; y++) {
      for (let x = 0; x < cell; x++) pixels[to + x] = sprites[from + x];
      to += width;
      from += cell;
    }
  }
}
