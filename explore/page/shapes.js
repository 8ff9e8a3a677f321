// Shapes: the look of each state, for the canvas (drawShape) and for HTML and SVG (shapeSVG). One state has one
// shape and one colour everywhere. Colours are the custom properties --state-... of picture.css.

import {ABSENT, ANSWERED, GAVE_UP, IDLE, PROVIDER, REFUSED, WAITING} from './replay.js';

// WORDS are what a reader sees, by state.
export const WORDS = ['idle', 'waiting', 'at the provider', 'refused', 'answered', 'gave up', 'not arrived'];

// COLOURS are the custom properties, by state.
export const COLOURS = ['--state-idle', '--state-waiting', '--state-provider', '--state-refused', '--state-answered',
  '--state-gave-up', '--paper'];

// A shape in a box from -1 to 1: its outline, and whether it is filled or stroked with a line of this width.
const SHAPES = {
  [IDLE]: {circle: 0.5, line: 0.22},
  [WAITING]: {circle: 0.78, line: 0.32},
  [PROVIDER]: {circle: 0.95},
  [REFUSED]: {lines: [[-0.75, -0.75, 0.75, 0.75], [-0.75, 0.75, 0.75, -0.75]], line: 0.44},
  [ANSWERED]: {corners: [[-0.8, -0.8], [0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]]},
  [GAVE_UP]: {corners: [[0, -0.9], [0.95, 0.8], [-0.95, 0.8]]},
};

// drawShape draws the shape of a state around x, y. Below SMALLEST pixels shapes cannot be told apart, so a filled
// square is drawn and the colour alone tells the state.
export const SMALLEST = 4;

export function drawShape(context, state, x, y, size, colour) {
  if (state === ABSENT) return;
  context.fillStyle = context.strokeStyle = colour;
  if (size < SMALLEST) {
    const inset = state === IDLE ? size / 4 : 0;
    context.fillRect(x - size / 2 + inset, y - size / 2 + inset, size - 2 * inset, size - 2 * inset);
    return;
  }
  const {circle, lines, corners, line} = SHAPES[state];
  const unit = size / 2;
  context.lineWidth = Math.max(1, (line ?? 0) * unit);
  context.lineCap = 'round';
  context.beginPath();
  if (circle) context.arc(x, y, circle * unit, 0, 2 * Math.PI);
  for (const [a, b, c, d] of lines ?? []) {
    context.moveTo(x + a * unit, y + b * unit);
    context.lineTo(x + c * unit, y + d * unit);
  }
  (corners ?? []).forEach(([a, b], i) => context[i ? 'lineTo' : 'moveTo'](x + a * unit, y + b * unit));
  if (corners) context.closePath();
  if (line) context.stroke();
  else context.fill();
}

// shapeSVG is the markup of the same shape, coloured by the custom property of its state.
export function shapeSVG(state, size = 12) {
  const {circle, lines, corners, line} = SHAPES[state];
  const colour = `var(${COLOURS[state]})`;
  const paint = line ? `fill="none" stroke="${colour}" stroke-width="${line}" stroke-linecap="round"`
    : `fill="${colour}"`;
  const outline = circle ? `<circle r="${circle}" ${paint}/>`
    : lines ? `<path d="${lines.map(([a, b, c, d]) => `M${a} ${b}L${c} ${d}`).join('')}" ${paint}/>`
      : `<path d="M${corners.map((corner) => corner.join(' ')).join('L')}Z" ${paint}/>`;
  return `<svg class="shape" width="${size}" height="${size}" viewBox="-1 -1 2 2" aria-hidden="true">${outline}</svg>`;
}
