// A token is believed when it is signed for its audience, in time, and the platform's own record says the
// same and has not taken it back. An agent holds the key it checks its own tokens with, so a signature proves
// nothing to us: only the record does.
import { canonicalJson } from '#contract/wire/canonical.ts';
import type { Grant } from '#contract/wire/grant.ts';
import { checkGrant, readUncheckedGrant } from '#contract/crypto/grant-token.ts';
import type { GrantsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import { bucketOwner } from './bucket.ts';
import { chainOf } from './chain.ts';
import { audienceKey, grantOfRow } from './keys.ts';

export interface VerifiedGrant {
  grant: Grant;
  row: GrantsRow;
}

/**
 * The grant in a token, if the actor may use it: a run one that is addressed to its agent, a user any of
 * their own files; for other actors `audience` names the addressee.
 * @throws Forbidden grant_invalid, with one and the same message for every fault; the fault is in `cause`,
 * for logs.
 */
export async function verifyGrant(ctx: Ctx, token: string, { audience }: { audience?: string } = {}): Promise<VerifiedGrant> {
  const result = await check(ctx, token, audience);
  if (typeof result === 'object') return result;
  throw Object.assign(new Forbidden('grant_invalid', 'the grant is not valid here'), { cause: result });
}

/** The id of the grant that a caller passes on to `audience`; it need not be addressed to the caller. */
export async function passedGrant(ctx: Ctx, token: string, audience: string): Promise<string> {
  const { grant } = await verifyGrant({ ...ctx, actor: { kind: 'platform', service: 'calls' } }, token, { audience });
  return grant.grant_id;
}

async function check(ctx: Ctx, token: string, expected: string | undefined): Promise<VerifiedGrant | string> {
  const { actor } = ctx;
  const addressee = actor.kind === 'run' ? actor.agent_name : actor.kind === 'user' ? readUncheckedGrant(token)?.audience : expected;
  if (addressee === undefined || (expected !== undefined && expected !== addressee)) return 'wrong_audience';
  const checked = checkGrant(token, await audienceKey(ctx, addressee), { audience: addressee, now: Math.floor(ctx.clock() / 1000) });
  if (!checked.ok) return checked.fault;
  const { grant } = checked;
  if (actor.kind === 'user' && !may(actor, 'grant.use', { owner: bucketOwner(grant.bucket) })) return 'not_the_owner';
  const chain = await chainOf(ctx.db, grant.grant_id);
  const [row] = chain;
  if (!row) return 'unknown';
  if (canonicalJson(await grantOfRow(ctx, row)) !== canonicalJson(grant) || row.owner_id !== bucketOwner(grant.bucket)) return 'not_as_recorded';
  // What was given in a run is for that run; the same agent working for somebody else has no use for it. (A
  // delegation names the run it came from.)
  if (actor.kind === 'run' && row.kind !== 'delegate' && row.run_id !== null && row.run_id !== actor.run_id) return 'another_run';
  return chainFault(ctx, chain) ?? { grant, row };
}

function chainFault(ctx: Ctx, chain: readonly GrantsRow[]): string | undefined {
  if (chain.at(-1)?.parent_grant_id !== null) return 'chain_too_long';
  if (chain.some((row) => row.revoked_at !== null)) return 'revoked';
  // An extension has a life of its own; what was delegated ends with what it came from.
  const outlived = chain.some((row, at) => row.kind === 'delegate' && (chain[at + 1]?.expires_at.getTime() ?? 0) <= ctx.clock());
  return outlived ? 'parent_expired' : undefined;
}
