// Legend: the states of one picture as a list of shape, word and count.
//
//   new Legend(element)     element: an empty <ul>
//   .show(replay)           lists the states that occur in this replay
//   .update(counts, rest)   counts by state, of Picture.counts; while playing at most ten times a second, and at once
//                           when rest is true
//   .note(small)            says that the dots are too small for shapes

import {ABSENT, IDLE, STATES} from './replay.js';
import {shapeSVG, WORDS} from './shapes.js';

const EVERY_MS = 100;

export class Legend {
  constructor(element) {
    this.element = element;
    element.classList.add('legend');
    this.last = -Infinity;
    this.items = STATES.map((_, state) => {
      if (state === ABSENT) return null;
      const item = document.createElement('li');
      item.innerHTML = `${shapeSVG(state)}<span class="word">${WORDS[state]}</span> <b class="count">0</b>`;
      element.append(item);
      return {item, count: item.querySelector('.count'), shown: 0};
    });
    this.remark = document.createElement('li');
    this.remark.className = 'remark';
    this.remark.textContent = 'Dots this small show their state by colour alone.';
    this.remark.hidden = true;
    element.append(this.remark);
  }

  show(replay) {
    // Room for the largest count, so that nothing moves while counts change.
    this.element.style.setProperty('--digits', String(replay.n).length);
    this.items[IDLE].item.hidden = !(replay.together && replay.n > 0 && replay.calls[0] > 0);
  }

  note(small) { this.remark.hidden = !small; }

  update(counts, rest = false) {
    const now = performance.now();
    if (!rest && now - this.last < EVERY_MS) return;
    this.last = now;
    this.items.forEach((entry, state) => {
      if (!entry || entry.shown === counts[state]) return;
      entry.shown = counts[state];
      entry.count.textContent = counts[state].toLocaleString('en');
    });
  }
}
