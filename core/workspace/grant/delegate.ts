// Handing on what one holds, or a part of it. The platform signs; containment is checked on what will be
// signed.
import { requireUser } from '../../kernel/policy.ts';
import type { WorkspaceMode } from '#contract/wire/card.ts';
import { containmentFault } from '#contract/wire/containment.ts';
import { isPrefix } from '#contract/wire/patterns.ts';
import type { Ctx, RunActor, TxCtx } from '../../kernel/ctx.ts';
import { Forbidden, Invalid, Unauthorized } from '../../kernel/errors.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { act, recorded, system } from '../../kernel/act.ts';
import { recordingDenials } from '../../policy/deny.ts';
import { checkAudience } from './audience.ts';
import { requireGrant } from './by-policy.ts';
import { grantOfRow } from './keys.ts';
import { mintGrant } from './mint.ts';
import { draftGrant, nowSeconds, recordGrant, type SignedGrant } from './record.ts';
import { type VerifiedGrant, verifyGrant } from './verify.ts';

export interface Delegation {
  /** The token of the grant it comes from; a user without one gives of their own files. */
  parentToken?: string | null | undefined;
  audience: string;
  /** Just `**`: all that the parent allows. */
  allow_patterns: readonly string[];
  deny_patterns: readonly string[];
  mode: WorkspaceMode;
  /** None: the parent's. */
  outputs_prefix: string | null;
  /** Cut to what the parent has left. */
  ttl_seconds: number;
}

/**
 * @throws Forbidden policy_denied, grant_not_contained, grant_not_yours_to_delegate, grant_required,
 * run_required; NotFound agent_not_found
 */
export async function delegateGrant(ctx: Ctx, i: Delegation): Promise<SignedGrant> {
  const { actor } = ctx;
  if (i.outputs_prefix !== null && !isPrefix(i.outputs_prefix)) throw new Invalid([{ path: ['body', 'outputs_prefix'], message: 'is not a folder' }]);
  if (actor.kind === 'user') {
    requireUser(ctx, 'grant.mint');
    if (i.parentToken != null) throw new Forbidden('grant_not_yours_to_delegate', 'Your own files need no grant to start from: leave svc-grant out');
    const { audience, mode, allow_patterns, deny_patterns, ttl_seconds, outputs_prefix } = i;
    await checkAudience(ctx.db, actor, audience);
    const giving = {
      ownerId: actor.user_id,
      audience,
      mode,
      allow: allow_patterns,
      deny: deny_patterns,
      ttlSeconds: ttl_seconds,
      outputsPrefix: outputs_prefix,
    };
    await recordingDenials(ctx, () => requireGrant(ctx, giving));
    return act(ctx, 'grant.mint', requireUser, async (ctx) => {
      await checkAudience(ctx.db, actor, i.audience);
      const { allow_patterns: allow, deny_patterns: deny, outputs_prefix: outputsPrefix, ttl_seconds: ttlSeconds } = i;
      return recorded(await mintGrant(ctx, { userId: actor.user_id, audience: i.audience, allow, deny, mode: i.mode, outputsPrefix, ttlSeconds }));
    });
  }
  if (actor.kind === 'anonymous') throw new Unauthorized('unauthenticated', 'Send Authorization: Bearer with your own token or the credential of the run');
  if (actor.kind !== 'run') throw new Forbidden('run_required', 'Only a user, or a run that holds a grant, can issue one');
  if (i.parentToken == null) throw new Forbidden('grant_required', 'A run can only delegate a grant that it holds: send that grant in the header svc-grant');
  const parentGrant = await verifyGrant(ctx, i.parentToken);
  await checkAudience(ctx.db, actor, i.audience);
  const { audience, mode, allow_patterns: allow, deny_patterns: deny, ttl_seconds: ttlSeconds, outputs_prefix: outputsPrefix } = i;
  await recordingDenials(ctx, () => requireGrant(ctx, { audience, mode, allow, deny, ttlSeconds, outputsPrefix, ownerId: parentGrant.row.owner_id }));
  // The parent grant is the right to it.
  return system(ctx, async (ctx) => {
    await checkAudience(ctx.db, actor, i.audience);
    await ensureRun(ctx);
    return recordChild(ctx, actor, parentGrant, i);
  });
}

async function recordChild(ctx: TxCtx, actor: RunActor, { grant: parent, row: parentRow }: VerifiedGrant, i: Delegation): Promise<SignedGrant> {
  const issuedAt = nowSeconds(ctx);
  const all = i.allow_patterns.length === 1 && i.allow_patterns[0] === '**';
  const row = draftGrant(ctx, {
    kind: 'delegate',
    parent_grant_id: parent.grant_id,
    owner_id: parentRow.owner_id,
    issuer: actor.agent_name,
    audience: i.audience,
    bucket: parent.bucket,
    mode: i.mode,
    allow_patterns: all ? parent.allow_patterns : [...new Set(i.allow_patterns)],
    // A reader who has only the child must see what its parent denies.
    deny_patterns: [...new Set([...parent.deny_patterns, ...i.deny_patterns])],
    outputs_prefix: i.outputs_prefix ?? parent.outputs_prefix,
    depth: parentRow.depth + 1,
    run_id: actor.run_id,
    issuedAt,
    expiresAt: Math.min(issuedAt + i.ttl_seconds, parent.expires_at),
  });
  const fault = containmentFault({ ...parent, depth: parentRow.depth }, await grantOfRow(ctx, row));
  if (fault) throw new Forbidden('grant_not_contained', fault.message, { fault: fault.code });
  return recordGrant(ctx, row);
}
