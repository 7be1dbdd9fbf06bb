/** The API takes three letters of an address at least, or the start of an id. */
const LEAST = 3;

/** The typed text as a query of the API. */
export function queryOf(text: string): { email?: string; id_prefix?: string } {
  const words = text.trim();
  if (/^usr_[a-z0-9_-]{0,60}$/.test(words)) return { id_prefix: words };
  return words.length >= LEAST ? { email: words.slice(0, 254) } : {};
}
