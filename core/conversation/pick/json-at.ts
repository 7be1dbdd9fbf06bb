// JSON inside a sentence: where it ends, or the place of its first mistake. JSON.parse gives neither.

export class JsonMistake extends Error {
  /** Offset in the whole text. */
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const maxDepth = 64;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Everything a string may hold up to its end or its next escape. */
// oxlint-disable-next-line no-control-regex -- JSON forbids them by their numbers
const plain = /[^"\\\u0000-\u001f]*/y;
const words = { true: true, false: false, null: null } as const;

/** The value that starts at `start`, and the offset behind it. @throws JsonMistake */
export function readJsonAt(text: string, start: number): { value: unknown; end: number } {
  let at = start;

  const fail = (message: string, where = at): never => {
    throw new JsonMistake(where, message);
  };
  const skip = (): void => {
    while (/[ \t\r\n]/.test(text[at] ?? '')) at += 1;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const token = pattern.exec(text)?.[0];
    at += token?.length ?? 0;
    return token;
  };

  const readString = (): string => {
    const begin = at;
    at += 1;
    for (;;) {
      match(plain);
      const next = text[at];
      if (next === '"') break;
      if (next === undefined) fail('this text is not closed: a " is missing', begin);
      if (next !== '\\') fail('a text may not hold a raw line break or control character: write \\n');
      const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
      if (match(escape) === undefined) fail('after a backslash only " \\ / b f n r t or u and four digits may stand');
    }
    at += 1;
    // Safe: every escape and character was checked above.
    return JSON.parse(text.slice(begin, at)) as string;
  };

  const readMembers = (depth: number): Record<string, unknown> => {
    const begin = at;
    const members: [string, unknown][] = [];
    at += 1;
    skip();
    if (text[at] === '}') {
      at += 1;
      return {};
    }
    for (;;) {
      skip();
      if (text[at] !== '"')
        fail(text[at] === undefined ? 'this { is not closed' : 'a name in double quotes must stand here', text[at] === undefined ? begin : at);
      const name = readString();
      skip();
      if (text[at] !== ':') fail(`a : must stand after "${name.slice(0, 40)}"`);
      at += 1;
      members.push([name, read(depth + 1)]);
      skip();
      const next = text[at];
      at += 1;
      if (next === '}') return Object.fromEntries(members);
      if (next !== ',') fail(next === undefined ? 'this { is not closed' : 'a , or } must stand here', next === undefined ? begin : at - 1);
    }
  };

  const readItems = (depth: number): unknown[] => {
    const begin = at;
    const items: unknown[] = [];
    at += 1;
    skip();
    if (text[at] === ']') {
      at += 1;
      return items;
    }
    for (;;) {
      items.push(read(depth + 1));
      skip();
      const next = text[at];
      at += 1;
      if (next === ']') return items;
      if (next !== ',') fail(next === undefined ? 'this [ is not closed' : 'a , or ] must stand here', next === undefined ? begin : at - 1);
    }
  };

  const read = (depth: number): unknown => {
    skip();
    if (depth > maxDepth) fail(`arguments are nested at most ${maxDepth} deep`);
    const next = text[at];
    if (next === '{') return readMembers(depth);
    if (next === '[') return readItems(depth);
    if (next === '"') return readString();
    const digits = match(number);
    if (digits) return Number(digits);
    for (const [word, value] of Object.entries(words)) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value;
    }
    return fail(next === undefined ? 'a value is missing here' : 'this is no JSON value: texts stand in double quotes');
  };

  const value = read(0);
  return { value, end: at };
}
