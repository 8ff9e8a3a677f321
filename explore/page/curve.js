// Curve: a metric over the values of a slider, one line a policy, with what a closed form says of it.
//
//   new Curve(element)        element: an empty block
//   .show({title, x, lines, closed, xLabel, yLabel, logX, logY, current, currentText})
//       x: numbers, ascending; lines: [{name, y}]; closed: {name, y} or null; a y may be null; current: the present
//       value on x or null, currentText: how it is written
//   .mark(x, text)            moves the mark of the present value
//   .restyle()                reads the colours again, after a change of theme

import uPlot from './vendor/uplot/uPlot.esm.js';
import {axis, DASHES, figure, followSize, look, make, sample} from './plot.js';

const HEIGHT = 230; // CSS pixels

export class Curve {
  constructor(element) {
    this.element = element;
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.restyle = this.restyle.bind(this);
    this.dark.addEventListener('change', this.restyle);
  }

  show(data) {
    this.data = data;
    this.follow?.disconnect();
    this.plot?.destroy();
    const {title, x, lines, closed, xLabel, yLabel, logX, logY} = data;
    const colours = look(this.element);
    const all = lines.map((line, i) => ({
      name: line.name, y: line.y, colour: colours.policies[i % 4], width: 2, dash: DASHES[i % 4], points: true,
    }));
    if (closed) all.push({...closed, colour: colours.muted, width: 1.5, dash: [3, 5], points: false});
    const legend = make('ul', 'legend');
    for (const line of all) {
      const item = make('li', '');
      item.innerHTML = sample(line);
      item.append(make('span', 'word', line.name));
      legend.append(item);
    }
    const block = make('div', 'plot');
    block.setAttribute('role', 'img');
    block.setAttribute('aria-label', this.#describe());
    const units = make('div', 'units', make('span', '', yLabel));
    units.setAttribute('aria-hidden', 'true');
    this.element.replaceChildren(make('figure', 'chart', make('figcaption', '', title), legend, units, block,
      make('div', 'x-label', xLabel)));
    const px = (v) => v * colours.scale, height = Math.round(px(HEIGHT));
    const scale = (log) => (log ? {distr: 3, log: 10} : {});
    const zero = (_, min, max) => [Math.min(0, min), max > min ? max + (max - min) * 0.05 : max + 1];
    this.plot = new uPlot({
      width: Math.max(50, Math.floor(block.clientWidth)), height, padding: [8, 12, 0, 0],
      legend: {show: false}, cursor: {show: false},
      scales: {x: {time: false, range: () => [x[0], x.at(-1)], ...scale(logX)}, y: logY ? scale(true) : {range: zero}},
      axes: [axis(colours, {space: px(50), size: px(28)}), axis(colours, {size: px(52), space: px(32)})],
      series: [{}, ...all.map(({colour, width, dash, points}) => ({
        stroke: colour, width: px(width), dash, spanGaps: false,
        points: {show: points, size: px(6), fill: colour, width: 0},
      }))],
    }, [x, ...all.map((line) => line.y)], block);
    this.now = make('div', 'now');
    this.label = make('span', '', '');
    this.now.append(this.label);
    this.plot.over.append(this.now);
    this.follow = followSize(block, this.plot, height);
    this.plot.hooks.setSize = [() => this.#place()];
    this.mark(data.current ?? null, data.currentText);
  }

  restyle() {
    if (this.data) this.show(this.data);
  }

  mark(x, text = '') {
    if (!this.data) return;
    Object.assign(this.data, {current: x, currentText: text});
    this.#place();
  }

  #place() {
    const {current, currentText, x} = this.data;
    const inside = current !== null && current >= x[0] && current <= x.at(-1);
    this.now.hidden = !inside;
    if (!inside) return;
    const at = this.plot.valToPos(current, 'x');
    this.now.style.transform = `translateX(${at.toFixed(1)}px)`;
    this.now.classList.toggle('left', at > this.plot.over.clientWidth * 0.6);
    this.label.textContent = currentText;
  }

  #describe() {
    const {lines, x, xLabel, yLabel} = this.data;
    const each = lines.map(({name, y}) => {
      const known = y.map((v, i) => [v, x[i]]).filter(([v]) => v !== null);
      if (known.length === 0) return `${name}: no value`;
      const low = known.reduce((a, b) => (b[0] < a[0] ? b : a)), high = known.reduce((a, b) => (b[0] > a[0] ? b : a));
      return `${name}: least ${figure(low[0])} at ${figure(low[1])}, most ${figure(high[0])} at ${figure(high[1])}`;
    });
    return `${yLabel} over ${xLabel}. ${each.join('; ')}.`;
  }
}
