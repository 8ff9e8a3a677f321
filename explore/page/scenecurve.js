// The curve of a scene: a metric over the values of one path, for each policy, made at rest by one run a value.

import {numberIn} from './scale.js';

export class SceneCurve {
  #number = 0;
  #key = '';
  #shown = null; // {lines, ...}: what is drawn, its lines by worker
  #names = [];   // of policies

  /** curve draws; call(worker, op, args) asks the engine. */
  constructor(element, curve, call) {
    Object.assign(this, {element, curve, call});
  }

  /** Takes the curve of a scene; spec is null where it has none. */
  open(scene, spec) {
    this.#number++;
    this.#key = '';
    this.#shown = null;
    this.scene = scene;
    this.spec = spec ?? null;
    this.element.hidden = true;
    if (spec) {
      const slider = [...scene.sliders ?? [], ...scene.more ?? []].find((s) => s.path === spec.path);
      this.unit = slider?.unit ?? unitOf(spec.values[0]);
      this.label = slider?.label ?? spec.path;
      this.logX = slider?.scale === 'log';
      this.x = spec.values.map((text) => numberIn(text, this.unit));
      if (this.x.includes(null)) {
        this.spec = null; // words have no place on an axis
      }
    }
  }

  /** Marks the value that is set now. */
  mark(text) {
    if (this.#shown) {
      Object.assign(this.#shown, {current: numberIn(text, this.unit), currentText: text});
      this.curve.mark(this.#shown.current, text);
    }
  }

  /** Drops what is being made. */
  cancel() {
    this.#number++;
  }

  /** Makes the curve of jobs [{document, set}] by name, unless it is there; text is the value that is set now. */
  async fill(names, jobs, text) {
    if (!this.spec) {
      return;
    }
    this.rename(names);
    const {path, metric, closed, values} = this.spec;
    // Policies that differ in this path alone have one curve.
    const distinct = new Map();
    jobs.forEach(({document, set}, i) => {
      const job = {document, set: set.filter((line) => !line.startsWith(`${path}=`))};
      const key = JSON.stringify(job);
      if (!distinct.has(key)) {
        distinct.set(key, {job, worker: i});
      }
    });
    const others = [...distinct.values()];
    const key = JSON.stringify(others);
    if (key === this.#key) {
      return;
    }
    const number = ++this.#number;
    const lines = others.map(({worker}) => ({worker, y: values.map(() => null)}));
    let form = null;
    const each = others.map(async ({job, worker}, i) => {
      for (const [at, value] of values.entries()) {
        const args = {...job, path, values: [value], metric, closed: i === 0 && closed || ''};
        const {result} = await this.call(worker, 'curve', args);
        if (number !== this.#number) {
          return;
        }
        lines[i].y[at] = result.y[0];
        if (closed && i === 0) {
          form ??= {name: 'closed form', y: values.map(() => null)};
          form.y[at] = result.closed[0];
        }
      }
    });
    const answers = await Promise.allSettled(each);
    if (number !== this.#number) {
      return;
    }
    const refused = answers.find(({status}) => status === 'rejected');
    if (refused) {
      throw refused.reason;
    }
    this.#key = key;
    this.element.hidden = false;
    this.#shown = {
      title: this.spec.label || `${metric} over ${path}`, x: this.x, lines, closed: form,
      xLabel: this.unit ? `${this.label} (${this.unit})` : this.label, yLabel: metric.replaceAll('_', ' '),
      logX: this.logX, logY: false, current: numberIn(text, this.unit), currentText: text,
    };
    this.#draw();
  }

  /** Takes other names of the policies. */
  rename(names) {
    const same = names.join('\n') === this.#names.join('\n');
    this.#names = names;
    if (this.#shown && !same) {
      this.#draw();
    }
  }

  #draw() {
    const {lines} = this.#shown;
    const name = ({worker}) => lines.length === 1 ? 'simulated' : this.#names[worker];
    this.curve.show({...this.#shown, lines: lines.map((line) => ({...line, name: name(line)}))});
  }
}

// unitOf is what stands behind the number of a text.
function unitOf(text) {
  return /^[0-9._]+(.*)$/.exec(text)?.[1] ?? '';
}
