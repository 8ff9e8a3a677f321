// The sliders: each sets one path of the scenario for all policies. A range input moves over the stops of its
// scale; beside it any value can be typed, which the engine checks.

import {el, freshId, setMistake} from './dom.js';
import {derived, nearest, numberIn, setting, stops} from './scale.js';

/** Slider is one row: label, range, text, reset, and the sentence of a mistake. */
class Slider {
  constructor(spec, initial, onInput) {
    this.path = spec.path;
    this.spec = spec;
    this.initial = initial; // the scene's value as text, '' where the document does not say it
    this.onInput = onInput;
    const id = freshId('slider');
    const start = initial === '' ? null : numberIn(initial, spec.unit);
    this.stops = stops(spec, start);
    this.range = el('input', {type: 'range', min: '0', max: String(this.stops.length - 1), step: '1', id,
      'data-path': spec.path, oninput: () => this.#slide()});
    this.text = el('input', {type: 'text', class: 'value', 'aria-label': `${labelOf(spec)}, value`, autocomplete: 'off',
      spellcheck: false, 'data-path': spec.path, onchange: () => this.#type(), placeholder: 'not set'});
    this.reset = el('button', {type: 'button', class: 'quiet reset', title: `back to ${initial || 'not set'}`,
      'aria-label': `Reset ${labelOf(spec)}`, onclick: () => this.#back()}, 'reset');
    this.mistake = el('p', {class: 'mistake', id: `${id}-mistake`, hidden: true});
    const label = el('label', {for: id, title: spec.path}, spec.label ?? el('code', {}, spec.path));
    this.row = el('div', {class: 'slider'}, label, this.reset, this.range, this.text, this.mistake);
    this.show(initial);
  }

  /** Shows a text as the value. */
  show(text) {
    this.text.value = text;
    const number = numberIn(text, this.spec.unit);
    if (number !== null) {
      this.range.value = String(nearest(this.stops, number));
    } else if (text === '') {
      this.range.value = '0';
    }
    this.range.setAttribute('aria-valuetext', text === '' ? 'not set' : text);
    this.reset.hidden = text === this.initial;
    this.setMistake(null);
  }

  setMistake(text) {
    setMistake(this.text, this.mistake, text);
  }

  #slide() {
    const value = this.stops[Number(this.range.value)];
    const same = this.initial !== '' && numberIn(this.initial, this.spec.unit) === value;
    this.#tell(same ? this.initial : setting(value, this.spec.unit));
  }

  #type() {
    this.#tell(this.text.value.trim());
  }

  #back() {
    this.#tell(this.initial);
    this.range.focus();
  }

  #tell(text) {
    this.show(text);
    this.onInput(this.path, text === this.initial || text === '' ? null : text);
    if (text === '') {
      this.show(this.initial);
    }
  }
}

function labelOf(spec) {
  return spec.label ?? spec.path;
}

// What "More settings" leaves out: it is set elsewhere on the page, or changes nothing there.
const elsewhere = /^(sweep|uncertain|seed|replications|goals|minimize|maximize)\b/;

/** Controls are the sliders of a scene. */
export class Controls {
  #sliders = new Map();

  /** few and more are elements; onInput(path, text or null) is called for each change. */
  constructor({few, more, onInput}) {
    this.few = few;
    this.more = more;
    this.onInput = onInput;
  }

  /**
   * Builds the sliders of a scene over a document with these numbers: [{path, text, number, unit}]. Where the document
   * is not the scene's own, only those sliders stay whose number it has.
   */
  build(scene, numbers, own) {
    this.#sliders.clear();
    const known = new Map(numbers.map((n) => [n.path, n]));
    const given = [scene.sliders ?? [], scene.more ?? []].map((list) =>
      list.filter(({path}) => own || known.has(path)));
    const make = (spec) => {
      const slider = new Slider(spec, known.get(spec.path)?.text ?? '', this.onInput);
      this.#sliders.set(spec.path, slider);
      return slider.row;
    };
    this.few.replaceChildren(...given[0].map(make));
    const rest = numbers.filter((n) => !this.#sliders.has(n.path) && !elsewhere.test(n.path) &&
      !given[1].some((spec) => spec.path === n.path));
    const rows = given[1].map(make);
    let part = '';
    for (const number of rest) {
      const top = number.path.includes('.') ? number.path.split('.')[0] : part;
      if (top !== part) {
        rows.push(el('h3', {}, part = top));
      }
      rows.push(make({path: number.path, ...derived(number)}));
    }
    this.more.replaceChildren(...rows);
  }

  /** Shows the values of a state, {path: text}; paths without a slider are returned. */
  show(values) {
    for (const [path, slider] of this.#sliders) {
      slider.show(values[path] ?? slider.initial);
    }
    return Object.keys(values).filter((path) => !this.#sliders.has(path));
  }

  /** Puts the sentences of mistakes beside their sliders; returns those that have no slider. */
  setMistakes(mistakes) {
    for (const slider of this.#sliders.values()) {
      slider.setMistake(null);
    }
    return mistakes.filter(({path, text}) => {
      const slider = this.#sliders.get(path);
      slider?.setMistake(text);
      return !slider;
    });
  }
}
