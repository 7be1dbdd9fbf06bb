// What search sees of an entry: its key, every text and number in value and metadata, and the names of
// members.

/** Characters; what follows in a large value is not found. */
const maxLength = 8_000;

export function searchTextOf(key: string, value: unknown, metadata: unknown): string {
  const words = [key];
  let length = key.length;
  const open: unknown[] = [metadata, value];
  while (open.length > 0 && length < maxLength) {
    const next = open.pop();
    if (typeof next === 'string' || typeof next === 'number') {
      const text = String(next);
      words.push(text);
      length += text.length + 1;
    } else if (typeof next === 'object' && next !== null) {
      // Reversed, since the last one pushed is read first.
      const members = Array.isArray(next) ? next : Object.entries(next).flat();
      for (let at = members.length - 1; at >= 0; at--) open.push(members[at]);
    }
  }
  return words.join(' ').slice(0, maxLength).toWellFormed();
}
