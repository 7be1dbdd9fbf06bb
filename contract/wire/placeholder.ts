// Whether a text can be a secret, or stands for one.

/** Bits a character, by Shannon. Words have about 3, random letters and digits more than 3.5. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const { length } = Array.from(text);
  return [...counts.values()].reduce((sum, count) => sum - (count / length) * Math.log2(count / length), 0);
}

const STANDS_FOR =
  /example|placeholder|your[-_ ]|my[-_ ]?(?:key|token|secret|password)|change[-_]?me|dummy|fake|sample|redacted|insert|replace|todo|xxx|\*\*\*|\.\.\.|<[^>]*>|\$\{|\{\{|%[sd(]|0{6}|1234567|abcdef|deadbeef|localhost/i;

export function isPlaceholder(text: string): boolean {
  return STANDS_FOR.test(text) || new Set(text).size < 6;
}
