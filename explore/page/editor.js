// The editor of a scenario: a text area with line numbers, the mistakes that the engine finds, and completion.

import {Completion, contextAt} from './completion.js';
import {el, freshId} from './dom.js';

const changeMs = 350;
const maxShown = 50;

/** Editor edits one document. onChange(text) is called a moment after the last key. */
export class Editor {
  #timer = 0;
  #items = [];
  #active = -1;
  #completion = null;
  #leave = false; // Escape was pressed: Tab leaves

  constructor(element, {onChange, schema}) {
    this.onChange = onChange;
    this.schema = schema; // () => Promise of the JSON Schema
    const id = freshId('editor');
    this.element = element;
    this.gutter = el('div', {class: 'gutter', 'aria-hidden': 'true'});
    this.list = el('ul', {class: 'completions', role: 'listbox', id: `${id}-list`, 'aria-label': 'Completions',
      hidden: true});
    this.text = el('textarea', {id, wrap: 'off', spellcheck: false, autocomplete: 'off', autocapitalize: 'off',
      'aria-autocomplete': 'list', 'aria-describedby': `${id}-help`, rows: 24});
    this.mistakes = el('ol', {class: 'mistakes', 'aria-label': 'Mistakes', hidden: true});
    this.about = el('p', {class: 'about unseen', 'aria-live': 'polite'});
    element.append(
      el('label', {for: id, class: 'title'}, 'Scenario'),
      el('div', {class: 'frame'}, this.gutter, this.text, this.list),
      el('p', {class: 'note', id: `${id}-help`},
        'Ctrl+Space completes. Tab inserts two spaces; press Escape, then Tab, to leave.'),
      this.mistakes, this.about);
    this.text.addEventListener('input', (event) => this.#edited(event));
    this.text.addEventListener('scroll', () => this.#scroll());
    this.text.addEventListener('keydown', (event) => this.#key(event));
    this.text.addEventListener('blur', () => {
      this.#close();
      this.#flush();
    });
    this.text.addEventListener('pointerdown', () => this.#close());
    this.list.addEventListener('pointerdown', (event) => {
      event.preventDefault(); // the text area keeps the focus
      const item = event.target.closest('[role=option]');
      if (item) {
        this.#take(Number(item.dataset.index));
      }
    });
  }

  /** Opens or closes the editor. */
  toggle(open) {
    this.element.hidden = !open;
  }

  get shown() {
    return !this.element.hidden;
  }

  /** Shows a document, unless it is the one that is edited. */
  show(text) {
    if (this.text.value !== text) {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.text.value = text;
      this.#number();
    }
  }

  /** Lists mistakes [{line, column, text}]; one with a line is a link to it. */
  setMistakes(mistakes) {
    this.mistakes.hidden = mistakes.length === 0;
    this.text.toggleAttribute('aria-invalid', mistakes.length > 0);
    if (mistakes.length > 0) {
      this.text.setAttribute('aria-invalid', 'true');
    }
    this.mistakes.replaceChildren(...mistakes.map(({line, text}) => el('li', {},
      line > 0 ? this.#link(line) : null,
      el('span', {}, sentenceOf(text)))));
    this.bad = new Set(mistakes.map(({line}) => line));
    this.#number();
  }

  #link(line) {
    return el('button', {type: 'button', class: 'line', onclick: () => this.#select(line)}, `Line ${line}`);
  }

  #select(line) {
    const lines = this.text.value.split('\n');
    const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    this.text.focus();
    this.text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    this.text.scrollTop = Math.max(0, (line - 4) * this.#lineHeight());
  }

  #lineHeight() {
    return parseFloat(getComputedStyle(this.text).lineHeight);
  }

  #number() {
    const count = this.text.value.split('\n').length;
    this.gutter.replaceChildren(...Array.from({length: count}, (_, i) =>
      el('span', {class: this.bad?.has(i + 1) ? 'bad' : ''}, String(i + 1))));
    this.gutter.scrollTop = this.text.scrollTop;
  }

  #scroll() {
    this.gutter.scrollTop = this.text.scrollTop;
    this.#close();
  }

  #edited(event) {
    this.#number();
    this.#soon();
    const typed = event.inputType === 'insertText' && /[\w]/.test(event.data ?? '');
    if (typed || !this.list.hidden) {
      this.#complete(false);
    }
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), changeMs);
  }

  // flush tells of what was typed before something else on the page changes.
  #flush() {
    if (this.#timer) {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.onChange(this.text.value);
    }
  }

  #key(event) {
    const open = !this.list.hidden;
    const act = {
      ArrowDown: open && (() => this.#move(1)),
      ArrowUp: open && (() => this.#move(-1)),
      PageDown: open && (() => this.#move(8)),
      PageUp: open && (() => this.#move(-8)),
      Enter: (open && this.#active >= 0 && (() => this.#take(this.#active))) || (() => this.#newLine()),
      Tab: (open && (() => this.#take(Math.max(0, this.#active)))) ||
        (!this.#leave && !event.shiftKey && (() => this.#insert('  '))),
      Escape: () => this.#escape(open),
      ' ': event.ctrlKey && (() => this.#complete(true)),
    }[event.key];
    if (event.key !== 'Escape' && event.key !== 'Tab' && event.key !== 'Shift') {
      this.#leave = false;
    }
    if (act && !event.altKey && !event.metaKey && (event.key === ' ' || !event.ctrlKey)) {
      event.preventDefault();
      act();
    }
  }

  #escape(open) {
    if (open) {
      this.#close();
    } else {
      this.#leave = true;
      this.about.textContent = 'Tab leaves the editor now.';
    }
  }

  // newLine keeps the indentation, and goes deeper after a key without a value.
  #newLine() {
    const line = this.text.value.slice(0, this.text.selectionStart).split('\n').at(-1);
    const indent = /^ */.exec(line)[0].length;
    const deeper = /:\s*$/.test(line) ? /^ *- /.test(line) ? 4 : 2 : 0;
    this.#insert('\n' + ' '.repeat(indent + deeper));
  }

  // insert goes through execCommand, the only way that the browser can undo.
  #insert(text) {
    if (!document.execCommand('insertText', false, text)) {
      this.text.setRangeText(text, this.text.selectionStart, this.text.selectionEnd, 'end');
      this.#number();
      this.#soon();
    }
  }

  async #complete(asked) {
    try {
      this.#completion ??= new Completion(await this.schema());
    } catch (error) {
      if (asked) {
        this.about.textContent = `The schema of scenarios cannot be loaded: ${error.message}`;
      }
      return;
    }
    const {selectionStart: caret, selectionEnd, value} = this.text;
    const context = caret === selectionEnd ? contextAt(value, caret) : null;
    if (!context || !asked && context.position === 'value' && context.word === '') {
      this.#close();
      return;
    }
    this.#items = this.#completion.at(context).slice(0, maxShown);
    this.context = context;
    if (this.#items.length === 0) {
      this.#close();
      if (asked) {
        this.about.textContent = 'Nothing to complete here.';
      }
      return;
    }
    this.list.replaceChildren(...this.#items.map(({text, about}, i) =>
      el('li', {role: 'option', id: `${this.list.id}-${i}`, 'data-index': String(i), 'aria-selected': 'false'},
        el('code', {}, text), about ? el('small', {}, about) : null)));
    this.list.hidden = false;
    this.text.setAttribute('aria-controls', this.list.id);
    this.#place();
    this.#active = -1;
    if (asked || context.word !== '') {
      this.#move(1);
    }
  }

  // place puts the list below the word, or above it where there is no room below.
  #place() {
    const style = getComputedStyle(this.text), line = this.#lineHeight();
    const before = this.text.value.slice(0, this.context.from).split('\n');
    this.measure ??= document.createElement('canvas').getContext('2d');
    this.measure.font = `${style.fontSize} ${style.fontFamily}`;
    const left = this.text.offsetLeft + parseFloat(style.paddingLeft) - this.text.scrollLeft +
      this.measure.measureText(before.at(-1)).width;
    const top = parseFloat(style.paddingTop) + before.length * line - this.text.scrollTop + 2;
    const room = this.text.parentElement.clientWidth - this.list.offsetWidth - 4;
    this.list.style.left = `${Math.max(0, Math.min(left, room))}px`;
    const below = top + this.list.offsetHeight <= this.text.offsetHeight || top < this.text.offsetHeight / 2;
    this.list.style.top = `${below ? top : top - line - this.list.offsetHeight - 4}px`;
  }

  #move(by) {
    const options = this.list.children;
    options[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = Math.min(options.length - 1, Math.max(0, this.#active + by));
    const option = options[this.#active];
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({block: 'nearest'});
    this.text.setAttribute('aria-activedescendant', option.id);
  }

  #take(i) {
    const {from} = this.context, item = this.#items[i];
    this.#close();
    this.text.focus();
    this.text.setSelectionRange(from, this.text.selectionStart);
    const after = this.text.value[this.text.selectionEnd];
    this.#insert(after === ':' ? item.text : item.insert);
  }

  #close() {
    if (!this.list.hidden) {
      this.list.hidden = true;
      this.#active = -1;
      this.text.removeAttribute('aria-activedescendant');
      this.text.removeAttribute('aria-controls');
    }
  }
}

// sentenceOf is the sentence of a mistake without its place and the lines quoted, which the editor shows.
function sentenceOf(text) {
  const lines = text.split('\n').filter((line) => !/^ *[0-9]* \|/.test(line));
  return lines.join('\n').replace(/^scenario:[0-9]+:[0-9]+: /, '');
}
