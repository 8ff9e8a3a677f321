// The bar of the clock: play, again, scrub, speed.

import {el} from './dom.js';

const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const steps = 400; // of the scrub

export class ClockBar {
  constructor(clock) {
    const by = (id) => document.getElementById(id);
    Object.assign(this, {clock, play: by('play'), scrub: by('scrub'), time: by('time'), speed: by('speed')});
    this.play.addEventListener('click', () => clock.toggle());
    by('again').addEventListener('click', () => this.again());
    this.scrub.addEventListener('input', () => {
      const share = Number(this.scrub.value) / steps; // read first: pausing shows the time
      clock.pause();
      clock.seek(clock.end * share);
    });
    this.speed.addEventListener('change', () => { clock.speed = Number(this.speed.value); });
    document.addEventListener('keydown', (event) => {
      if (event.key === ' ' && !event.target.closest('a, button, input, select, textarea, summary, [role=listbox]')) {
        event.preventDefault();
        clock.toggle();
      }
    });
  }

  /** Plays from the beginning. */
  again() {
    this.clock.pause();
    this.clock.seek(0);
    this.clock.play();
  }

  /** Offers speeds around that of a scene, and takes it. */
  setSpeed(speed) {
    const near = speeds.filter((s) => s >= speed / 30 && s <= speed * 30);
    const list = [...new Set([...near, speed])].sort((a, b) => a - b);
    this.speed.replaceChildren(...list.map((s) => el('option', {value: String(s), selected: s === speed},
      `${s.toLocaleString('en')}×`)));
    this.clock.speed = speed;
  }

  /** Takes the speed at which a run of so many seconds is over in half a minute to a minute. */
  fit(end) {
    this.setSpeed(speeds.find((speed) => speed >= end / 60) ?? speeds.at(-1));
  }

  /** Shows the state of the clock. */
  show() {
    this.play.textContent = this.clock.playing ? 'Pause' : 'Play';
  }

  /** Shows the time. */
  tick(t) {
    const end = this.clock.end;
    this.scrub.value = String(end > 0 ? Math.round(steps * t / end) : 0);
    const text = `${seconds(t, end)} of ${seconds(end, end)} s`;
    if (this.time.textContent !== text) {
      this.time.textContent = text;
      this.scrub.setAttribute('aria-valuetext', text);
    }
  }
}

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

function seconds(t, end) {
  return end < 100 ? t.toFixed(1) : whole.format(t);
}
