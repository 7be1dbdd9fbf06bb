// What of a result is read, and how. Pure.

/** Where a result has its words, by what skills usually call them; as the platform answers with them. */
const SPOKEN = ['text', 'message', 'answer', 'summary', 'reply', 'greeting'];

export function words(result: unknown): string | undefined {
  if (typeof result === 'string') return result;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  const members = new Map(Object.entries(result));
  const named = SPOKEN.map((name) => members.get(name)).find((value) => typeof value === 'string');
  const [only, ...more] = members.values();
  return named ?? (more.length === 0 && typeof only === 'string' ? only : undefined);
}

/** An answer that is a document of JSON, as such. */
export function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.length > 1_000_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function sizeOf(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let [size, at] = [bytes, 0];
  while (size >= 1024 && at < units.length - 1) [size, at] = [size / 1024, at + 1];
  return `${at === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[at]}`;
}
