// The steps of a purge, as its workflow takes them. Each may come twice: rows that went are not there, and
// what is counted is counted in the transaction that removed it.
import type { Knex } from 'knex';
import { appendEvent } from '../../jobs/append-event.ts';
import { markRunning } from '../../jobs/long-work.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { forgetControl } from '../../accounts/control.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { requireNoHold } from '../../accounts/legal-hold.ts';
import { system } from '../../kernel/act.ts';
import { PURGED_ISSUER } from './issuer.ts';
import { type PurgeStep, PURGE_STEPS } from './plan.ts';

const BATCH = 1_000;

/**
 * Suspends the accounts, so that nothing new begins; from now on the job cannot be cancelled. Null: it was
 * cancelled before. @throws Conflict legal_hold
 */
export async function beginPurge(ctx: Ctx, jobId: string): Promise<string[] | null> {
  return system(ctx, async (ctx) => {
    const job = await ctx.db('jobs').where({ job_id: jobId }).forUpdate().first('state', 'input', 'owner_id');
    if (!job || job.state === 'cancelled') return null;
    const ids = userIdsOf(job.input);
    for (const user_id of ids) await requireNoHold(ctx.db, user_id);
    await markRunning(ctx.db, jobId);
    for (const user_id of ids) await suspend(ctx.db, user_id, job.owner_id);
    return ids;
  });
}

function userIdsOf(input: unknown): string[] {
  const { user_ids: ids } = Object(input) as { user_ids?: unknown };
  return Array.isArray(ids) ? ids.map(String) : [];
}

async function suspend(tx: Knex.Transaction, user_id: string, by: string): Promise<void> {
  const facts = { suspended: true, may_deploy: false, may_publish: false, may_call_external: false, reason: 'This account is being purged', updated_by: by };
  await tx('control_policies')
    .insert({ user_id, ...facts, limits: '{}', version: 1 })
    .onConflict('user_id')
    .merge({ ...facts, version: tx.raw('control_policies.version + 1') });
  afterCommit(tx, (db) => forgetControl(db, user_id));
}

/**
 * Removes the account's rows, table by table, in small transactions, each with its event in the job. @throws
 * Conflict legal_hold
 */
export async function removeRows(ctx: Ctx, i: { job_id: string; user_id: string }, beat: () => void): Promise<void> {
  for (const step of PURGE_STEPS) while ((await removeBatch(ctx, step, i)) === BATCH) beat();
}

function removeBatch(ctx: Ctx, step: PurgeStep, { job_id, user_id }: { job_id: string; user_id: string }): Promise<number> {
  const { table, where, set } = step;
  const some = `t.ctid in (select t.ctid from ${table} t where ${where} limit ${BATCH})`;
  const sql = set === undefined ? `delete from ${table} t where ${some}` : `update ${table} t set ${set} where ${some}`;
  return system(ctx, async (ctx) => {
    await requireNoHold(ctx.db, user_id);
    const { rowCount } = await ctx.db.raw<{ rowCount: number }>(sql, { user: user_id });
    const kind = set === undefined ? 'purge.removed' : 'purge.emptied';
    if (rowCount > 0 && step.silent !== true) await appendEvent(ctx.db, job_id, kind, { user_id, table, count: rowCount });
    return rowCount;
  });
}

/** The last step of an account: removes personal data from its row and makes sign-in impossible. */
export async function closeAccount(ctx: Ctx, { job_id, user_id }: { job_id: string; user_id: string }): Promise<void> {
  await system(ctx, async (ctx) => {
    const before = await ctx.db('users').where({ user_id }).whereNot({ issuer: PURGED_ISSUER }).forUpdate().first('issuer', 'subject');
    if (!before) return;
    if (before.issuer.startsWith(`${ctx.config.baseUrl}/`)) await forgetLocalAccount(ctx.db, before.subject);
    await ctx.db('users').where({ user_id }).update({ issuer: PURGED_ISSUER, subject: user_id, email: '', name: null, operator: false });
    await appendEvent(ctx.db, job_id, 'purge.account_closed', { user_id });
    afterCommit(ctx.db, (db) => forgetControl(db, user_id));
  });
}

/** What the embedded identity provider knows of the person. */
async function forgetLocalAccount(tx: Knex.Transaction, subject: string): Promise<void> {
  await tx.raw(`delete from oidc_payload where payload->>'accountId' = ?`, [subject]);
  await tx('idp_accounts').where({ account_id: subject }).delete();
}

export async function endPurge(ctx: Ctx, jobId: string, error?: Fault): Promise<void> {
  await system(ctx, async (ctx) => {
    const output = await totals(ctx.db, jobId);
    if (error) await transitionJob(ctx.db, jobId, { from: ['queued', 'running'], to: 'failed', error, output });
    else await transitionJob(ctx.db, jobId, { from: ['running'], to: 'succeeded', output });
  });
}

/** Rows by table, of all accounts of the job. */
async function totals(tx: Knex.Transaction, jobId: string): Promise<{ removed: Record<string, number>; emptied: Record<string, number> }> {
  const { rows } = await tx.raw<{ rows: { kind: string; name: string; n: number }[] }>(
    `select kind, payload->>'table' as name, sum((payload->>'count')::int)::int as n from job_events
     where job_id = ? and kind in ('purge.removed', 'purge.emptied') group by 1, 2 order by 2`,
    [jobId],
  );
  const of = (kind: string) => Object.fromEntries(rows.flatMap((row) => (row.kind === kind ? [[row.name, row.n]] : [])));
  return { removed: of('purge.removed'), emptied: of('purge.emptied') };
}
