// Says that numbers are to come: at once by aria-busy, for screen readers and tests; in sight when a run takes long.

export const SLOW_MS = 500;

export class Busy {
  #timer = 0;

  /** region is what the numbers stand in, line the status line; in body, .slow dims what is of the last run. */
  constructor({region, line, body}) {
    Object.assign(this, {region, line, body, busy: false});
  }

  /** Says whether a run is under way. The time that it takes counts from the last set(false). */
  set(busy) {
    this.region.setAttribute('aria-busy', String(busy));
    if (busy === this.busy) return;
    this.busy = busy;
    clearTimeout(this.#timer);
    if (busy) {
      this.#timer = setTimeout(() => this.#slow(), SLOW_MS);
    } else if (this.body.classList.contains('slow')) {
      this.body.classList.remove('slow');
      this.line.textContent = '';
    }
  }

  #slow() {
    this.body.classList.add('slow');
    this.line.textContent = 'Running …';
  }
}
