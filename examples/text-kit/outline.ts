// What a reader wants to know of a Markdown document before reading it.
import { walkTokens, type Token } from 'marked';

const WORDS_A_MINUTE = 220;

export interface Outline {
  headings: { level: number; text: string }[];
  links: { text: string; href: string }[];
  code_languages: string[];
  words: number;
  reading_minutes: number;
}

export function outlineOf(tokens: Token[]): Outline {
  const headings: Outline['headings'] = [];
  const links: Outline['links'] = [];
  const languages = new Set<string>();
  let words = 0;
  walkTokens(tokens, (token) => {
    if (token.type === 'heading') headings.push({ level: Number(token['depth']), text: String(token['text']) });
    if (token.type === 'link') links.push({ text: String(token['text']), href: String(token['href']) });
    if (token.type === 'code' && token['lang']) languages.add(String(token['lang']));
    // Leaves only, or a word would count once for every element around it.
    if (token.type === 'text' && !('tokens' in token && token.tokens)) words += token.raw.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  });
  return { headings, links, code_languages: [...languages], words, reading_minutes: Math.ceil((words / WORDS_A_MINUTE) * 10) / 10 };
}
