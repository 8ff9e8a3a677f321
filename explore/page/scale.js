// Scales of sliders: a slider stands on one of a list of stops, so that each press of a key changes the value.

const seconds = {ns: 1e-9, us: 1e-6, 'µs': 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400};
const perSecond = {'/s': 1, '/min': 1 / 60, '/m': 1 / 60, '/h': 1 / 3600, '/d': 1 / 86400, '/day': 1 / 86400};
const multiple = {'': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, B: 1e9};
const stopsOfLog = 100;
const maxStops = 1000;

/**
 * The number of a text in a unit: 0.5 of "500ms" in s, 200 of "200k/min" in "k/min", 0 of "0" in all; null where the
 * text has no number in this unit, such as "none".
 */
export function numberIn(text, unit) {
  if (String(text).trim() === '0') {
    return 0;
  }
  const from = quantity(String(text).trim()), to = quantity('1' + unit);
  if (!from || !to || from.kind !== to.kind) {
    return null;
  }
  return Number((from.value / to.value).toPrecision(12));
}

// quantity is a text as a number of the base unit of its kind: seconds, per second, or that of its own.
function quantity(text) {
  if (/^([0-9.]+(ns|us|µs|ms|s|m|h|d))+$/.test(text)) {
    let value = 0;
    for (const [, number, unit] of text.matchAll(/([0-9.]+)(ns|us|µs|ms|s|m|h|d)/g)) {
      value += Number(number) * seconds[unit];
    }
    return finite(value, 'time');
  }
  const parts = /^(\$?)([0-9][0-9._]*(?:e[+-]?[0-9]+)?)([kKMGB]?)(.*)$/.exec(text);
  if (!parts) {
    return null;
  }
  const [, dollar, number, prefix, unit] = parts;
  const value = Number(number.replaceAll('_', '')) * multiple[prefix];
  if (unit in perSecond) {
    return finite(value * perSecond[unit], dollar + 'rate');
  }
  return unit === '%' ? finite(value / 100, '') : finite(value, dollar + unit);
}

function finite(value, kind) {
  return Number.isFinite(value) ? {value, kind} : null;
}

/**
 * The stops of a slider {min, max, step, scale}, in order. On a log scale they are about equally far apart as
 * ratios, rounded to two digits and to whole steps. start is a value that must be among them, such as the scene's.
 */
export function stops({min, max, step, scale}, start = null) {
  const list = new Set();
  if (scale === 'log') {
    const low = min > 0 ? min : max / 1000;
    for (let i = 0; i <= stopsOfLog; i++) {
      list.add(toStep(Number((low * (max / low) ** (i / stopsOfLog)).toPrecision(2)), step, min, max));
    }
    list.add(min);
  } else {
    const width = Math.max(step, (max - min) / maxStops);
    for (let i = 0; min + i * width < max; i++) {
      list.add(tidy(min + i * width));
    }
  }
  list.add(max);
  if (start !== null && start >= min && start <= max) {
    list.add(start);
  }
  return [...list].sort((a, b) => a - b);
}

function toStep(value, step, min, max) {
  const whole = step > 0 ? tidy(Math.round(value / step) * step) : value;
  return Math.min(max, Math.max(min, whole));
}

function tidy(value) {
  return Number(value.toPrecision(10));
}

/** The index of the stop nearest to a value. */
export function nearest(list, value) {
  let best = 0;
  for (let i = 1; i < list.length; i++) {
    if (Math.abs(list[i] - value) < Math.abs(list[best] - value)) {
      best = i;
    }
  }
  return best;
}

/** A value as a setting: its number with the unit behind it, dollars with the sign in front. */
export function setting(value, unit) {
  const [, dollar, rest] = /^(\$?)(.*)$/.exec(unit);
  return dollar + plainNumber(value) + rest;
}

// plainNumber writes no exponent, which not every field reads.
function plainNumber(value) {
  const text = String(value);
  return text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text;
}

/**
 * A range for a number of the document that no scene describes: a tenth to ten times of it; of a whole number without
 * a unit, such as a count, the whole numbers from 1.
 */
export function derived({number, text, before = '', unit: behind}) {
  const unit = before + behind;
  const whole = Number.isInteger(number) && !String(text).includes('.');
  if (number === 0) {
    return {min: 0, max: 10, step: 1, scale: 'linear', unit};
  }
  if (whole && unit === '') {
    return {min: 1, max: 10 * number, step: 1, scale: 'log', unit};
  }
  const largest = unit === '' && number < 1 ? 1 : unit === '%' && number <= 100 ? 100 : Infinity;
  const steps = whole && number > 1;
  return {
    min: steps ? Math.max(1, Math.floor(number / 10)) : tidy(number / 10),
    max: Math.min(largest, tidy(number * 10)),
    step: steps ? 1 : tidy(10 ** (Math.floor(Math.log10(number / 10)) - 1)),
    scale: 'log',
    unit,
  };
}
