// The place of the page: the part of the address behind #, read into the state and written from it.

import {AddressError, decode, encode} from './address.js';
import {defaults} from './state.js';

const writeMs = 400;

export class Place {
  #timer = 0;
  #hash = ''; // the address that the state is of: another one is a reader's who goes elsewhere

  /** trouble(text) says what is wrong with an address; null takes it away. */
  constructor(state, trouble) {
    Object.assign(this, {state, trouble});
  }

  /** Follows the address. scenes are their ids. */
  follow(scenes) {
    this.scenes = scenes;
    window.addEventListener('hashchange', () => this.read());
  }

  /** Replaces the state by that of the address, or by its scene alone where the rest cannot be read. */
  async read() {
    clearTimeout(this.#timer);
    const hash = location.hash;
    let next;
    try {
      next = await decode(hash, this.scenes);
      this.trouble(null);
    } catch (error) {
      if (!(error instanceof AddressError)) {
        throw error;
      }
      const named = this.scenes.find((id) => new RegExp(`[#&]s=${id}(&|$)`).test(hash));
      next = defaults(named ?? this.scenes[0]);
      this.trouble(`${error.message} The scene is shown as it is.`);
    }
    if (hash === location.hash) {
      this.#hash = hash;
      this.state.replace(next);
    }
  }

  /** Writes the state to the address, a moment after the last change. */
  write() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const hash = await encode(this.state.plain());
      if (location.hash === this.#hash && hash !== this.#hash) {
        history.replaceState(null, '', hash);
        this.#hash = location.hash;
      }
    }, writeMs);
  }

  /** Goes to a state as to another page, so that the button back returns. */
  async go(plain) {
    clearTimeout(this.#timer);
    history.pushState(null, '', await encode(plain));
    this.#hash = location.hash;
    this.state.replace(plain);
  }
}
