// Sharing: the address, the scenario as YAML with its command line, attempts as CSV, figures as SVG, PNG and GIF.

import {el} from './dom.js';
import {figureSVG, svgToPNG} from './svg.js';

const gif = {width: 960, fps: 12}; // the defaults of stampede animate, which writes the same bytes

/**
 * Share builds the buttons. ask() gives what is shown: {scene, title, address: Promise, panes: [{name, replay, text,
 * document, set}], t, speed, end}; call asks a policy's worker; animate(args) asks a worker that nothing else uses.
 */
export class Share {
  constructor(element, {ask, call, animate}) {
    Object.assign(this, {ask, call, animate});
    this.policy = el('select', {id: 'share-policy'});
    this.said = el('p', {class: 'note', role: 'status'});
    this.text = el('input', {type: 'text', readOnly: true, class: 'value', 'aria-label': 'Text to copy', hidden: true});
    const button = (text, act) => el('button', {type: 'button', onclick: () => this.#run(text, act)}, text);
    element.append(
      el('div', {class: 'row'},
        button('Copy address', () => this.#copyAddress()),
        button('Picture as SVG', () => this.#svg()),
        button('Picture as PNG', () => this.#png()),
        button('Animation as GIF', () => this.#gif())),
      el('div', {class: 'row'},
        el('label', {for: 'share-policy'}, 'Of policy'), this.policy,
        button('Scenario as YAML', () => this.#yaml()),
        button('Copy command', () => this.#command()),
        button('Attempts as CSV', () => this.#csv())),
      this.text, this.said);
  }

  /** Offers policies by name. */
  show(names) {
    const old = this.policy.selectedIndex;
    this.policy.replaceChildren(...names.map((name, i) => el('option', {value: String(i)}, name)));
    this.policy.selectedIndex = Math.min(Math.max(0, old), names.length - 1);
  }

  async #run(what, act) {
    if (this.busy) {
      return;
    }
    this.busy = true;
    this.text.hidden = true;
    this.said.textContent = '';
    try {
      this.said.textContent = await act() ?? '';
    } catch (error) {
      this.said.textContent = `${what}: ${error.message}`;
    } finally {
      this.busy = false;
    }
  }

  #chosen() {
    const shown = this.ask(), i = Math.max(0, this.policy.selectedIndex);
    if (!shown.panes[i]) {
      throw new Error('this policy has not been run yet');
    }
    const {document, set, name} = shown.panes[i];
    return {i, document, set, file: fileName(shown.panes.length > 1 ? `${shown.scene} ${name}` : shown.scene)};
  }

  async #copyAddress() {
    return this.#copy(await this.ask().address, 'The address is copied: it opens what you see.');
  }

  async #yaml() {
    const {i, document, set, file} = this.#chosen();
    const {result} = await this.call(i, 'export', {document, set, name: file});
    save(`${file}.yaml`, new Blob([result.yaml], {type: 'text/yaml'}));
    return `${file}.yaml gives these very numbers: ${result.command}`;
  }

  async #command() {
    const {i, document, set, file} = this.#chosen();
    const {result} = await this.call(i, 'export', {document, set, name: file});
    return this.#copy(result.command, `Copied: ${result.command} (with the scenario saved as ${file}.yaml)`);
  }

  async #csv() {
    const {i, document, set, file} = this.#chosen();
    const {buffers} = await this.call(i, 'csv', {document, set, replication: 0});
    save(`${file}-attempts.csv`, new Blob([buffers.text], {type: 'text/csv'}));
    return `${file}-attempts.csv holds one attempt a line.`;
  }

  #figure() {
    const {title, panes, t, speed, end} = this.ask();
    const subtitle = 'All policies meet the same arrivals and luck. Made with Stampede.';
    return figureSVG({title, subtitle, panes, t, speed, end});
  }

  async #svg() {
    const name = `${fileName(this.ask().scene)}.svg`;
    save(name, new Blob([this.#figure()], {type: 'image/svg+xml'}));
    return `${name} shows the moment at which the clock stands.`;
  }

  async #png() {
    const name = `${fileName(this.ask().scene)}.png`;
    save(name, await svgToPNG(this.#figure()));
    return `${name} shows the moment at which the clock stands.`;
  }

  async #gif() {
    const {scene, title, panes, speed} = this.ask();
    const policies = panes.map(({name, document, set}) => ({name, document, set}));
    const began = performance.now();
    const tell = () => {
      const seconds = Math.round((performance.now() - began) / 1000);
      this.said.textContent = `Drawing frames … ${seconds} s`;
    };
    tell();
    const timer = setInterval(tell, 1000);
    try {
      const {buffers} = await this.animate({title, policies, replication: 0, speed, ...gif});
      const name = `${fileName(scene)}.gif`, blob = new Blob([buffers.gif], {type: 'image/gif'});
      save(name, blob);
      return `${name}: ${(blob.size / 1e6).toFixed(1)} MB`;
    } finally {
      clearInterval(timer);
    }
  }

  async #copy(text, said) {
    try {
      await navigator.clipboard.writeText(text);
      return said;
    } catch {
      this.text.hidden = false;
      this.text.value = text;
      this.text.select();
      return 'The browser does not let the page copy: the text is selected, copy it with the keyboard.';
    }
  }
}

/** A name for a file: "herd full jitter" is herd-full-jitter. */
export function fileName(text) {
  return text.toLowerCase().replace(/[^a-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 80) || 'scenario';
}

function save(name, blob) {
  const address = URL.createObjectURL(blob);
  el('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // when the browser has begun to read it
}
