// What somebody issued in an organization's name ends when they may no longer issue it: with their
// membership, or with a lower role. It ends in the transaction of that change, and nothing of it comes back.
// The audit log says who made it. Acting for the organization ends with it: the membership is looked up for
// each request.
import type { OrganizationRole } from '#contract/states.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import type { Action } from '../../kernel/policy.ts';
import { roleAllows } from '../../kernel/roles.ts';
import { rotateRevealed } from '../../agents/database/rotate.ts';
import { syncSchedule } from '../../conversation/schedule/sync.ts';
import { revokeGrantsMadeBy } from '../../workspace/grant/revoke.ts';
import { endOpenings } from './end-openings.ts';
import { endSsoOf } from './end-sso.ts';

interface Issuer {
  organization_id: string;
  user_id: string;
}

const REASON = 'who made it may no longer make one for the organization';
const REASON_SEEN = 'who has seen the password may no longer see it';

/** @param role that they have now; absent: they are no active member any more */
export async function endAccess(ctx: TxCtx, of: Issuer, role?: OrganizationRole): Promise<void> {
  const lost = (action: Action): boolean => role === undefined || !roleAllows(role, action);
  if (role === undefined) await endSessions(ctx, of);
  await endOpenings(ctx.db, of.organization_id, ctx.clock());
  if (lost('grant.mint')) await revokeGrantsMadeBy(ctx, of, REASON);
  if (lost('schedule.create')) await pauseSchedules(ctx, of);
  if (lost('database.reveal')) await rotateRevealed(ctx, of, REASON_SEEN);
  for (const action of ['agent_api_token', 'integration_link'] as const) if (lost(`${action}.create`)) await revokeTokens(ctx, of, action);
  await endInvitations(ctx, of, lost('organization.manage') ? 'all' : role === 'owner' ? 'none' : 'of owners');
}

async function endSessions(ctx: TxCtx, of: Issuer): Promise<void> {
  await ctx
    .db('platform_tokens')
    .where({ user_id: of.user_id, kind: 'agent_session' })
    .whereIn('agent_id', ctx.db('agents').where({ owner_id: of.organization_id }).select('agent_id'))
    .whereNull('revoked_at')
    .update({ revoked_at: new Date(ctx.clock()) });
  await endSsoOf(ctx.db, of, ctx.clock());
}

/** Of the organization, made by them. */
const ISSUED_BY_USER = `exists (select 1 from audit_log a where a.target_id = :id: and a.action = :action and a.actor_id = :user_id and a.owner_id = :organization_id)`;

/** Tokens and links of the organization's agents: they call with its account. */
async function revokeTokens(ctx: TxCtx, of: Issuer, kind: 'agent_api_token' | 'integration_link'): Promise<void> {
  const rows = await ctx
    .db('platform_tokens')
    .where({ user_id: of.organization_id, kind: 'agent_api' })
    .whereNull('revoked_at')
    .whereRaw(ISSUED_BY_USER, { ...of, id: 'token_id', action: `${kind}.create` })
    .update({ revoked_at: new Date(ctx.clock()) })
    .returning('token_id');
  for (const { token_id } of rows)
    await audit(ctx, `${kind}.revoke`, kind === 'agent_api_token' ? { agent_api_token: token_id } : { integration_link: token_id }, { reason: REASON });
}

/** An admin invites no owner. Sent again by who may, an invitation opens once more. */
async function endInvitations(ctx: TxCtx, of: Issuer, which: 'all' | 'of owners' | 'none'): Promise<void> {
  if (which === 'none') return;
  const now = new Date(ctx.clock());
  await ctx
    .db('organization_members')
    .where({ organization_id: of.organization_id, invited_by: of.user_id, state: 'invited', ...(which === 'all' ? {} : { role: 'owner' }) })
    .where('expires_at', '>', now)
    .update({ expires_at: now, updated_at: now });
}

async function pauseSchedules(ctx: TxCtx, of: Issuer): Promise<void> {
  const rows = await ctx
    .db('schedules')
    .where({ owner_id: of.organization_id, paused: false })
    .whereNull('deleted_at')
    .whereRaw(ISSUED_BY_USER, { ...of, id: 'schedule_id', action: 'schedule.create' })
    .update({ paused: true, paused_by: 'owner', version: ctx.db.raw('version + 1'), updated_at: new Date(ctx.clock()) })
    .returning('schedule_id');
  for (const { schedule_id } of rows) await audit(ctx, 'schedule.pause', { schedule: schedule_id }, { reason: REASON });
  const { drivers, clock } = ctx;
  // A firing looks at the row: it begins nothing even before Temporal knows.
  afterCommit(ctx.db, (db) => {
    for (const { schedule_id } of rows) void syncSchedule({ db, drivers, clock }, schedule_id).catch(() => undefined);
  });
}
