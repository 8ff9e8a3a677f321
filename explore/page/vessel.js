// Vessels: what limits a provider, drawn beside the dots: a limit as a vessel whose level falls with each request and
// rises as it refills, and places for requests at once as a row of boxes.
//
//   drawVessel(context, box, vessel, look)   vessel {name, level, amount, unit}; level as a share, negative: overdrawn
//   drawPlaces(context, box, places, look)   places {name, all, taken, left, queued}; left: taken by requests that
//                                            their client has abandoned
//   vesselText(vessel), placesText(places)   what stands beside them
//   look {ratio, paper, ink, muted, line, water, surface, taken, warn, font}

const number = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

// Sizes in CSS pixels.
export const VESSEL = {w: 128, least: 74, most: 150, tank: 34, title: 19};
export const PLACES = {oneLine: 200, pitch: 18, least: 7, row: 18};

export function vesselText({name, level, amount, unit}) {
  const scale = unit === 'dollars' ? 1e-9 : 1; // the engine counts nano-dollars
  const write = (v) => (unit === 'dollars' ? '$' : '') + number.format(v * scale);
  return [name || unit || 'limit', level < 0 ? 'overdrawn' : `${write(Math.round(level * amount))} left`,
    `of ${write(amount)}`];
}

export function placesText({all, taken, left, queued}) {
  const parts = [`${number.format(taken)} of ${number.format(all)} taken`];
  if (left > 0) parts.push(`${number.format(left)} abandoned`);
  if (queued > 0) parts.push(`${number.format(queued)} queued`);
  return parts.join(', ');
}

export function drawVessel(context, box, vessel, look) {
  const p = (v) => Math.round(v * look.ratio);
  clear(context, box, look);
  const [title, left, of] = vesselText(vessel);
  const overdrawn = vessel.level < 0;
  write(context, title, box.x, box.y + p(7), box.w, look, {weight: 600, colour: look.ink});
  const line = Math.max(1, p(1.5));
  const x = box.x + line, y = box.y + p(VESSEL.title), w = p(VESSEL.tank), h = box.h - p(VESSEL.title) - line;
  const level = Math.max(0, Math.min(1, vessel.level));
  const top = Math.round(y + h * (1 - level));
  outline(context, x, y, w, h, p(7));
  context.save();
  context.clip();
  context.fillStyle = look.water;
  context.fillRect(x, top, w, y + h - top);
  context.fillStyle = look.surface;
  if (level > 0) context.fillRect(x, top, w, Math.max(1, p(2)));
  context.restore();
  context.strokeStyle = overdrawn ? look.warn : look.line;
  context.lineWidth = line;
  context.setLineDash(overdrawn ? [p(3), p(3)] : []);
  outline(context, x, y, w, h, p(7));
  context.stroke();
  context.setLineDash([]);
  if (overdrawn) mark(context, x + w / 2, y + h - p(16), p(9), look.warn);
  const text = x + w + p(8), room = box.x + box.w - text, middle = y + h / 2;
  write(context, left, text, middle - p(8), room, look, {colour: overdrawn ? look.warn : look.ink});
  write(context, of, text, middle + p(8), room, look, {colour: look.muted});
}

// placesLayout is how places fill a width, in CSS pixels: in a wide box all in one row below one line of text; in a
// narrow one in as many rows as it takes, with the text below. Where boxes would be too small a bar takes their place.
export function placesLayout(all, width) {
  const oneLine = width >= PLACES.oneLine;
  const fits = Math.floor(width / (oneLine ? PLACES.least : PLACES.pitch));
  const bar = all > (oneLine ? fits : 4 * fits);
  const columns = bar ? 1 : oneLine ? all : Math.min(all, fits);
  const rows = bar ? 1 : Math.ceil(all / columns);
  return {
    oneLine, bar, columns, rows, pitch: Math.min(PLACES.pitch, width / columns),
    h: 18 + rows * PLACES.row + (oneLine ? 6 : 3 * 15),
  };
}

export function drawPlaces(context, box, places, look) {
  const p = (v) => Math.round(v * look.ratio);
  clear(context, box, look);
  const {name, all, taken, left} = places;
  const {oneLine, bar, columns, rows, pitch} = placesLayout(all, box.w / look.ratio);
  const title = write(context, name, box.x, box.y + p(7), box.w, look, {weight: 600, colour: look.ink});
  const text = placesText(places), y = box.y + p(18), h = p(PLACES.row - 4);
  if (oneLine) {
    const x = box.x + title + p(8);
    write(context, text, x, box.y + p(7), box.x + box.w - x, look, {colour: look.ink});
  } else {
    text.split(', ').forEach((part, i) => {
      write(context, part, box.x, y + rows * p(PLACES.row) + p(7 + 15 * i), box.w, look, {colour: look.ink});
    });
  }
  if (bar) {
    const width = (count) => Math.round(box.w * Math.min(1, count / all));
    context.fillStyle = look.taken;
    context.fillRect(box.x, y, width(taken - left), h);
    stripes(context, box.x + width(taken - left), y, width(left), h, look);
    frame(context, box.x, y, box.w, h, look);
    return;
  }
  const side = Math.max(2, Math.floor((pitch - (pitch < 10 ? 2 : 3)) * look.ratio));
  for (let i = 0; i < all; i++) {
    const x = Math.round(box.x + (i % columns) * pitch * look.ratio);
    const top = y + Math.floor(i / columns) * p(PLACES.row);
    if (i < taken - left) {
      context.fillStyle = look.taken;
      context.fillRect(x, top, side, h);
    } else if (i < taken) {
      stripes(context, x, top, side, h, look);
    }
    frame(context, x, top, side, h, look);
  }
}

function clear(context, box, look) {
  context.fillStyle = look.paper;
  context.fillRect(box.x, box.y, box.w, box.h);
}

// write draws one line of text, shortened to the room there is, and returns its width.
function write(context, text, x, y, room, look, {weight = 400, colour}) {
  context.font = `${weight} ${12 * look.ratio}px ${look.font}`;
  context.fillStyle = colour;
  context.textBaseline = 'middle';
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > room) {
    shown = `${shown.replace(/…$/, '').slice(0, -1)}…`;
  }
  context.fillText(shown, x, y);
  return context.measureText(shown).width;
}

function frame(context, x, y, w, h, look) {
  const line = Math.max(1, Math.round(look.ratio));
  context.strokeStyle = look.line;
  context.lineWidth = line;
  context.strokeRect(x + line / 2, y + line / 2, w - line, h - line);
}

// stripes fill a place whose client has left: taken for nobody.
function stripes(context, x, y, w, h, look) {
  if (w <= 0) return;
  const step = Math.max(3, Math.round(4 * look.ratio));
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.beginPath();
  for (let at = x - h; at < x + w; at += step) {
    context.moveTo(at, y + h);
    context.lineTo(at + h, y);
  }
  context.strokeStyle = look.taken;
  context.lineWidth = Math.max(1, 1.5 * look.ratio);
  context.stroke();
  context.restore();
}

// outline is open at the top, with round corners at the bottom.
function outline(context, x, y, w, h, r) {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x, y + h - r);
  context.arcTo(x, y + h, x + r, y + h, r);
  context.lineTo(x + w - r, y + h);
  context.arcTo(x + w, y + h, x + w, y + h - r, r);
  context.lineTo(x + w, y);
}

// mark is an arrow down: the level is below the bottom.
function mark(context, x, y, size, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x - size / 2, y);
  context.lineTo(x + size / 2, y);
  context.lineTo(x, y + size);
  context.fill();
}
