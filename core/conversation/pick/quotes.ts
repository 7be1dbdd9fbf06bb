// Quoted texts in a sentence: "…", “…” and `…`; an apostrophe is one in any sentence. Pure.

const closers: Readonly<Record<string, string>> = { '"': '"', '“': '”', '`': '`' };

/**
 * First and last character of each quote that ends on its line. Each character is looked at a few times,
 * however many quotes stay open.
 */
export function quotedSpans(text: string): [number, number][] {
  const ahead = new Map<string, number>();
  const next = (what: string, from: number): number => {
    const known = ahead.get(what) ?? -1;
    if (known >= from) return known;
    const at = text.indexOf(what, from);
    ahead.set(what, at === -1 ? text.length : at);
    return at === -1 ? text.length : at;
  };
  const spans: [number, number][] = [];
  for (let at = 0; at < text.length; at += 1) {
    const closer = closers[text[at] ?? ''];
    if (closer === undefined) continue;
    let end = next(closer, at + 1);
    while (closer === '"' && text[end - 1] === '\\' && end < text.length) end = next(closer, end + 1);
    if (end >= text.length || end > next('\n', at)) continue;
    if (end > at + 1) spans.push([at, end]);
    at = end;
  }
  return spans;
}
