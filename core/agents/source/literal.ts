// JSON values as TypeScript, laid out as formatters do: on one line where it fits, else one member a line.
const WIDTH = 120;

/**
 * @param indent columns before the value's last line @param before columns that are taken on its first line
 */
export function literal(value: unknown, indent = 0, before = indent): string {
  const flat = onOneLine(value);
  if (before + flat.length + 1 <= WIDTH) return flat;
  const inner = ' '.repeat(indent + 2);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${inner}${literal(item, indent + 2)},\n`).join('')}${' '.repeat(indent)}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const lines = members.map(([name, member]) => {
      const key = propertyKey(name);
      return `${inner}${key}:${memberText(member, indent + 2, key.length + 2)},\n`;
    });
    return members.length === 0 ? '{}' : `{\n${lines.join('')}${' '.repeat(indent)}}`;
  }
  return flat;
}

/** With what stands before it: a long text goes to a line of its own. */
function memberText(value: unknown, indent: number, keyLength: number): string {
  const text = literal(value, indent, indent + keyLength);
  if (typeof value !== 'string' || indent + keyLength + text.length + 1 <= WIDTH) return ` ${text}`;
  return `\n${' '.repeat(indent + 2)}${text}`;
}

function onOneLine(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.length === 0 ? '{}' : `{ ${members.map(([name, member]) => `${propertyKey(name)}: ${onOneLine(member)}`).join(', ')} }`;
}

/** `__proto__` as a plain key would set what the object inherits. */
export function propertyKey(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  const inside = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, unicode);
  const useDouble = text.includes("'") && text.split("'").length > text.split('"').length;
  return useDouble ? `"${inside}"` : `'${inside.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** On one line, and never the end of a comment. */
export function inComment(text: string): string {
  return text
    .replaceAll(/[\s\u2028\u2029\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim()
    .slice(0, 200);
}
