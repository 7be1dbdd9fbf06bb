// An event that claims the right to apply something is refused, wherever in its payload the claim is: a
// review loop changes nothing.
import { Forbidden } from '../../kernel/errors.ts';

const CLAIM =
  /(?:^|_)(?:apply|applies|applied|applying|auto_?apply|active_?apply|auto_?merge|auto_?deploy|auto_?fix|auto_?commit|auto_?approve|self_?merge|force_?push|promote|publish)(?:_|$)/;
const MAX_DEPTH = 40;

/** @throws Forbidden apply_refused, with the place */
export function refuseClaims(payload: unknown): void {
  const at = claimIn(payload, []);
  if (at === undefined) return;
  throw new Forbidden(
    'apply_refused',
    `${at.join('.') || 'The payload'} claims the right to apply a change: a review loop takes findings and proposals, and its owner decides`,
    { at },
  );
}

/**
 * Where it is. A member by its name, unless it says false or nothing; a word that is nothing else (`"mode":
 * "auto_merge"`).
 */
function claimIn(value: unknown, at: string[]): string[] | undefined {
  if (at.length > MAX_DEPTH) return at;
  if (typeof value === 'string') return isClaim(value) && value.length <= 64 && !/\s/.test(value.trim()) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value) && isClaim(key) && member !== false && member !== null) return [...at, key];
    const claimPath = claimIn(member, [...at, key]);
    if (claimPath) return claimPath;
  }
  return undefined;
}

/** In whichever case and form it is written: activeApply, ACTIVE-APPLY, ａｐｐｌｙ. */
function isClaim(text: string): boolean {
  const words = text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
  return CLAIM.test(words);
}
