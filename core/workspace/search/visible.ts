// Which files a search may find. In SQL roughly, so that few rows are read for nothing; in code exactly.
import { matcher } from '#contract/wire/patterns.ts';

export interface Visibility {
  allow: readonly string[];
  deny: readonly string[];
}

export interface SqlCondition {
  sql: string;
  bindings: Record<string, string[]>;
}

export function visibleIn({ allow, deny }: Visibility): (path: string) => boolean {
  const [allowed, denied] = [matcher(allow), matcher(deny)];
  return (path) => allowed(path) && !denied(path);
}

/** True for all that is visible in every region, and for little else. `column` is a name of ours. */
export function roughlyVisible(column: string, regions: readonly Visibility[]): SqlCondition {
  const conditions: string[] = [];
  const bindings: Record<string, string[]> = {};
  for (const [at, { allow, deny }] of regions.entries()) {
    if (!allow.includes('**')) {
      conditions.push(`(${column} = any(:named${at}) or ${column} like any(:allowed${at}))`);
      bindings[`named${at}`] = allow.filter((pattern) => !/[*?]/.test(pattern));
      bindings[`allowed${at}`] = allow.filter((pattern) => /[*?]/.test(pattern)).map(likeOf);
    }
    // What is denied is left to the code, but for whole folders and files: those LIKE says exactly.
    const exact = deny.filter((pattern) => !/[*?]/.test(pattern.replace(/\/\*\*$/, '')));
    if (exact.length > 0) {
      conditions.push(`not (${column} like any(:denied${at}))`);
      bindings[`denied${at}`] = exact.map(likeOf);
    }
  }
  return { sql: conditions.map((condition) => `and ${condition}`).join(' '), bindings };
}

/** Matches at least what the pattern matches: LIKE's "%" also crosses slashes. */
function likeOf(pattern: string): string {
  return pattern.replaceAll(/[\\%_]|\?|\*\*\/|\*+/g, (part) => (part === '?' ? '_' : part.startsWith('*') ? '%' : `\\${part}`));
}
