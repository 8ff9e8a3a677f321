// Charts: attempts, refusals and answers over time, one chart a policy, all with the same axes.
//
//   new Charts(element)        element: an empty block
//   .show(replays, names)      one replay a policy. What was shown before, if it had rested, stays as a thin line
//   .forget()                  drops that line: the next show is of another scene
//   .cursor(t)                 marks t and pales what lies after it; cheap, call it each frame
//   .onSeek(t)                 called while the reader clicks or drags in a chart
//   .restyle()                 reads the colours again, after a change of theme
//
// Attempts and refusals are rates, in bins of one width for all charts. Answers are counted up from the start, on
// the right axis: as a rate they would vanish below the peaks of a herd.

import uPlot from './vendor/uplot/uPlot.esm.js';
import {axis, figure, followSize, hatch, look, make, roundUp, sample} from './plot.js';

export {Curve} from './curve.js';

const HEIGHT = 170;     // CSS pixels
const BINS = 320;       // at most, over the longest run
const RESTED_MS = 800;  // what was shown for so long is worth comparing with

// binned is a replay as the columns of a chart: time, attempts and refusals a second, answered so far. The last
// column closes the last bin.
export function binned(replay, width) {
  const {time, attempts, refused, answered} = replay.series(width);
  let sum = 0;
  const so = Array.from(answered, (count) => { sum += count; return sum - count; });
  return {
    width, end: replay.end, time: [...time, time.length * width],
    attempts: [...Array.from(attempts, (v) => v / width), 0],
    refused: [...Array.from(refused, (v) => v / width), 0], answered: [...so, sum],
  };
}

// aligned lays columns out over bins: 0 attempts after the end, and answers stay.
export function aligned(columns, bins) {
  const fill = (list, rest) => Array.from({length: bins + 1}, (_, i) => (i < list.length ? list[i] : rest));
  return [fill(columns.attempts, 0), fill(columns.refused, 0), fill(columns.answered, columns.answered.at(-1))];
}

// rebinned is what former columns have at the start of each bin of another width.
export function rebinned(former, width, bins) {
  if (!former) return [1, 2].map(() => new Array(bins + 1).fill(null));
  const at = (list, rest) => Array.from({length: bins + 1}, (_, i) => {
    const k = Math.floor((i * width + width / 2) / former.width);
    return k < list.length ? list[k] : rest;
  });
  return [at(former.attempts, 0), at(former.answered, former.answered.at(-1))];
}

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
    const end = Math.max(0, ...replays.map((replay) => replay.end), ...this.former.map((one) => one.end));
    this.width = roundUp(end / BINS);
    this.bins = Math.max(1, Math.floor(end / this.width) + 1);
    this.current = replays.map((replay) => binned(replay, this.width));
    this.#draw(same && this.charts.length === replays.length);
  }

  forget() {
    this.names = null;
    this.former = [];
    this.since = Infinity;
  }

  restyle() {
    if (this.names) this.#draw(false);
  }

  #draw(keep) {
    const {width, bins} = this;
    const time = Array.from({length: bins + 1}, (_, i) => i * width);
    const columns = this.current.map((one, i) => [...aligned(one, bins), ...rebinned(this.former[i], width, bins)]);
    const most = (k) => Math.max(0, ...columns.map((list) => list[k].reduce((a, b) => Math.max(a, b ?? 0), 0)));
    this.scales = {
      x: time.at(-1), rate: Math.max(most(0), most(3)) || 1,
      count: Math.max(1, ...this.replays.map((replay) => replay.n)),
    };
    if (!keep) this.#build();
    this.charts.forEach((chart, i) => {
      chart.plot.setData([time, ...columns[i]], false);
      chart.plot.batch(() => {
        chart.plot.setScale('x', {min: 0, max: this.scales.x});
        chart.plot.setScale('rate', {min: 0, max: this.scales.rate * 1.05});
        chart.plot.setScale('count', {min: 0, max: this.scales.count * 1.05});
      });
      chart.block.setAttribute('aria-label', this.#describe(i));
    });
    this.ghostItem.hidden = this.former.length === 0;
    this.cursor(this.t);
  }

  #describe(i) {
    const {attempts, answered, time} = this.current[i];
    const peak = Math.max(...attempts), when = time[attempts.indexOf(peak)];
    return `${this.names[i]}: attempts per second over time, at most ${figure(peak)} (at ${figure(when)} s); `
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
    const units = make('div', 'units', make('span', '', 'attempts per second'), make('span', '', 'answered'));
    units.setAttribute('aria-hidden', 'true');
    this.grid.append(make('figure', 'chart', make('figcaption', '', name), units, block));
    const points = {show: false}, px = (v) => v * colours.scale, height = Math.round(px(HEIGHT));
    const step = uPlot.paths.stepped({align: 1});
    const plot = new uPlot({
      width: Math.max(50, Math.floor(block.clientWidth)), height, padding: [6, 0, 0, 0],
      legend: {show: false},
      cursor: {drag: {x: false, y: false}, y: false, points: {show: false}},
      hooks: {setSize: [() => this.cursor(this.t)]},
      scales: {x: {time: false}, rate: {auto: false}, count: {auto: false}},
      axes: [
        axis(colours, {
          space: px(46), size: px(28), grid: {show: false}, values: (_, ticks) => ticks.map((v) => `${figure(v)} s`),
        }),
        axis(colours, {scale: 'rate', size: px(42), space: px(32)}),
        axis(colours, {scale: 'count', side: 1, size: px(42), space: px(32), grid: {show: false}}),
      ],
      series: [
        {},
        {scale: 'rate', stroke: colours.provider, fill: `${colours.provider}59`, width: px(1.5), paths: step, points},
        {scale: 'rate', fill: () => hatch(colours.refused), width: 0, paths: step, points},
        {scale: 'count', stroke: colours.answered, width: px(2.5), points},
        {scale: 'rate', stroke: colours.ghost, width: px(1.25), dash: [2, 3], paths: step, points},
        {scale: 'count', stroke: colours.ghost, width: px(1.25), dash: [2, 3], points},
      ],
    }, [[0, 1], ...Array.from({length: 5}, () => [null, null])], block);
    const future = make('div', 'future'), now = make('div', 'now');
    plot.over.append(future, now);
    this.#seekable(plot);
    return {block, plot, future, now, follow: followSize(block, plot, height)};
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
