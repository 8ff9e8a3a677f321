// A pane is what is seen of one policy: its name, its picture with a legend, and its numbers.

import {el} from './dom.js';
import {Legend} from './legend.js';
import {Numbers} from './numbers.js';
import {Picture} from './picture.js';

export class Pane {
  constructor(i) {
    this.name = el('h3', {});
    const canvas = el('canvas', {class: 'picture'}), states = el('ul', {'aria-label': 'States of the calls'});
    const under = el('div', {class: 'under'});
    this.canvas = canvas;
    this.element = el('article', {class: 'pane', 'data-policy': String(i), hidden: true},
      this.name, canvas, states, under);
    this.numbers = new Numbers(under);
    this.picture = new Picture(canvas);
    this.legend = new Legend(states);
    this.picture.onLayout = () => this.legend.note(this.picture.small);
  }

  setName(name) {
    this.name.textContent = name;
    this.canvas.setAttribute('aria-label', `${name}: picture of the calls`);
  }

  /** Shows a run; metrics are the names of those to list. */
  show(replay, result, metrics) {
    this.replay = replay;
    this.element.hidden = false; // a canvas that is hidden has no size
    this.numbers.show(result, metrics);
    this.picture.show(replay);
    this.legend.show(replay);
  }

  /** Draws the time t; still when it does not go on from there. */
  draw(t, {speed, still, mostDollars}) {
    if (!this.replay) {
      return;
    }
    this.numbers.spent(this.replay.dollarsAt(t), mostDollars);
    this.picture.speed = speed;
    this.picture.draw(t);
    this.legend.update(this.picture.counts, still);
    if (still) {
      this.canvas.setAttribute('aria-label', this.picture.describe(t));
    }
  }

  remove() {
    this.picture.destroy();
    this.element.remove();
  }
}
