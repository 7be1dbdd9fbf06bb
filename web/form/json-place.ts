// Where a text stops being JSON. Browsers say what is wrong, and not all of them where.

const SPACE = /[ \t\n\r]*/y;
// Unrolled, so that a long text that never ends is read once.
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-f]{4})[^"\\\u0000-\u001f]*)*"/iy;
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;

type Wanted = 'value' | 'item or end' | 'name' | 'name or end' | 'colon' | 'next';

/** The first character that cannot stand where it does; the length of the text where it ends too early. */
export function brokenAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    at += lengthOf(SPACE, text, at);
    const sign = text[at];
    if (sign === undefined) return text.length;
    const step = stepOf(sign, wanted, open.at(-1));
    if (step === 'open' && (sign === '{' || sign === '[')) {
      open.push(sign);
      wanted = sign === '{' ? 'name or end' : 'item or end';
      at += 1;
    } else if (step === 'close') {
      open.pop();
      wanted = 'next';
      at += 1;
    } else if (step === 'comma' || step === 'colon') {
      wanted = step === 'comma' && open.at(-1) === '{' ? 'name' : 'value';
      at += 1;
    } else if (step === 'name' || step === 'value') {
      const length = lengthOf(sign === '"' ? STRING : OTHER, text, at);
      if (length === 0) return at;
      wanted = step === 'name' ? 'colon' : 'next';
      at += length;
    } else return at;
  }
}

function stepOf(sign: string, wanted: Wanted, inside: '{' | '[' | undefined): 'open' | 'close' | 'comma' | 'colon' | 'name' | 'value' | undefined {
  if (wanted === 'colon') return sign === ':' ? 'colon' : undefined;
  if (wanted === 'next' && sign === ',' && inside !== undefined) return 'comma';
  if ((sign === '}' && inside === '{') || (sign === ']' && inside === '[')) return wanted === 'next' || wanted.endsWith('end') ? 'close' : undefined;
  if (wanted === 'next') return undefined;
  if (wanted === 'name' || wanted === 'name or end') return sign === '"' ? 'name' : undefined;
  return sign === '{' || sign === '[' ? 'open' : 'value';
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
