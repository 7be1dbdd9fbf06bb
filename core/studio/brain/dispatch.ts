// Work that waits for a team: put aside by a person, given to teams by request or at night, within the daily
// budget. What needs a decision waits for a person.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { Knex } from 'knex';
import type { DispatchOut } from '#contract/studio/company-brain.ts';
import { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { BUDGET_CENTS, protocolOf } from '#contract/studio/team-protocols.ts';
import type { BrainDispatchesRow } from '#db/tables.ts';
import { act, done, system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, DomainError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { newestPage } from '../../kernel/keyset.ts';
import { lockName } from '../../kernel/lock-name.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { spentByTeams } from '../../conversation/plan/team-node.ts';
import { planTeam } from '../collective/plan.ts';
import { startTeam } from '../collective/run.ts';
import { runtimeOf } from './runtime.ts';

const MOST_QUEUED = 200;
/** A worker that dies while it plans is followed by another after this time. */
const HOLD_MS = 300_000;

// Safe: addDispatch writes what the schema let through.
const wantedIn = (row: Pick<BrainDispatchesRow, 'wanted'>): TeamPlanIn => TeamPlanIn.parse(row.wanted);

/** @throws Conflict too_many_dispatches */
export async function addDispatch(ctx: Ctx, i: TeamPlanIn): Promise<DispatchOut> {
  return act(ctx, 'brain.dispatch', requireUser, async (ctx, { user_id }) => {
    await lockName(ctx.db, `brain-dispatches/${user_id}`);
    const queued = await ctx.db('brain_dispatches').where({ owner_id: user_id, state: 'queued' }).limit(MOST_QUEUED).select('dispatch_id');
    if (queued.length >= MOST_QUEUED) throw new Conflict('too_many_dispatches', `${MOST_QUEUED} pieces of work wait already: let some be given to teams`);
    const [row] = await ctx
      .db('brain_dispatches')
      .insert({
        dispatch_id: newId('bds', ctx.clock()),
        owner_id: user_id,
        wanted: storableJson(i),
        goal: storableText(i.goal),
        state: 'queued',
        created_at: new Date(ctx.clock()),
      })
      .returning('*');
    if (!row) throw new Error('a dispatch was not written');
    return done({ brain_dispatch: row.dispatch_id }, { protocol: i.protocol }, present(row));
  });
}

/** Newest first. */
export async function listDispatches(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<DispatchOut>> {
  requireUser(ctx, 'brain.read');
  const query = ctx
    .db('brain_dispatches as d')
    .select<BrainDispatchesRow[]>('d.*')
    .where(whereMay(ctx.actor, 'brain.read', { owner: 'd.owner_id' }));
  return newestPage(query, ['d.created_at', 'd.dispatch_id'], i, present);
}

/** The oldest first. Resolves with those whose state changed. */
export async function runDispatches(ctx: Ctx, i: { limit: number }): Promise<{ items: DispatchOut[] }> {
  const { user_id } = requireUser(ctx, 'brain.dispatch');
  const items: DispatchOut[] = [];
  for (let left = i.limit; left > 0; left -= 1) {
    const taken = await take(ctx, user_id);
    if (!taken) break;
    items.push(await give(ctx, taken));
  }
  return { items };
}

/**
 * The oldest one, held for a while by its time of start, so that no other worker plans it too. Undefined:
 * none waits, or the budget of the day does not cover it beside what others are planning; it waits.
 */
async function take(ctx: Ctx, ownerId: string): Promise<BrainDispatchesRow | undefined> {
  const now = ctx.clock();
  const holdsSince = new Date(now - HOLD_MS);
  return system(ctx, async (ctx) => {
    await lockName(ctx.db, `brain-budget/${ownerId}`);
    const waiting = await ctx
      .db('brain_dispatches')
      .where({ owner_id: ownerId, state: 'queued' })
      .orderBy('created_at')
      .orderBy('dispatch_id')
      .limit(MOST_QUEUED);
    const claimedRows = waiting.filter(({ started_at }) => started_at !== null && started_at >= holdsSince);
    const next = waiting.find((row) => !claimedRows.includes(row));
    if (!next) return undefined;
    const planned = [...claimedRows, next].reduce((sum, row) => sum + centsOf(wantedIn(row)) * MICROS_OF_A_CENT, 0);
    const { daily_budget_cents } = await runtimeOf(ctx.db, ownerId);
    if ((await promisedToday(ctx.db, ownerId, now)) + planned > daily_budget_cents * MICROS_OF_A_CENT) return undefined;
    const [row] = await ctx
      .db('brain_dispatches')
      .where({ dispatch_id: next.dispatch_id })
      .update({ started_at: new Date(now) })
      .returning('*');
    return row;
  });
}

const centsOf = ({ budget_class, protocol }: TeamPlanIn): number => BUDGET_CENTS[budget_class ?? protocolOf(protocol).budget_class];

async function give(ctx: Ctx, row: BrainDispatchesRow): Promise<DispatchOut> {
  const wanted = wantedIn(row);
  if (wanted.risk === 'high') return move(ctx, row, { state: 'needs_person', reason: 'It is of high risk: plan it yourself' });
  try {
    const plan = await planTeam(ctx, wanted);
    if (plan.missing.length > 0) return await move(ctx, row, { state: 'needs_person', reason: `No agent was found for ${plan.missing.join(', ')}` });
    const { dag_run_id } = await startTeam(ctx, plan);
    return await move(ctx, row, { state: 'started', dag_run_id });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return move(ctx, row, { state: 'needs_person', reason: error.message });
  }
}

async function move(
  ctx: Ctx,
  { dispatch_id }: BrainDispatchesRow,
  set: { state: 'started' | 'needs_person'; reason?: string; dag_run_id?: string },
): Promise<DispatchOut> {
  return system(ctx, async (ctx) => {
    const now = new Date(ctx.clock());
    const [row] = await ctx.db('brain_dispatches').where({ dispatch_id, state: 'queued' }).update({ ...set, started_at: now }).returning('*'); // prettier-ignore
    const shown = row ?? (await ctx.db('brain_dispatches').where({ dispatch_id }).first());
    if (!shown) throw new Error('a dispatch is gone');
    if (row) await audit(ctx, 'brain.dispatch', { brain_dispatch: dispatch_id }, set);
    return present(shown);
  });
}

/** Micro-dollars: what teams of today have spent, and, of those under way, what they still may. */
async function promisedToday(db: Knex, ownerId: string, now: number): Promise<number> {
  const teams = await teamsOfToday(db, ownerId, now);
  const [open, ended] = [teams.filter((team) => team.ended_at === null), teams.filter((team) => team.ended_at !== null)];
  return open.reduce((sum, { budget_micros }) => sum + budget_micros, await spentByTeams(db, ended.map(({ dag_run_id }) => dag_run_id))); // prettier-ignore
}

export async function spentToday(ctx: Ctx, ownerId: string): Promise<number> {
  const teams = await teamsOfToday(ctx.db, ownerId, ctx.clock());
  return spentByTeams(ctx.db, teams.map(({ dag_run_id }) => dag_run_id)); // prettier-ignore
}

async function teamsOfToday(db: Knex, ownerId: string, now: number): Promise<{ dag_run_id: string; budget_micros: number; ended_at: Date | null }[]> {
  return db('brain_dispatches as b')
    .join('team_runs as t', 't.dag_run_id', 'b.dag_run_id')
    .join('dag_runs as d', 'd.dag_run_id', 't.dag_run_id')
    .join('jobs as j', 'j.job_id', 'd.job_id')
    .where('b.owner_id', ownerId)
    .where('b.started_at', '>=', new Date(`${new Date(now).toISOString().slice(0, 10)}T00:00:00Z`))
    .select('t.dag_run_id', 't.budget_micros', 'j.ended_at');
}

const present = (row: BrainDispatchesRow): DispatchOut => ({
  dispatch_id: row.dispatch_id,
  goal: row.goal,
  protocol: wantedIn(row).protocol,
  state: row.state,
  reason: row.reason,
  dag_run_id: row.dag_run_id,
  created_at: row.created_at.toISOString(),
  started_at: row.state === 'queued' ? null : (row.started_at?.toISOString() ?? null),
});
