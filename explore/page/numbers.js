// The numbers beside a picture, as the engine gives them: those of the run that is shown, their interval over the
// replications once these are there, and the difference from the first policy where it is clear.

import {el} from './dom.js';
import {clearDifference} from './compare.js';

// Metrics of the registry with their label. optional: shown where the value is not zero.
const rows = [
  {metric: 'answered', label: 'answered', of: 'calls', better: 1},
  {metric: 'attempts', label: 'attempts', better: -1},
  {metric: 'attempts_throttled', label: 'refused (429)', better: -1},
  {metric: 'attempts_overloaded', label: 'overloaded (503)', better: -1, optional: true},
  {metric: 'attempts_timeout', label: 'timed out', better: -1, optional: true},
  {metric: 'latency_p95_s', label: 'p95 latency', unit: ' s', better: -1},
  {metric: 'makespan_s', label: 'makespan', unit: ' s', better: -1},
  {metric: 'usd_per_1000_answers', label: 'per 1,000 answers', dollars: true, better: -1},
  {metric: 'usd_wasted', label: 'wasted, in total', dollars: true, better: -1},
];

const signs = {met: '✓', missed: '✗', undecided: '?'};

/** A text of a number with its thousands apart: "1322" is "1,322". */
export function grouped(text) {
  return text.replace(/^(-?)(\d{4,})(?=$|\.)/, (_, sign, digits) =>
    sign + digits.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** The metrics to list for runs side by side: those that one of them has, so that the lists line up. */
export function metricsOf(results) {
  return rows.filter(({metric, optional}) =>
    results.some(({values}) => optional ? values[metric] > 0 : values[metric] !== undefined)).map((row) => row.metric);
}

function valueText(row, shown) {
  if (shown[row.metric] === undefined) {
    return 'none';
  }
  const text = grouped(shown[row.metric]);
  if (row.dollars) {
    return `$${text}`;
  }
  return row.of && shown[row.of] ? `${text} of ${grouped(shown[row.of])}` : text + (row.unit ?? '');
}

/** Numbers are the numbers of one policy. */
export class Numbers {
  #values = []; // by replication

  constructor(element) {
    this.list = el('dl', {class: 'numbers'});
    this.goals = el('ul', {class: 'goals', 'aria-label': 'Goals', hidden: true});
    this.dollars = el('p', {class: 'dollars'});
    this.useful = el('span', {class: 'useful'});
    this.wasted = el('span', {class: 'wasted'});
    this.few = el('p', {class: 'note few', hidden: true});
    element.append(this.dollars, el('div', {class: 'bill', 'aria-hidden': 'true'}, this.useful, this.wasted),
      this.list, this.few, this.goals);
  }

  /** Shows a run; what was known of other replications is of other settings. */
  show(result, metrics) {
    this.#values = [result.values];
    this.result = result;
    if ([...this.#cells.keys()].join() !== metrics.join()) this.#list(metrics);
    for (const [metric, {row, cell, value, interval, difference}] of this.#cells) {
      cell.dataset.shown = result.shown[metric] ?? '';
      value.textContent = valueText(row, result.shown);
      interval.textContent = difference.textContent = '';
    }
    this.#markFew(result.few);
    this.#judge(result.goals);
  }

  // Lists metrics; while these stay the same, only their texts change.
  #list(metrics) {
    this.#cells = new Map();
    const children = [];
    for (const row of rows.filter(({metric}) => metrics.includes(metric))) {
      const value = el('span', {class: 'value'}), mark = el('span', {class: 'mark'});
      const interval = el('small', {class: 'interval'}), difference = el('small', {class: 'difference'});
      const cell = el('dd', {'data-metric': row.metric}, value, el('span', {class: 'beneath'}, interval, difference));
      this.#cells.set(row.metric, {row, cell, value, interval, difference, mark});
      children.push(el('div', {class: `number ${row.metric}`}, el('dt', {}, row.label, mark), cell));
    }
    this.list.replaceChildren(...children);
  }

  /** Adds a further replication. */
  add(result) {
    this.#values[result.replication] = result.values;
    for (const [metric, {interval, row}] of this.#cells) {
      const estimate = result.estimates[metric];
      if (estimate?.n > 1) {
        interval.textContent = intervalText(row, estimate);
        interval.title = `mean and 95 % confidence interval of ${estimate.n} replications`;
      }
    }
    this.#markFew(result.few);
    this.#judge(result.goals);
  }

  /** Marks what differs clearly from another policy's numbers, of this name. */
  compare(other, name) {
    for (const [metric, {row, difference}] of this.#cells) {
      const of = (values) => values.map((v) => v?.[metric]);
      const clear = clearDifference(of(other.#values), of(this.#values));
      difference.textContent = clear ? differenceText(clear) : '';
      difference.className = clear ? `difference ${clear.mean * row.better > 0 ? 'better' : 'worse'}` : 'difference';
      difference.title = clear ? `against ${name}: mean of ${clear.n} paired replications, 95 % confidence` : '';
    }
  }

  /** Dollars billed until the moment that is shown; most is the largest bill of a policy at its end. */
  spent({useful, wasted}, most) {
    const digits = most >= 1 ? 2 : most >= 0.01 ? 4 : 6;
    const dollars = (v) => `$${v.toFixed(digits)}`;
    const text = `${dollars(useful + wasted)} billed` + (wasted > 0 ? `, ${dollars(wasted)} wasted` : '');
    if (this.dollars.textContent !== text) {
      this.dollars.textContent = text;
      this.useful.style.width = `${100 * useful / most}%`;
      this.wasted.style.width = `${100 * wasted / most}%`;
    }
  }

  // Marks what covers only the calls that were answered, where they are few: with ! as stampede compare does.
  #markFew(few) {
    for (const [metric, {mark}] of this.#cells) {
      const of = few?.metrics.includes(metric);
      mark.textContent = of ? '\u00a0!' : '';
      mark.title = of ? few.note : '';
    }
    this.few.textContent = few ? `! ${few.note}` : '';
    this.few.hidden = !few;
  }

  #judge(goals) {
    this.goals.hidden = goals.length === 0;
    this.goals.replaceChildren(...goals.map(({goal, verdict}) => el('li', {class: `goal ${verdict}`},
      el('span', {'aria-hidden': 'true'}, signs[verdict] ?? '?'), ` ${goal}: ${verdict}`)));
  }

  #cells = new Map();
}

// intervalText is the mean with its interval, where the engine gives one in brackets. [=] is that of replications
// which are all the same.
function intervalText(row, {text, interval}) {
  if (interval === '[=]') {
    return 'the same each time';
  }
  if (!/^\[[0-9]/.test(interval)) {
    return '';
  }
  const grouping = interval.replace(/[0-9.]+/g, grouped);
  return `mean ${row.dollars ? '$' : ''}${grouped(text)} ${grouping}`;
}

function differenceText({mean, base}) {
  const sign = mean > 0 ? '▲' : '▼', word = mean > 0 ? 'more' : 'less';
  if (base === 0) {
    return `${sign} ${word}`;
  }
  const percent = Math.abs(100 * mean / base);
  if (percent >= 300) {
    return `${sign} ${(1 + mean / base).toPrecision(2)} times`;
  }
  return `${sign} ${percent < 1 ? percent.toPrecision(1) : Math.round(percent)} % ${word}`;
}

/** One sentence about a run for people who hear the page: "full jitter: 300 answered, 1,322 attempts, ...". */
export function sentence(name, {shown}) {
  const parts = [
    `${grouped(shown.answered)} of ${grouped(shown.calls)} answered`, `${grouped(shown.attempts)} attempts`,
  ];
  if (shown.usd_per_1000_answers) {
    parts.push(`$${grouped(shown.usd_per_1000_answers)} per 1,000`);
  }
  return (name ? `${name}: ` : '') + parts.join(', ');
}
