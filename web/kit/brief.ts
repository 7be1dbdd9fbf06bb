// Values of any size as a line of bounded length: what an agent sends may be ten megabytes, and a row shows a
// hundred characters.
const MAX_MEMBERS = 20;
const MAX_DEPTH = 4;

/** As JSON, cut off; never written out whole first. */
export function brief(value: unknown, max = 200): string {
  return cut(write(value, max, 0), max);
}

/** The first characters, with a sign where there is more. */
export function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

function write(value: unknown, room: number, depth: number): string {
  if (typeof value === 'string') return depth === 0 ? value.slice(0, room + 1) : JSON.stringify(value.slice(0, room + 1));
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= MAX_DEPTH || room <= 0) return Array.isArray(value) ? '[…]' : '{…}';
  const parts: string[] = [];
  let left = room;
  const add = (name: string, member: unknown): boolean => {
    const part = name + write(member, left, depth + 1);
    parts.push(part);
    left -= part.length + 2;
    return left > 0 && parts.length < MAX_MEMBERS;
  };
  if (Array.isArray(value)) {
    const whole = value.every((member) => add('', member));
    return `[${parts.join(', ')}${whole ? '' : ', …'}]`;
  }
  let whole = true;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    whole = add(`${name}: `, Reflect.get(value, name));
    if (!whole) break;
  }
  return `{${parts.join(', ')}${whole ? '' : ', …'}}`;
}
