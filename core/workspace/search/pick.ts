// Files for a purpose: what the hints name, then what words of hints and purpose find. Each list ranks on its
// own; what several agree on wins.
import type { z } from 'zod';
import type { FileMatch } from '#contract/run/run-context.ts';
import { isPath, isPattern } from '#contract/wire/patterns.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type FileSearch, searchFiles } from './search.ts';

export interface FilePick extends Pick<FileSearch, 'bucket' | 'allow' | 'deny'> {
  purpose: string;
  /** Words, paths, or patterns. */
  hints: readonly string[];
  fileTypes: FileSearch['types'];
  maxFiles: number;
  /** Of all picked files together; what would pass it is left out. */
  maxTotalBytes?: number | undefined;
}

type Match = z.infer<typeof FileMatch>;

/** How soon lower places stop to count (reciprocal rank fusion). */
const EVENNESS = 10;
const HINT = 1;
const PURPOSE = 0.5;
/** Named outright. */
const NAMED = 10;
const MAX_SEARCHED = 100;

/** Best first; empty when nothing fits: a grant must not include files that were not asked for. */
export async function pickFiles(ctx: Pick<Ctx, 'db'>, i: FilePick): Promise<Match[]> {
  const limit = Math.min(Math.max(i.maxFiles * 2, 10), MAX_SEARCHED);
  const { bucket, allow, deny } = i;
  const search = (query: string): Promise<Match[]> => searchFiles(ctx, { bucket, allow, deny, query, types: i.fileTypes, limit });
  const scores = new Map<string, { match: Match; score: number }>();
  const count = (matches: readonly Match[], weight: number): void => {
    for (const [place, match] of matches.entries()) {
      const score = (weight * EVENNESS) / (EVENNESS + place);
      scores.set(match.path, { match, score: score + (scores.get(match.path)?.score ?? 0) });
    }
  };
  for (const hint of i.hints.map((text) => text.trim().normalize('NFC'))) {
    if (hint === '') continue;
    if (isPath(hint) || isPattern(hint)) count(await named(ctx, i, hint, limit), NAMED);
    if (!/[*?]/.test(hint)) count(await search(hint), HINT);
  }
  if (i.purpose.trim() !== '') count(await search(i.purpose), PURPOSE);
  const best = Math.max(...[...scores.values()].map(({ score }) => score), 1);
  const ranked = [...scores.values()].sort((a, b) => b.score - a.score || (a.match.path < b.match.path ? -1 : 1));
  return bounded(i, ranked).map(({ match, score }) => ({ ...match, score: Number((score / best).toFixed(4)) }));
}

/** The file a hint is the path of, or those a pattern matches. */
function named(ctx: Pick<Ctx, 'db'>, i: FilePick, pattern: string, limit: number): Promise<Match[]> {
  return searchFiles(ctx, { bucket: i.bucket, allow: i.allow, deny: i.deny, within: pattern, query: '', types: i.fileTypes, limit });
}

function bounded<T extends { match: Match }>(i: FilePick, ranked: readonly T[]): T[] {
  let left = i.maxTotalBytes ?? Number.POSITIVE_INFINITY;
  const selection: T[] = [];
  for (const each of ranked) {
    if (selection.length >= i.maxFiles) break;
    if (each.match.size_bytes > left) continue;
    left -= each.match.size_bytes;
    selection.push(each);
  }
  return selection;
}
