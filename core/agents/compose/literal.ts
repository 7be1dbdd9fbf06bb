// JSON as TypeScript that a person would write.

/** `indent`: spaces that the line which it begins on has. */
export function literal(value: unknown, indent = 0): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => literal(item, indent + 2))
    : Object.entries(value).map(([name, member]) => `${key(name)}: ${literal(member, indent + 2)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  const inLine = isList ? `[${items.join(', ')}]` : `{ ${items.join(', ')} }`;
  if (inLine.length + indent <= 100 && !inLine.includes('\n')) return inLine;
  const pad = ' '.repeat(indent);
  return `${open}\n${items.map((item) => `${pad}  ${item},\n`).join('')}${pad}${close}`;
}

/** In single quotes, as the rest of the source. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** Of an object literal. */
export function key(name: string): string {
  // `__proto__: …` would set the prototype; in brackets it is a name.
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}
