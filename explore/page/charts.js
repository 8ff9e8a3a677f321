// Charts: attempts, refusals and answers over time, one chart a policy, all with the same axes.
//
//   new Charts(element)        element: an empty block
//   .show(replays, names)      one replay a policy. What was shown before, if it had rested, stays as a thin line
//   .rename(names)         of what is shown
//   .forget()                  drops that line: the next show is of another scene
//   .cursor(t)                 marks t and pales what lies after it; cheap, call it each frame
//   .onSeek(t)                 called while the reader clicks or drags in a chart
//   .restyle()                 reads the colours again, after a change of theme
//
// Attempts and refusals are counted in bins of one width for all charts. Answers are counted up from the start, on
// the right axis: in bins they would vanish below the peaks of a herd.

import uPlot from './vendor/uplot/uPlot.esm.js';
import {binned, binsOf, perBin} from './bins.js';
import {axis, figure, followSize, hatch, look, make, sample} from './plot.js';

export {Curve} from './curve.js';

const HEIGHT = 170;     // CSS pixels
const RESTED_MS = 800;  // what was shown for so long is worth comparing with

export class Charts {
  constructor(element) {
    this.element = element;
    this.onSeek = () => {};
    this.t = 0;
    this.charts = [];
    this.former = [];
    this.current = [];
    this.since = Infinity;
    this.legend = make('ul', 'legend');
    this.grid = make('div', 'chart-grid');
    element.replaceChildren(this.legend, this.grid);
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.restyle = this.restyle.bind(this);
    this.dark.addEventListener('change', this.restyle);
  }

  show(replays, names) {
    const now = performance.now();
    const same = this.names?.join('\n') === names.join('\n');
    if (!same) this.former = [];
    else if (now - this.since > RESTED_MS) this.former = this.current;
    this.since = now;
    this.replays = replays;
    this.names = names;
    this.end = Math.max(0, ...replays.map((replay) => replay.end), ...this.former.map(({replay}) => replay.end));
    this.layout = binsOf(this.end);
    this.current = replays.map((replay) => binned(replay, this.layout));
    this.former = this.former.map((one) => this.#fits(one) ? one : binned(one.replay, this.layout));
    this.#draw(same && this.charts.length === replays.length);
  }

  /** Takes other names of the policies that are shown. */
  rename(names) {
    this.names = names;
    this.#draw(false);
  }

  forget() {
    this.names = null;
    this.former = [];
    this.since = Infinity;
  }

  restyle() {
    if (this.names) this.#draw(false);
  }

  #fits({width, bins}) { return width === this.layout.width && bins === this.layout.bins; }

  #draw(keep) {
    const {width, bins} = this.layout;
    const time = Array.from({length: bins + 1}, (_, i) => i * width), none = new Array(bins + 1).fill(null);
    const columns = this.current.map(({attempts, refused, answered}, i) =>
      [attempts, refused, answered, this.former[i]?.attempts ?? none, this.former[i]?.answered ?? none]);
    const most = (k) => Math.max(0, ...columns.map((list) => list[k].reduce((a, b) => Math.max(a, b ?? 0), 0)));
    this.scales = {
      x: time.at(-1), bin: Math.max(most(0), most(3)) || 1,
      count: Math.max(1, ...this.replays.map((replay) => replay.n)),
    };
    if (!keep) this.#build();
    this.charts.forEach((chart, i) => {
      chart.plot.setData([time, ...columns[i]], false);
      chart.plot.batch(() => {
        chart.plot.setScale('x', {min: 0, max: this.scales.x});
        chart.plot.setScale('bin', {min: 0, max: this.scales.bin * 1.05});
        chart.plot.setScale('count', {min: 0, max: this.scales.count * 1.05});
      });
      chart.unit.textContent = perBin(width);
      chart.block.setAttribute('aria-label', this.#describe(i));
    });
    this.ghostItem.hidden = this.former.length === 0;
    this.cursor(this.t);
  }

  #describe(i) {
    const {attempts, answered, width} = this.current[i];
    const peak = Math.max(...attempts), when = attempts.indexOf(peak) * width;
    return `${this.names[i]}: ${perBin(width)} over time, at most ${figure(peak)} (at ${figure(when)} s); `
      + `${answered.at(-1)} calls answered in ${this.replays[i].end.toFixed(1)} s.`;
  }

