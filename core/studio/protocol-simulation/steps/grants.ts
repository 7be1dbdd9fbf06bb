// Grants, by the verbs that give, hand on, check and revoke them for everybody.
import type { GrantsRow } from '#db/tables.ts';
import { delegateGrant } from '../../../workspace/grant/delegate.ts';
import type { SignedGrant } from '../../../workspace/grant/record.ts';
import { revokeGrant } from '../../../workspace/grant/revoke.ts';
import { verifyGrant } from '../../../workspace/grant/verify.ts';
import { asRun, asUser, later, madeGrant, stepResult, type Play, stagedAgent, type StepHandler } from './play.ts';

export const mint: StepHandler<'mint'> = (play, step) => {
  const { name } = stagedAgent(play, step.to);
  return stepResult(async () => {
    const made = await delegateGrant(asUser(play), {
      audience: name,
      allow_patterns: step.allow,
      deny_patterns: step.deny,
      mode: step.mode,
      outputs_prefix: null,
      ttl_seconds: step.ttl_seconds,
    });
    keep(play, step.as, made);
    return { facts: { depth: made.row.depth } };
  });
};

export const delegate: StepHandler<'delegate'> = (play, step) => {
  const { token, row: parent } = madeGrant(play, step.from);
  const to = stagedAgent(play, step.to);
  return stepResult(async () => {
    const made = await delegateGrant(asRun(play, holderOf(play, parent)), {
      parentToken: token,
      audience: to.name,
      allow_patterns: step.allow,
      deny_patterns: [],
      mode: step.mode,
      outputs_prefix: null,
      ttl_seconds: step.ttl_seconds,
    });
    keep(play, step.as, made);
    return {
      facts: {
        depth: made.row.depth,
        denies_as_parent: parent.deny_patterns.every((pattern) => made.row.deny_patterns.includes(pattern)),
        outlives_parent: made.row.expires_at.getTime() > parent.expires_at.getTime(),
      },
    };
  });
};

export const verify: StepHandler<'verify'> = (play, step) => {
  const { token } = madeGrant(play, step.grant);
  const { name } = stagedAgent(play, step.at);
  return stepResult(async () => {
    await verifyGrant(later(play.ctx, step.after_seconds), token, { audience: name });
    return {};
  });
};

export const revoke: StepHandler<'revoke'> = (play, step) => {
  const { row } = madeGrant(play, step.grant);
  return stepResult(async () => {
    await revokeGrant(asUser(play), { grant_id: row.grant_id, reason: 'rehearsal' });
    return {};
  });
};

/**
 * How many children were made before the revocation depends on the moment; that none is good afterwards does
 * not.
 */
export const race: StepHandler<'race'> = async (play, step) => {
  const { token, row } = madeGrant(play, step.grant);
  const holder = holderOf(play, row);
  const handOn = (): Promise<SignedGrant> =>
    delegateGrant(asRun(play, holder), {
      parentToken: token,
      audience: holder.name,
      allow_patterns: ['**'],
      deny_patterns: [],
      mode: 'read_only',
      outputs_prefix: null,
      ttl_seconds: 60,
    });
  const at = play.random.below(step.delegates + 1);
  const racing = Array.from({ length: step.delegates }, () => handOn);
  const revoking = (): Promise<void> => revokeGrant(asUser(play), { grant_id: row.grant_id, reason: 'rehearsal' });
  const begun: Promise<unknown>[] = [...racing.slice(0, at), revoking, ...racing.slice(at)].map((begin) => begin());
  const children = (await Promise.allSettled(begun)).flatMap((one) => (one.status === 'fulfilled' && isSigned(one.value) ? [one.value] : []));
  play.tokens.push(...children.map((child) => child.token));
  const good = async (of: string): Promise<boolean> =>
    verifyGrant(play.ctx, of, { audience: holder.name }).then(
      () => true,
      () => false,
    );
  const valid = await Promise.all(children.map((child) => good(child.token)));
  return {
    outcome: 'accepted',
    facts: { valid_after: valid.filter(Boolean).length, parent_valid: await good(token) },
    observed: `${children.length} of ${step.delegates} children were made before the revocation`,
  };
};

function isSigned(value: unknown): value is SignedGrant {
  return typeof value === 'object' && value !== null && 'token' in value;
}

function keep(play: Play, name: string, { token, row }: SignedGrant): void {
  play.grants.set(name, { token, row });
  play.tokens.push(token);
}

/** Of the agents on the stage the one that it is addressed to. */
function holderOf(play: Play, { audience }: Pick<GrantsRow, 'audience'>) {
  return play.copy?.name === audience ? play.copy : play.stage.agent;
}
