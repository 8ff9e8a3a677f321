// The state of the page: what differs from a scene. What is null or missing is as the scene has it, so that an
// address holds no more than was changed.
//
//   scene     id of the scene
//   document  text of the scenario, or null
//   seed      whole number, or null for that of the document
//   sliders   {path: text}, settings common to all policies
//   policies  [{name, set: [PATH=VALUE]}], or null

export const MAX_POLICIES = 4;

/** An empty state of a scene. */
export function defaults(scene) {
  return {scene, document: null, seed: null, sliders: {}, policies: null};
}

/**
 * State holds the state and tells of each change by an event "change", whose detail says what changed:
 * {scene, document, settings, names} as booleans.
 */
export class State extends EventTarget {
  constructor() {
    super();
    Object.assign(this, defaults(''));
  }

  /** The state as a plain object, to encode or to keep. */
  plain() {
    const {scene, document, seed, sliders, policies} = this;
    return structuredClone({scene, document, seed, sliders, policies});
  }

  /** Replaces the whole state. */
  replace(plain) {
    Object.assign(this, structuredClone(plain));
    this.#tell({scene: true, document: true, settings: true, names: true});
  }

  setDocument(text) {
    this.document = text;
    this.#tell({document: true, settings: true, names: true});
  }

  setSeed(seed) {
    this.seed = seed;
    this.#tell({settings: true});
  }

  /** Sets a path for all policies; null gives it the scene's value back. */
  setSlider(path, text) {
    if (text === null) {
      delete this.sliders[path];
    } else {
      this.sliders[path] = text;
    }
    this.#tell({settings: true});
  }

  /** Replaces the policies; null gives the scene's back. names: only names changed. */
  setPolicies(policies, {names = false} = {}) {
    this.policies = policies && structuredClone(policies);
    this.#tell({names: true, settings: !names});
  }

  #tell(detail) {
    this.dispatchEvent(new CustomEvent('change', {detail}));
  }
}

/** Whether a slider, a policy or the seed is another than in the scene. */
export function differs({sliders, policies, seed}) {
  return Object.keys(sliders).length > 0 || policies !== null || seed !== null;
}

/** The scenario's text. */
export function documentOf(state, scene) {
  return state.document ?? scene.scenario;
}

/**
 * The policies side by side: those of the state, else of the scene, else of the document's own sweep. A document
 * that was edited, or was given, has no policies of the scene.
 */
export function policiesOf(state, scene, loaded) {
  const ofDocument = state.document !== null || scene.given;
  const list = state.policies ?? (ofDocument ? null : scene.policies) ?? loaded?.policies ?? [];
  return list.length > 0 ? list.slice(0, MAX_POLICIES) : [{name: 'as it is', set: []}];
}

/** The settings of a policy in the order in which they are applied: its own, the sliders', the seed. */
export function settingsOf(state, policy) {
  const set = [...policy.set];
  for (const [path, text] of Object.entries(state.sliders)) {
    set.push(`${path}=${text}`);
  }
  if (state.seed !== null) {
    set.push(`seed=${state.seed}`);
  }
  return set;
}
