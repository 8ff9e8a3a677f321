// What the charts share: fonts and colours for uPlot, steps of axes, and a canvas that follows its container.

// look reads the colours of an element's custom properties.
export function look(element) {
  const style = getComputedStyle(element);
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const read = (name) => style.getPropertyValue(name).trim() || '#888';
  return {
    ink: read('--ink'), muted: read('--muted'), line: read('--line'), ghost: read('--ghost'), paper: read('--paper'),
    provider: read('--state-provider'), refused: read('--state-refused'), answered: read('--state-answered'),
    policies: [1, 2, 3, 4].map((i) => read(`--policy-${i}`)),
    font: `${12 * scale}px ${style.fontFamily || 'sans-serif'}`,
    scale, // of sizes in CSS pixels, which are for a font of 16 pixels
  };
}

// DASHES tell the lines of up to four policies apart without colour, in CSS pixels.
export const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

// roundUp is the smallest of 1, 2, 5 times a power of ten that is at least v.
export function roundUp(v) {
  if (!(v > 0) || !Number.isFinite(v)) return 1;
  const power = 10 ** Math.floor(Math.log10(v));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= v * (1 - 1e-9));
}

const short = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

// figure is a number as an axis or a label shows it.
export function figure(v) { return v === null || v === undefined ? '' : short.format(v); }

// axis is what all axes have in common.
export function axis(colours, more = {}) {
  return {
    stroke: colours.muted, font: colours.font, gap: 3,
    grid: {stroke: colours.line, width: 1}, ticks: {show: false}, border: {show: false},
    values: (_, ticks) => ticks.map(figure), ...more,
  };
}

// followSize keeps a plot as wide as its container.
export function followSize(element, plot, height) {
  const follow = new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== plot.width) plot.setSize({width, height});
  });
  follow.observe(element);
  return follow;
}

const hatches = new Map(); // by side and colour: a chart asks each time that it draws

// hatch is a fill of diagonal stripes, told from a plain one without colour.
export function hatch(colour) {
  const side = Math.round(6 * (devicePixelRatio || 1)), key = `${side} ${colour}`;
  if (!hatches.has(key)) hatches.set(key, stripes(side, colour));
  return hatches.get(key);
}

function stripes(side, colour) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  const context = canvas.getContext('2d');
  context.strokeStyle = colour;
  context.lineWidth = side / 2.6;
  context.beginPath();
  for (const x of [-side, 0, side]) {
    context.moveTo(x, side);
    context.lineTo(x + side, 0);
  }
  context.stroke();
  return context.createPattern(canvas, 'repeat');
}

// sample is a short piece of line or area for a legend.
export function sample({colour, width = 2, dash = [], fill = '', hatched = false}) {
  const stroke = `stroke="${colour}" stroke-width="${width}"`;
  const ink = hatched ? `<path d="M-3 12L9 0M3 12L15 0M9 12L21 0M15 12L27 0" ${stroke}/>`
    : `<path d="M0 ${fill ? 2 : 6}H22" ${stroke} stroke-dasharray="${dash.join(' ')}"/>`;
  const area = fill ? `<rect width="22" height="10" y="2" fill="${fill}" fill-opacity="0.35"/>` : '';
  return `<svg class="sample" width="22" height="12" aria-hidden="true">${area}${ink}</svg>`;
}

// make is an element with a class and content.
export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}
