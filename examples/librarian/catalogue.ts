// A catalogue: one line a document, by its own headings and its rarest words.
import { lexer } from 'marked';

export interface Entry {
  path: string;
  title: string;
  headings: string[];
  keywords: string[];
  words: number;
}

const COMMON = new Set(
  'about after also because been before from have into more most much other over same some such than that their them then there these they this those through very were what when where which while will with would your'.split(
    ' ',
  ),
);

export function entryOf(path: string, content: string): Entry {
  const headings = lexer(content).flatMap((token) => (token.type === 'heading' ? [String(token.text)] : []));
  const words = content.toLowerCase().match(/\p{L}[\p{L}\p{N}-]+/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of words) if (word.length > 3 && !COMMON.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const keywords = [...counts]
    .toSorted(([a, many], [b, few]) => few - many || a.localeCompare(b))
    .slice(0, 6)
    .map(([word]) => word);
  return { path, title: headings[0] ?? path.split('/').at(-1) ?? path, headings: headings.slice(1), keywords, words: words.length };
}

export function catalogueOf(entries: readonly Entry[]): string {
  const lines = entries
    .toSorted((a, b) => a.title.localeCompare(b.title))
    .map(({ path, title, headings, keywords, words }) =>
      [
        `## ${title}`,
        '',
        `\`${path}\`, ${words} words. ${keywords.join(', ')}`,
        ...(headings.length > 0 ? ['', ...headings.map((heading) => `- ${heading}`)] : []),
      ].join('\n'),
    );
  return `# Catalogue\n\n${lines.join('\n\n')}\n`;
}

/** "1, 3", "all" or "none", as a person answers; undefined when it is none of these. */
export function choiceOf(answer: string, of: number): number[] | undefined {
  const reply = answer.trim().toLowerCase();
  if (reply === 'all' || reply === 'yes') return Array.from({ length: of }, (_, at) => at);
  if (reply === 'none' || reply === 'no') return [];
  const chosen = reply
    .split(/[\s,;]+|\band\b/)
    .filter(Boolean)
    .map(Number);
  return chosen.every((number) => Number.isInteger(number) && number >= 1 && number <= of) ? [...new Set(chosen)].map((number) => number - 1) : undefined;
}
