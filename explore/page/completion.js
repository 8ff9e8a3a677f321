// Completion of scenario files: what can stand at a place of a document, from its indentation and the JSON Schema.

/**
 * Where a place of a document is: {path, position, word, from}. path holds keys and '[]' for the item of a list;
 * position is 'key' or 'value'; word is what is typed already, and begins at from. null inside a comment.
 */
export function contextAt(text, caret) {
  const lines = text.slice(0, caret).split('\n');
  const line = lines.pop();
  const lead = /^( *(?:- +)*)(.*)$/.exec(line);
  const flow = scan(lead[2]);
  if (!flow) {
    return null;
  }
  const path = [...blockPath(lines, lead[1]), ...flow.path];
  return {path, position: flow.position, word: flow.word, from: caret - flow.word.length};
}

// blockPath is the path of the mapping in which a line stands that begins with these spaces and dashes.
function blockPath(lines, lead) {
  const path = [];
  let key = lead.length, dash = lead.length; // an ancestor's key, or dash, stands left of this
  const visit = (nodes) => {
    for (const {column, name} of nodes.reverse()) {
      if (name === '[]' ? column < dash : column < key) {
        path.unshift(name);
        [key, dash] = name === '[]' ? [column + 1, column] : [column, column];
      }
    }
  };
  visit(dashes(lead));
  for (let i = lines.length - 1; i >= 0 && (key > 0 || dash > 0); i--) {
    const parts = /^( *(?:- +)*)(?:([\w.@-]+)\s*:(?=\s|$))?(.*)$/.exec(lines[i]);
    const [, start, name, rest] = parts;
    if (name === undefined && start.trim() === '' || /^ *#/.test(lines[i])) {
      continue;
    }
    const nodes = dashes(start);
    if (name !== undefined && /^\s*(#.*|[|>][+-]?)?$/.test(rest)) {
      nodes.push({column: start.length, name});
    }
    visit(nodes);
  }
  return path;
}

function dashes(lead) {
  return [...lead.matchAll(/-/g)].map(({index}) => ({column: index, name: '[]'}));
}

// scan reads the rest of a line up to the caret, with its flow mappings and lists.
function scan(text) {
  const frames = [{kind: 'block', key: null}];
  let word = '', quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i], top = frames.at(-1);
    if (quote) {
      quote = c === quote ? '' : quote;
      word += c;
    } else if ((c === '"' || c === "'") && word === '') {
      quote = word = c;
    } else if (c === '#' && (i === 0 || text[i - 1] === ' ')) {
      return null;
    } else if (c === ':' && top.kind !== 'list' && (i + 1 === text.length || text[i + 1] === ' ') && top.key === null) {
      top.key = word.trim();
      word = '';
    } else if ((c === '{' || c === '[') && word.trim() === '') {
      frames.push({kind: c === '{' ? 'map' : 'list', key: null});
      word = '';
    } else if ((c === '}' || c === ']') && frames.length > 1) {
      frames.pop();
      word = '';
    } else if (c === ',' && top.kind !== 'block') {
      top.key = null;
      word = '';
    } else {
      word += c;
    }
  }
  const path = frames.flatMap(({kind, key}) => (kind === 'list' ? ['[]'] : key === null ? [] : [key]));
  const top = frames.at(-1);
  return {path, position: top.kind === 'list' || top.key !== null ? 'value' : 'key', word: word.trimStart()};
}

/** Completion answers from a schema. */
export class Completion {
  constructor(schema) {
    this.schema = schema;
  }

  /** What can stand at a place: [{text, insert, about}], those that begin with the word first. */
  at({path, position, word}) {
    let here = this.#open([this.schema]);
    for (const step of path) {
      here = this.#open(here.flatMap((s) => step === '[]' ? s.items ?? [] :
        s.properties?.[step] ?? (typeof s.additionalProperties === 'object' ? s.additionalProperties : [])));
    }
    const list = position === 'key' ? this.#keys(here) : [];
    if (position === 'value' || path.at(-1) === '[]') {
      list.push(...this.#values(here));
    }
    const typed = word.toLowerCase();
    const unique = [...new Map(list.map((item) => [item.text, item])).values()];
    return [
      ...unique.filter(({text}) => text.startsWith(typed)),
      ...unique.filter(({text}) => typed !== '' && !text.startsWith(typed) && text.includes(typed)),
    ].filter(({text}) => text !== word);
  }

  #keys(here) {
    return here.flatMap((s) => Object.entries(s.properties ?? {}).map(([text, field]) =>
      ({text, insert: `${text}: `, about: field.description ?? ''})));
  }

  #values(here) {
    const words = here.flatMap((s) => [...(s.enum ?? []), ...('const' in s ? [s.const] : []),
      ...(s.type === 'boolean' ? [true, false] : [])]);
    return words.filter((word) => word !== null && word !== '').map((word) =>
      ({text: String(word), insert: String(word), about: ''}));
  }

  // open resolves references and alternatives.
  #open(schemas, depth = 0) {
    return schemas.flatMap((s) => {
      if (depth > 20 || typeof s !== 'object') {
        return [];
      }
      const next = s.$ref ? [this.schema.$defs[s.$ref.replace('#/$defs/', '')]] : [];
      const inner = [...next, ...(s.anyOf ?? []), ...(s.oneOf ?? []), ...(s.allOf ?? [])];
      return [s, ...this.#open(inner, depth + 1)];
    });
  }
}
