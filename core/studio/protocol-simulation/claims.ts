// Whether a note claims that something may be, or was, applied. Pure. Nobody's word makes a rehearsal more than one.

/** Normalised: without what separates words. */
const CLAIMS =
  /^(?:active)?(?:auto|may|can|should|will|allow|force)?appl(?:y|ied|yenabled|ynow|yallowed|ychange|ychanges)$|^activeapply|^applyenabled|^(?:auto)?promoted?$|^livewrites?$/;
const PROMISES = /^(?:simulation|proposal)only$/;
const MAX_DEPTH = 16;

/** What claims it; undefined: nothing does. A claim is a member of the payload that is set, or a promise that is taken back. */
export function claimsToApply({ payload }: { kind: string; message: string; payload: Record<string, unknown> }): string | undefined {
  return claimIn(payload, 0);
}

function claimIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Deeper than anybody writes: what is hidden there is taken for a claim.
  if (depth > MAX_DEPTH) return 'nested too deeply to be read';
  for (const [name, member] of Object.entries(value)) {
    const word = name.toLowerCase().replace(/[^a-z]/g, '');
    if (CLAIMS.test(word) && !isOff(member)) return name;
    if (PROMISES.test(word) && member !== true) return name;
    const within = claimIn(member, depth + 1);
    if (within !== undefined) return within;
  }
  return undefined;
}

function isOff(value: unknown): boolean {
  return value === false || value === null || value === 0;
}
