// Clock: the virtual time that is shown, driven by the time of day and not by frames, so that a throttled tab
// keeps its pace.
//
//   new Clock({onTick})           onTick(t, clock) after every change of t, at most once a frame while playing
//   .t .end .speed                virtual seconds; virtual seconds a second of playing
//   .playing .finished            finished: t has reached the end, and play() begins again
//   .onState                      called with the clock when playing, finished, end or speed changes
//   .open()                       begins to play; with reduced motion it shows the end instead
//   .play() .pause() .toggle() .seek(t) .step(by)
//
// Assigning speed or end keeps t, but t never lies beyond the end. At the end the clock stops.

export class Clock {
  #t = 0;
  #end = 0;
  #speed = 1;
  #playing = false;
  #from = 0; // the time of day at which t was #base
  #base = 0;
  #frame = 0;

  constructor({onTick = () => {}, onState = () => {}, now, frame, cancel, reduced} = {}) {
    this.onTick = onTick;
    this.onState = onState;
    this.now = now ?? (() => performance.now());
    this.frame = frame ?? ((f) => requestAnimationFrame(f));
    this.cancel = cancel ?? ((id) => cancelAnimationFrame(id));
    this.reduced = reduced ?? (() => matchMedia('(prefers-reduced-motion: reduce)').matches);
  }

  get t() { return this.#t; }
  get playing() { return this.#playing; }
  get finished() { return this.#t >= this.#end; }
  get end() { return this.#end; }
  get speed() { return this.#speed; }

  set end(end) {
    this.#read();
    this.#end = Math.max(0, end);
    this.#move(Math.min(this.#t, this.#end));
    this.onState(this);
  }

  set speed(speed) {
    if (!(speed > 0)) throw new RangeError(`speed ${speed}: must be above 0`);
    this.#read();
    this.#speed = speed;
    this.#move(this.#t);
    this.onState(this);
  }

  open() {
    if (this.reduced()) {
      this.pause();
      this.seek(this.#end);
    } else {
      this.seek(0);
      this.play();
    }
  }

  play() {
    if (this.#playing) return;
    if (this.finished) this.#t = 0;
    this.#playing = true;
    this.#move(this.#t);
    this.onState(this);
    this.#ask();
    this.onTick(this.#t, this);
  }

  pause() {
    if (!this.#playing) return;
    this.#read();
    this.#stop();
    this.onTick(this.#t, this);
  }

  toggle() {
    if (this.#playing) this.pause();
    else this.play();
  }

  seek(t) {
    this.#move(Math.min(Math.max(0, t), this.#end));
    this.onTick(this.#t, this);
    if (this.#playing && this.finished) this.#stop();
    else this.onState(this);
  }

  // step moves t by so many seconds of playing, for the keyboard.
  step(by) {
    this.#read();
    this.seek(this.#t + by * this.#speed);
  }

  #move(t) {
    this.#t = this.#base = t;
    this.#from = this.now();
  }

  #read() {
    if (this.#playing) this.#t = Math.min(this.#end, this.#base + (this.now() - this.#from) / 1000 * this.#speed);
  }

  #stop() {
    this.#playing = false;
    this.cancel(this.#frame);
    this.onState(this);
  }

  #ask() {
    this.#frame = this.frame(() => {
      if (!this.#playing) return;
      this.#read();
      this.onTick(this.#t, this);
      if (!this.#playing) return;
      if (this.finished) this.#stop();
      else this.#ask();
    });
  }
}
