// Whether a note claims that something may be, or was, applied. Pure. A rehearsal applies nothing, whatever a
// note claims.

/** Normalised: without what separates words. */
const CLAIMS =
  /^(?:active)?(?:auto|may|can|should|will|allow|force)?appl(?:y|ied|yenabled|ynow|yallowed|ychange|ychanges)$|^activeapply|^applyenabled|^(?:auto)?promoted?$|^livewrites?$/;
const PROMISES = /^(?:simulation|proposal)only$/;
const MAX_DEPTH = 16;
const MAX_WORD = 64;

/**
 * What claims it; undefined: nothing does. A claim is a member of the payload that is set, or a promise that
 * is taken back.
 */
export function claimsToApply({ payload }: { kind: string; message: string; payload: Record<string, unknown> }): string | undefined {
  return claimIn(payload, 0);
}

function claimIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Deeper than anybody writes: what is hidden there is taken for a claim.
  if (depth > MAX_DEPTH) return 'nested too deeply to be read';
  for (const [name, member] of Object.entries(value)) {
    const word = lettersOf(name);
    // A word that is a whole value ("mode": "auto_apply") is one too.
    if (typeof member === 'string' && member.length <= MAX_WORD && CLAIMS.test(lettersOf(member)) && !/\s/.test(member.trim())) return name;
    if (CLAIMS.test(word) && !isOff(member)) return name;
    if (PROMISES.test(word) && member !== true) return name;
    const within = claimIn(member, depth + 1);
    if (within !== undefined) return within;
  }
  return undefined;
}

/** In whichever form they are written: ａｐｐｌｙ, ap\u200bply. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

function isOff(value: unknown): boolean {
  return value === false || value === null || value === 0;
}
