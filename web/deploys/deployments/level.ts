// How grave a line of a log is.
export const LEVELS = ['warn', 'error'] as const;
/** Shown from this level on; absent: all. */
export type Level = (typeof LEVELS)[number];
export type LineLevel = 'debug' | 'info' | Level;

const RANK: Record<LineLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

export const isShown = (level: LineLevel, from: Level | undefined): boolean => from === undefined || RANK[level] >= RANK[from];

const WORDS: [RegExp, LineLevel][] = [
  [/^[^a-z]{0,40}(?:error|fatal|panic|err!|critical|traceback)\b/i, 'error'],
  [/^[^a-z]{0,40}(?:warn|warning|deprecated)\b/i, 'warn'],
  [/^[^a-z]{0,40}(?:debug|trace)\b/i, 'debug'],
];
/** As npm and node write them: the word in the first few. */
const EARLY = /^(?:npm|yarn|pnpm|pip|uv)\s+(err!|error|warn)\b/i;
const LOOKED_AT = 200;

/** Of text without escape sequences. What a program wrote to stderr without a word for it is a warning. */
export function levelOf(text: string, stream: string): LineLevel {
  const start = text.slice(0, LOOKED_AT);
  const early = EARLY.exec(start)?.[1]?.toLowerCase();
  if (early !== undefined) return early === 'warn' ? 'warn' : 'error';
  const word = WORDS.find(([pattern]) => pattern.test(start));
  if (word) return word[1];
  return stream === 'stderr' ? 'warn' : 'info';
}
