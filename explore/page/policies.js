// The policies side by side: each has a name and settings, one PATH=VALUE a line, and can be added and removed.

import {el, freshId, setMistake} from './dom.js';
import {MAX_POLICIES} from './state.js';

/** Policies is the form of the policies. onChange(policies, {names}) is called for each change. */
export class Policies {
  #cards = [];
  policies = [];

  constructor(element, onChange) {
    this.onChange = onChange;
    this.list = el('ol', {class: 'policy-forms'});
    this.add = el('button', {type: 'button', onclick: () => this.#add()}, 'Add a policy');
    this.back = el('button', {type: 'button', class: 'quiet', onclick: () => onChange(null, {})}, 'Reset policies');
    element.append(this.list, el('div', {class: 'row'}, this.add, this.back));
  }

  /** Shows policies. Cards whose inputs have the focus keep it. */
  show(policies, changed) {
    this.policies = structuredClone(policies);
    this.back.hidden = !changed;
    this.add.disabled = policies.length >= MAX_POLICIES;
    if (this.#cards.length !== policies.length) {
      this.#cards = policies.map((_, i) => this.#card(i));
      this.list.replaceChildren(...this.#cards.map((card) => card.item));
    }
    policies.forEach((policy, i) => {
      const {name, set, remove} = this.#cards[i];
      const text = policy.set.join('\n');
      if (name.value.trim() !== policy.name) {
        name.value = policy.name;
      }
      if (settings(set.value).join('\n') !== text) {
        set.value = text;
      }
      set.rows = Math.max(2, Math.min(8, policy.set.length + 1));
      remove.hidden = policies.length === 1;
      remove.setAttribute('aria-label', `Remove ${policy.name}`);
    });
  }

  /** Puts the sentence of a mistake beside a policy; null takes all away. */
  setMistake(i, text) {
    this.#cards.forEach((card, at) => setMistake(card.set, card.mistake, at === i ? text : null));
  }

  #card(i) {
    const id = freshId('policy');
    const name = el('input', {type: 'text', id, maxLength: 60, autocomplete: 'off', oninput: () => this.#edit(true)});
    const set = el('textarea', {id: `${id}-set`, rows: 2, spellcheck: false, autocomplete: 'off', autocapitalize: 'off',
      oninput: () => this.#edit(false)});
    const remove = el('button', {type: 'button', class: 'quiet', onclick: () => this.#remove(i)}, 'Remove');
    const mistake = el('p', {class: 'mistake', id: `${id}-mistake`, hidden: true});
    const item = el('li', {},
      el('div', {class: 'row'}, el('label', {for: id}, `Name ${i + 1}`), name, remove),
      el('label', {for: `${id}-set`}, 'Settings, one PATH=VALUE a line'), set, mistake);
    return {item, name, set, remove, mistake};
  }

  #edit(names) {
    this.onChange(this.#cards.map(({name, set}, i) => ({
      name: name.value.trim() || `policy ${i + 1}`,
      set: names ? this.policies[i].set : settings(set.value),
    })), {names});
  }

  #add() {
    const last = this.policies.at(-1);
    this.onChange([...this.policies, {name: `policy ${this.policies.length + 1}`, set: [...last?.set ?? []]}], {});
    this.#cards.at(-1)?.name.focus();
    this.#cards.at(-1)?.name.select();
  }

  #remove(i) {
    this.onChange(this.policies.filter((_, at) => at !== i), {});
    this.add.focus();
  }
}

/** The settings of a text: its lines that are not empty. */
export function settings(text) {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
}
