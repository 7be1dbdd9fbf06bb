// A regular expression of a schema in words, where it is a row of character classes; people do not read the
// other form.

interface Part {
  class: string;
  min: number;
  max: number;
}

const CLASS = /\[([^\]^\\]+|[^\]^]*\\[-wd][^\]^]*)\]|\\([wd])|([a-zA-Z0-9_-])/y;
const COUNT = /\{(\d+)(?:(,)(\d*))?\}|([*+?])/y;

/** Undefined: it is more than a row of classes from one end to the other. */
export function patternWords(pattern: string): string | undefined {
  if (pattern === String.raw`\S`) return 'Required';
  const [, inner] = /^\^(.*)\$$/s.exec(pattern) ?? [];
  const parts = inner === undefined ? undefined : partsOf(inner);
  if (parts === undefined || parts.length === 0) return undefined;
  const all = wordsOf(parts.map((part) => part.class));
  if (all === undefined) return undefined;
  const [first, last] = [parts[0], parts.at(-1)];
  const [min, max] = [sum(parts.map((part) => part.min)), sum(parts.map((part) => part.max))];
  const edges = [edge('starting', first, all), parts.length > 1 && last?.min !== 0 ? edge('ending', last, all) : undefined].filter((one) => one !== undefined);
  return `${['Use', lengthOf(min, max), all].filter((word) => word !== '').join(' ')}${edges.map((one) => `, ${one}`).join('')}`;
}

/** `a(?:b*c)?` is read as `a`, then `b*c` that may be absent. */
function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < text.length;) {
    const group = /\(\?:((?:[^()\\]|\\.)*)\)(\?)?/y;
    group.lastIndex = at;
    const grouped = group.exec(text);
    if (grouped) {
      const within = partsOf(grouped[1] ?? '');
      if (within === undefined || grouped[2] === undefined) return undefined;
      parts.push(...within.map((part) => ({ ...part, min: 0 })));
      at = group.lastIndex;
      continue;
    }
    CLASS.lastIndex = at;
    const match = CLASS.exec(text);
    if (!match) return undefined;
    at = CLASS.lastIndex;
    COUNT.lastIndex = at;
    const count = COUNT.exec(text);
    if (count) at = COUNT.lastIndex;
    parts.push({ class: match[1] ?? (match[2] === undefined ? (match[3] ?? '') : `\\${match[2]}`), ...timesOf(count) });
  }
  return parts;
}

function timesOf(count: RegExpExecArray | null): { min: number; max: number } {
  if (!count) return { min: 1, max: 1 };
  const [, least, comma, most, sign] = count;
  if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  return { min: Number(least), max: comma === undefined ? Number(least) : most === '' ? Infinity : Number(most) };
}

const KINDS: [word: string, range: string][] = [
  ['lower-case letters', 'a-z'],
  ['upper-case letters', 'A-Z'],
  ['digits', '0-9'],
];
const MOST_SIGNS = 6;

/** `lower-case letters, digits and "-"`. Undefined: there is something that these words do not say. */
function wordsOf(classes: readonly string[]): string | undefined {
  const signs = new Set<string>();
  const kinds = new Set<string>();
  for (const one of classes) {
    let rest = one.replaceAll(String.raw`\w`, 'a-zA-Z0-9_').replaceAll(String.raw`\d`, '0-9');
    for (const [word, range] of KINDS) {
      if (rest.includes(range)) kinds.add(word);
      rest = rest.replaceAll(range, '');
    }
    rest = rest.replaceAll('\\', '');
    if (/[^-]-[^-]/.test(rest)) return undefined;
    for (const sign of rest) signs.add(sign);
  }
  if (signs.size > MOST_SIGNS) return undefined;
  const known = KINDS.map(([word]) => word).filter((word) => kinds.has(word));
  const letters = known.length > 1 && known[0] === 'lower-case letters' && known[1] === 'upper-case letters' ? ['letters', ...known.slice(2)] : known;
  const words = [...letters, ...[...signs].map((sign) => (sign === ' ' ? 'spaces' : `"${sign}"`))];
  return words.length < 2 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

function edge(which: 'starting' | 'ending', part: Part | undefined, all: string): string | undefined {
  const words = part && wordsOf([part.class]);
  if (words === undefined || words === all || part?.min === 0) return undefined;
  const one = words
    .replace('lower-case letters', 'letters')
    .replace('upper-case letters', 'an upper-case letter')
    .replace(/(^|, | and )letters/, '$1a letter');
  return `${which} with ${one.replace('digits', 'a digit').replaceAll(' and ', ' or ')}`;
}

function lengthOf(min: number, max: number): string {
  if (max === Infinity) return min <= 1 ? '' : `at least ${min}`;
  if (min === max) return String(min);
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
