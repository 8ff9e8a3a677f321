// Builds elements: el('button', {type: 'button', class: 'quiet', onclick: f}, 'text', child).

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name in element && typeof value !== 'string') {
      element[name] = value;
    } else if (value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An id that is used once on the page. */
export function freshId(prefix) {
  return `${prefix}-${next++}`;
}

let next = 1;

/** Shows or hides the sentence of a mistake beside an input, and ties it to the input for screen readers. */
export function setMistake(input, place, text) {
  place.textContent = text ?? '';
  place.hidden = !text;
  if (text) {
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', place.id);
    const details = input.closest('details');
    if (details) {
      details.open = true;
    }
  } else {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}
