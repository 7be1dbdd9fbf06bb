// Paths of a workspace, and patterns of paths. A path is its own pattern: no path holds "*" or "?". Patterns
// are anchored at the workspace's root: `*.pem` is about its top folder, `**/*.pem` about all of them. Names
// that begin with a dot are matched like any other; letters match as they are written; `[`, `{` and `!` mean
// themselves.
import { Automaton, BudgetSpent, counterexample, type Region } from './patterns-automaton.ts';

export type { Region } from './patterns-automaton.ts';

/** Characters are Unicode code points. */
export const MAX_PATH_LENGTH = 1024;
export const MAX_PATTERN_LENGTH = 256;

/** Effort for one question of containment: some tens of milliseconds. Real patterns need a thousandth. */
const BUDGET = 200_000;

// Control characters, line separators, and what turns the direction of writing (a name must read as what it
// is); lone surrogates.
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\\]/u;

/**
 * Relative, "/" between segments, none of them empty, "." or ".."; NFC; no control characters, "\", "*" or
 * "?".
 */
export function isPath(text: string): boolean {
  return isRelative(text, MAX_PATH_LENGTH) && !/[*?]/.test(text);
}

/**
 * A path whose segments may hold `*` (any characters) and `?` (one); a segment `**` is any number of
 * segments, at the end one or more.
 */
export function isPattern(text: string): boolean {
  return isRelative(text, MAX_PATTERN_LENGTH) && text.split('/').every((segment) => segment === '**' || !segment.includes('**'));
}

/** A folder to write into: a path, with or without a slash at its end. */
export function isPrefix(text: string): boolean {
  return isPath(folderOf(text)) && isPattern(patternOfPrefix(text));
}

/** What all of a folder is as a pattern. */
export function patternOfPrefix(prefix: string): string {
  return `${folderOf(prefix)}/**`;
}

/** True for what lies in the folder, at any depth; not for the folder's own name. */
export function isUnder(prefix: string, path: string): boolean {
  return path.startsWith(`${folderOf(prefix)}/`);
}

/** True where everything under `inner` lies under `outer`. */
export function isPrefixWithin(inner: string, outer: string): boolean {
  return `${folderOf(inner)}/`.startsWith(`${folderOf(outer)}/`);
}

/** For one path. For many: `matcher`. */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return matcher(patterns)(path);
}

/** Time linear in the path's length. What is no path matches nothing; nor does what is no pattern. */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const automaton = new Automaton(patterns.filter(isPattern));
  return (path) => isPath(path) && automaton.matches(path);
}

/**
 * Whether every path that `inner` matches is matched by `outer`; false where that takes too long to decide.
 */
export function coveredBy(inner: readonly string[], outer: readonly string[]): boolean {
  return isWithin({ allow: inner, deny: [] }, { allow: outer, deny: [] });
}

/**
 * Whether every path that `inner` lets through is let through by `outer`; false where that takes too long to
 * decide.
 */
export function isWithin(inner: Region, outer: Region): boolean {
  return escapeFrom(inner, outer) === null;
}

/**
 * The first of the patterns of which no path is left when what `deny` matches is taken away; undefined also
 * where that takes too long to decide.
 */
export function firstDenied(patterns: readonly string[], deny: readonly string[]): string | undefined {
  if (![patterns, deny].every((some) => some.every(isPattern))) return undefined;
  const budget = { steps: BUDGET };
  const isDenied = (pattern: string): boolean => counterexample({ allow: [pattern], deny: [] }, { allow: deny, deny: [] }, budget) === undefined;
  try {
    return patterns.find((pattern) => deny.includes(pattern) || isDenied(pattern));
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

/**
 * A path that `inner` lets through and `outer` does not; null when there is none, undefined when that takes
 * too long to decide.
 */
export function escapeFrom(inner: Region, outer: Region): string | null | undefined {
  if (![inner.allow, inner.deny, outer.allow, outer.deny].every((patterns) => patterns.every(isPattern))) return undefined;
  const budget = { steps: BUDGET };
  // An inner pattern that stands in the outer list needs no proof where nothing is denied that inner does not
  // deny too.
  const deniedAlready = outer.deny.every((pattern) => inner.deny.includes(pattern));
  try {
    for (const pattern of new Set(inner.allow)) {
      if (deniedAlready && (outer.allow.includes('**') || outer.allow.includes(pattern))) continue;
      const escapingPath = counterexample({ allow: [pattern], deny: inner.deny }, outer, budget);
      if (escapingPath !== undefined) return escapingPath;
    }
    return null;
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

function folderOf(prefix: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}

function isRelative(text: string, most: number): boolean {
  // A code point is at most two units long.
  if (text.length > most * 2 || FORBIDDEN.test(text) || Array.from(text).length > most || text.normalize('NFC') !== text) return false;
  return text.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
