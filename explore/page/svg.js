// The pictures and charts of all policies as one SVG for documents and slides: on white, in the colours of the page.
// Axes and scales are common to all policies, so that they can be compared.

import {binned, binsOf, perBin} from './bins.js';
import {roundUp} from './plot.js';
import {ABSENT, FLASH_S} from './replay.js';
import {COLOURS, WORDS, shapeSVG} from './shapes.js';

const ink = '#1b1f24', muted = '#57606a', line = '#d0d7de';
const pane = {width: 330, gap: 36, left: 48, right: 44, dots: 170, chart: 150};
const top = 92, head = 50; // head: of a pane, above its dots

// Colours of states on white, those of picture.css: an SVG on its own has no custom properties.
const colours = {
  '--state-idle': '#9aa3ab', '--state-waiting': '#0072b2', '--state-provider': '#e69f00', '--state-refused': '#d55e00',
  '--state-answered': '#009e73', '--state-gave-up': '#000000', '--paper': '#ffffff',
};

/**
 * The figure as text. panes: [{name, replay, text}], text is a sentence of the numbers of the whole run; t and speed
 * say which moment of the pictures is drawn; end is that of the page's charts, in seconds.
 */
export function figureSVG({title, subtitle, panes, t, speed, end}) {
  const across = panes.length === 4 ? 2 : panes.length, step = pane.left + pane.width + pane.right + pane.gap;
  const rows = Math.ceil(panes.length / across), chartTop = head + pane.dots + 52, deep = chartTop + pane.chart + 50;
  const width = pane.gap + Math.max(2, across) * step - pane.gap + 8;
  const height = top + rows * deep + 30;
  const layout = binsOf(end), series = panes.map(({replay}) => binned(replay, layout));
  const peak = twoDigits(Math.max(...series.map(({attempts}) => Math.max(...attempts)), 1e-9));
  const calls = Math.max(...panes.map(({replay}) => replay.n), 1);
  const used = new Set();
  const body = panes.map(({name, replay, text}, i) => {
    const x = pane.gap + pane.left + (i % across) * step, y = top + Math.floor(i / across) * deep;
    const [answered, ...others] = text.split(', ');
    return words(x, y, name, 15, ink, 'font-weight="600"') +
      words(x, y + 19, `the whole run: ${answered}`, 11.5, muted) + words(x, y + 35, others.join(', '), 11.5, muted) +
      dots(replay, t, speed, x, y + head, used) + chart(series[i], {x, y: y + chartTop, peak, calls});
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="system-ui, Helvetica, Arial, sans-serif">\n` +
    `<title>${escape(title)}</title>\n<rect width="100%" height="100%" fill="#ffffff"/>\n` +
    `<defs>${[...used].map(symbol).join('')}</defs>\n` +
    words(pane.gap, 38, title, 22, ink, 'font-weight="700"') + words(pane.gap, 60, subtitle, 13, muted) +
    `${body.join('\n')}\n${legend(used, height - 24)}</svg>\n`;
}

function dots(replay, t, speed, x, y, used) {
  const states = replay.states(t, new Uint8Array(replay.n), FLASH_S * speed);
  const across = Math.max(1, Math.ceil(Math.sqrt(replay.n * pane.width / pane.dots)));
  const step = Math.min(pane.width / across, pane.dots / Math.max(1, Math.ceil(replay.n / across)), 22);
  const size = step * 0.8, parts = [];
  states.forEach((state, i) => {
    if (state !== ABSENT) {
      used.add(state);
      parts.push(`<use href="#state-${state}" x="${number(x + (i % across) * step)}" ` +
        `y="${number(y + Math.floor(i / across) * step)}" width="${number(size)}" height="${number(size)}"/>`);
    }
  });
  return `<g>${parts.join('')}</g>` +
    words(x, y + pane.dots + 18, `at ${Number(t.toPrecision(3))} s`, 11.5, muted);
}

function chart({width, bins, attempts, refused, answered}, {x, y, peak, calls}) {
  const end = bins * width, px = (i) => x + pane.width * i / bins, py = (v, most) => y + pane.chart * (1 - v / most);
  const stairs = (list) => list.slice(0, bins).map((v, i) => `${number(px(i))},${number(py(v, peak))} ` +
    `${number(px(i + 1))},${number(py(v, peak))}`).join(' ');
  const area = (list, colour, opacity) =>
    `<polygon points="${x},${y + pane.chart} ${stairs(list)} ${x + pane.width},${y + pane.chart}" fill="${colour}" ` +
    `fill-opacity="${opacity}"/>`;
  const curve = answered.map((v, i) => `${number(px(i))},${number(py(v, calls))}`).join(' ');
  const marks = [0, 0.5, 1].map((share) =>
    `<path d="M${x} ${number(py(share, 1))}H${x + pane.width}" stroke="${line}"/>` +
    words(x - 6, py(share, 1) + 4, short(peak * share), 11, muted, 'text-anchor="end"') +
    words(x + pane.width + 6, py(share, 1) + 4, short(calls * share), 11, muted));
  const step = roundUp(end / 5), times = Array.from({length: Math.floor(end / step) + 1}, (_, i) =>
    words(x + pane.width * i * step / end, y + pane.chart + 16, `${short(i * step)} s`, 11, muted,
      `text-anchor="${i === 0 ? 'start' : 'middle'}"`));
  return `${marks.join('')}${times.join('')}${area(attempts, colours['--state-provider'], 0.55)}` +
    `${area(refused, colours['--state-refused'], 0.8)}` +
    `<polyline points="${curve}" fill="none" stroke="${colours['--state-answered']}" ` +
    `stroke-width="2.2"/>` + words(x, y - 8, perBin(width), 11, muted) +
    words(x + pane.width, y - 8, 'calls answered', 11, muted, 'text-anchor="end"');
}

function legend(used, y) {
  let x = pane.gap;
  const states = [...used].sort().map((state) => {
    const at = x;
    x += 30 + 6.6 * WORDS[state].length;
    return `<use href="#state-${state}" x="${at}" y="${y - 10}" width="12" height="12"/>` +
      words(at + 17, y, WORDS[state], 12, ink);
  });
  const lines = [['--state-provider', 0.55, 'attempts'], ['--state-refused', 0.8, 'refused attempts'],
    ['--state-answered', 1, 'calls answered so far']].map(([name, opacity, text]) => {
    const at = x + 14;
    x = at + 40 + 6.6 * text.length;
    return `<rect x="${at}" y="${y - (opacity === 1 ? 5 : 10)}" width="20" height="${opacity === 1 ? 2.2 : 11}" ` +
      `fill="${colours[name]}" fill-opacity="${opacity}"/>` + words(at + 26, y, text, 12, ink);
  });
  return states.join('') + lines.join('');
}

function symbol(state) {
  const inner = /<svg[^>]*>(.*)<\/svg>/s.exec(shapeSVG(state))[1];
  const painted = inner.replace(/var\((--[\w-]+)\)/g, (_, name) => colours[name]);
  return `<symbol id="state-${state}" viewBox="-1 -1 2 2">${painted}</symbol>`;
}

function words(x, y, text, size, colour, more = '') {
  return `<text x="${number(x)}" y="${number(y)}" font-size="${size}" fill="${colour}" ${more}>${escape(text)}</text>`;
}

function escape(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c])
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ');
}

function number(v) {
  return Number(v.toFixed(2));
}

function short(v) {
  return v.toLocaleString('en', {maximumSignificantDigits: 3});
}

// twoDigits is the next number with two digits.
function twoDigits(v) {
  const unit = 10 ** (Math.floor(Math.log10(v)) - 1);
  return Number((Math.ceil(v / unit - 1e-9) * unit).toPrecision(3));
}

/** An SVG as a PNG of twice its size. */
export async function svgToPNG(svg, scale = 2) {
  const address = URL.createObjectURL(new Blob([svg], {type: 'image/svg+xml'}));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width * scale;
    canvas.height = image.height * scale;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(address);
  }
}
