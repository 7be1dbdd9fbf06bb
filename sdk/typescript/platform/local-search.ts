// Finding files on a laptop: names first, then contents. Small folders only; the platform has an index.
import type { FileMatch } from '../authoring/context.ts';
import { fileTypeOf, type FileStore } from './local-store.ts';

const MAX_CONTENT = 256 * 1024;
const SNIPPET = 160;

export async function searchStore(
  store: FileStore,
  { query, types, limit, visible }: { query: string; types: readonly string[]; limit: number; visible: (path: string) => boolean },
): Promise<FileMatch[]> {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  const matches: FileMatch[] = [];
  for (const path of await store.list()) {
    const fileType = fileTypeOf(path);
    if (!visible(path) || (types.length > 0 && !types.includes(fileType))) continue;
    const content = await store.read(path);
    if (!content) continue;
    const { score, summary } = rank(path, content, query.trim().toLowerCase(), words);
    if (score > 0 || words.length === 0) matches.push({ path, fileType, score, summary, sizeBytes: content.byteLength });
  }
  return matches.toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, limit);
}

/** From 0 (nothing) to 1 (the very name). */
function rank(path: string, content: Uint8Array, phrase: string, words: readonly string[]): { score: number; summary: string | null } {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (phrase !== '' && (name === phrase || lower === phrase || name.replace(/\.[^.]*$/, '') === phrase)) return { score: 1, summary: null };
  const text = textOf(content);
  const inText = text.toLowerCase();
  let score = 0;
  let summary: string | null = null;
  for (const word of words) {
    if (name.includes(word)) score += 0.8;
    else if (lower.includes(word)) score += 0.5;
    const at = inText.indexOf(word);
    if (at < 0) continue;
    score += 0.3;
    summary ??= text
      .slice(Math.max(0, at - SNIPPET / 2), at + SNIPPET / 2)
      .replaceAll(/\s+/g, ' ')
      .trim();
  }
  return { score: words.length === 0 ? 0 : Math.min(0.99, score / words.length), summary };
}

/** Empty for what is not text. */
function textOf(content: Uint8Array): string {
  const head = content.subarray(0, MAX_CONTENT);
  return head.includes(0) ? '' : new TextDecoder().decode(head);
}
