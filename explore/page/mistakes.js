// Where the page says what the engine refused: beside the slider, the policy or the line of the document that it is
// about, else in the settings. The last pictures stay.

import {setMistake} from './dom.js';
import {Stopped, Superseded} from './engine.js';

export class Mistakes {
  /** place is the element for what has no other; trouble(text) says what is about the page as a whole. */
  constructor({place, controls, forms, editor, seed, trouble}) {
    Object.assign(this, {place, controls, forms, editor, seed, trouble});
  }

  /** Takes all sentences away. */
  clear() {
    if (this.stopped) {
      this.stopped = false;
      this.trouble(null);
    }
    document.body.classList.remove('refused');
    this.controls.setMistakes([]);
    this.forms.setMistake(-1, null);
    this.editor.setMistakes([]);
    this.setSeed(null);
    this.#rest([]);
  }

  setSeed(text) {
    setMistake(this.seed.input, this.seed.place, text);
  }

  /** Shows an error of the engine. policy, with its number, is the one whose settings were tried; null of none. */
  show(error, policy) {
    if (error instanceof Superseded) {
      return;
    }
    this.clear();
    if (error instanceof Stopped) {
      this.stopped = true;
      this.trouble(`The simulator stopped and was started again. It said: ${error.message}`);
      return;
    }
    document.body.classList.add('refused');
    let rest = error.mistakes?.length ? error.mistakes : [{path: '', line: 0, text: error.text ?? error.message}];
    const paths = (policy?.set ?? []).map((line) => line.split('=')[0].trim());
    const ofPolicy = rest.filter(({line, path, text}) =>
      line === 0 && paths.some((own) => own === '' || related(own, path) || text.includes(own)));
    if (ofPolicy.length > 0) {
      this.forms.setMistake(policy.number, ofPolicy.map(({text}) => text).join('\n'));
    }
    const inText = this.editor.shown ? rest.filter(({line}) => line > 0) : [];
    const placed = [...ofPolicy, ...inText];
    rest = this.controls.setMistakes(rest.filter((mistake) => !placed.includes(mistake)));
    if (this.editor.shown) {
      this.editor.setMistakes([...inText, ...rest]);
    } else {
      this.#rest(rest);
    }
  }

  #rest(list) {
    this.place.textContent = list.map(({text}) => text).join('\n');
    this.place.hidden = list.length === 0;
  }
}

// related says whether one path is the other, or lies inside it.
function related(a, b) {
  return b !== '' && (a === b || a.startsWith(b + '.') || b.startsWith(a + '.'));
}
