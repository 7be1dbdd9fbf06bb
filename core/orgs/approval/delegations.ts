// Members who vote for others on approvals, for a time.
import type { Knex } from 'knex';
import type { z } from 'zod';
import { type DelegationOut, MAX_DELEGATION_DAYS, MAX_DELEGATIONS } from '#contract/orgs/approvals.ts';
import type { ApprovalDelegationsRow } from '#db/tables.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden, Invalid, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { roleAllows } from '../../kernel/roles.ts';
import { organizationFor, organizationNamed } from '../organization/find.ts';
import { activeMember, type ShownPerson, shownPeople } from './people.ts';

type Delegation = z.infer<typeof DelegationOut>;

const DAY_MS = 86_400_000;
const MOST_LISTED = 200;

/** @throws NotFound organization_not_found */
export async function listDelegations(ctx: Ctx, { slug }: { slug: string }): Promise<{ items: Delegation[] }> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'approval.read', slug);
  const rows = await ctx
    .db('approval_delegations')
    .where({ organization_id })
    .where('ends_at', '>', new Date(ctx.clock() - MAX_DELEGATION_DAYS * DAY_MS))
    .orderBy('created_at', 'desc')
    .limit(MOST_LISTED);
  return { items: await present(ctx, ctx.db, rows) };
}

/**
 * @throws NotFound organization_not_found; Conflict too_many_delegations; Invalid for who is no other member,
 * and for times
 */
export async function delegateVotes(ctx: Ctx, i: { slug: string; to: string; starts_at?: string | undefined; ends_at: string }): Promise<Delegation> {
  return act(ctx, 'approval.delegate', organizationNamed(i.slug), async (ctx, { organization_id, actor }) => {
    const from = actor.member.person_id;
    const to = await activeMember(ctx.db, organization_id, i.to);
    if (to === undefined || to === from)
      throw new Invalid([{ path: ['body', 'to'], message: 'is no other active member: give a user id or an address of one' }]);
    const window = windowOf(ctx.clock(), i);
    await lockName(ctx.db, `approval-delegations/${organization_id}/${from}`);
    const open = await ctx
      .db('approval_delegations')
      .where({ organization_id, from_id: from, revoked_at: null })
      .where('ends_at', '>', new Date(ctx.clock()))
      .limit(MAX_DELEGATIONS)
      .select('delegation_id');
    if (open.length >= MAX_DELEGATIONS) throw new Conflict('too_many_delegations', `You have ${MAX_DELEGATIONS} delegations: end some first`);
    const [row] = await ctx
      .db('approval_delegations')
      .insert({ delegation_id: newId('dlg', ctx.clock()), organization_id, from_id: from, to_id: to, ...window, created_at: new Date(ctx.clock()) })
      .returning('*');
    if (!row) throw new Error('the delegation was not stored');
    const times = { starts_at: row.starts_at.toISOString(), ends_at: row.ends_at.toISOString() };
    const [shown] = await present(ctx, ctx.db, [row]);
    if (!shown) throw new Error('the delegation is not shown');
    return done({ approval_delegation: row.delegation_id }, { from, to, ...times }, shown);
  });
}

/** @throws NotFound organization_not_found, delegation_not_found; Forbidden delegation_not_yours */
export async function endDelegation(ctx: Ctx, i: { slug: string; delegation_id: string }): Promise<void> {
  await act(ctx, 'approval.delegate', organizationNamed(i.slug), async (ctx, { organization_id, actor }) => {
    const row = await ctx.db('approval_delegations').where({ organization_id, delegation_id: i.delegation_id }).first();
    if (!row) throw new NotFound('delegation_not_found', `The organization has no delegation ${i.delegation_id}`);
    if (row.from_id !== actor.member.person_id && !roleAllows(actor.member.role, 'approval.policy'))
      throw new Forbidden('delegation_not_yours', 'Another member made this delegation: ask them, or an admin, to end it');
    const ended = await ctx
      .db('approval_delegations')
      .where({ delegation_id: row.delegation_id, revoked_at: null })
      .update({ revoked_at: new Date(ctx.clock()) });
    if (ended === 0) return unchanged(undefined);
    return done({ approval_delegation: row.delegation_id }, { from: row.from_id, to: row.to_id }, undefined, { action: 'approval.end_delegation' });
  });
}

function windowOf(now: number, i: { starts_at?: string | undefined; ends_at: string }): { starts_at: Date; ends_at: Date } {
  const [start, end] = [i.starts_at === undefined ? now : Date.parse(i.starts_at), Date.parse(i.ends_at)];
  if (end <= Math.max(start, now)) throw new Invalid([{ path: ['body', 'ends_at'], message: 'is not after its start, or is over' }]);
  if (end - start > MAX_DELEGATION_DAYS * DAY_MS) throw new Invalid([{ path: ['body', 'ends_at'], message: `is more than ${MAX_DELEGATION_DAYS} days later` }]);
  return { starts_at: new Date(start), ends_at: new Date(end) };
}

async function present({ clock }: Pick<Ctx, 'clock'>, db: Knex, rows: readonly ApprovalDelegationsRow[]): Promise<Delegation[]> {
  const [first] = rows;
  if (!first) return [];
  const people = await shownPeople(
    db,
    first.organization_id,
    rows.flatMap(({ from_id, to_id }) => [from_id, to_id]),
  );
  const shown = (id: string): ShownPerson => people.get(id) ?? { user_id: id, email: null, active: false };
  return rows.map((row) => ({
    delegation_id: row.delegation_id,
    from: shown(row.from_id),
    to: shown(row.to_id),
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    state: stateOf(row, clock()),
  }));
}

function stateOf({ revoked_at, starts_at, ends_at }: ApprovalDelegationsRow, now: number): Delegation['state'] {
  if (revoked_at !== null) return 'revoked';
  if (ends_at.getTime() <= now) return 'over';
  return starts_at.getTime() > now ? 'planned' : 'active';
}