  #build() {
    for (const chart of this.charts) {
      chart.follow.disconnect();
      chart.plot.destroy();
    }
    const colours = look(this.element);
    const items = [
      [sample({colour: colours.provider, fill: colours.provider}), 'attempts'],
      [sample({colour: colours.refused, hatched: true}), 'refused'],
      [sample({colour: colours.answered, width: 2.5}), 'calls answered so far'],
      [sample({colour: colours.ghost, width: 1.25, dash: [2, 3]}), 'before the last change'],
    ].map(([line, words]) => {
      const item = make('li', '');
      item.innerHTML = `${line}<span class="word">${words}</span>`;
      return item;
    });
    this.ghostItem = items[3];
    this.legend.replaceChildren(...items);
    this.grid.dataset.count = String(this.names.length);
    this.grid.replaceChildren();
    this.charts = this.names.map((name) => this.#chart(name, colours));
  }

  #chart(name, colours) {
    const block = make('div', 'plot');
    block.setAttribute('role', 'img');
    const unit = make('span', ''), units = make('div', 'units', unit, make('span', '', 'answered'));
    units.setAttribute('aria-hidden', 'true');
    this.grid.append(make('figure', 'chart', make('figcaption', '', name), units, block));
    const points = {show: false}, px = (v) => v * colours.scale, height = Math.round(px(HEIGHT));
    const step = uPlot.paths.stepped({align: 1});
    const plot = new uPlot({
      width: Math.max(50, Math.floor(block.clientWidth)), height, padding: [6, 0, 0, 0],
      legend: {show: false},
      cursor: {drag: {x: false, y: false}, y: false, points: {show: false}},
      hooks: {setSize: [() => this.cursor(this.t)]},
      scales: {x: {time: false}, bin: {auto: false}, count: {auto: false}},
      axes: [
        axis(colours, {
          space: px(46), size: px(28), grid: {show: false}, values: (_, ticks) => ticks.map((v) => `${figure(v)} s`),
        }),
        axis(colours, {scale: 'bin', size: px(42), space: px(32)}),
        axis(colours, {scale: 'count', side: 1, size: px(42), space: px(32), grid: {show: false}}),
      ],
      series: [
        {},
        {scale: 'bin', stroke: colours.provider, fill: `${colours.provider}59`, width: px(1.5), paths: step, points},
        {scale: 'bin', fill: () => hatch(colours.refused), width: 0, paths: step, points},
        {scale: 'count', stroke: colours.answered, width: px(2.5), points},
        {scale: 'bin', stroke: colours.ghost, width: px(1.25), dash: [2, 3], paths: step, points},
        {scale: 'count', stroke: colours.ghost, width: px(1.25), dash: [2, 3], points},
      ],
    }, [[0, 1], ...Array.from({length: 5}, () => [null, null])], block);
    const future = make('div', 'future'), now = make('div', 'now');
    plot.over.append(future, now);
    this.#seekable(plot);
    return {block, unit, plot, future, now, follow: followSize(block, plot, height)};
  }

  // A click or a drag in the plot seeks. The scrub of the page does the same for the keyboard.
  #seekable(plot) {
    const over = plot.over;
    const seek = (event) => {
      const box = over.getBoundingClientRect();
      const t = plot.posToVal(Math.min(box.width, Math.max(0, event.clientX - box.left)), 'x');
      this.onSeek(t);
    };
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (over.hasPointerCapture(event.pointerId)) seek(event);
    });
  }

  cursor(t) {
    this.t = t;
    for (const {plot, future, now} of this.charts) {
      const share = Math.min(1, Math.max(0, t / this.scales.x));
      const x = share * plot.bbox.width / uPlot.pxRatio; // reading clientWidth would lay the page out in each frame
      now.style.transform = `translateX(${x.toFixed(1)}px)`;
      future.style.transform = `scaleX(${(1 - share).toFixed(4)})`;
    }
  }
}
