// The steps of a removal as its workflow takes them. Each may come twice: removed rows no longer exist, and
// are counted in the transaction that removed them. A batch locks the policy: neither a hold nor a longer
// time can come in between.
import type { Knex } from 'knex';
import { appendEvent } from '../../../jobs/append-event.ts';
import { endJob, type EndLost, endStateOf, markRunning } from '../../../jobs/long-work.ts';
import { openStates } from '../../../jobs/model.ts';
import { removeArchive } from '../../../jobs/retention/archive.ts';
import { system } from '../../../kernel/act.ts';
import { audit } from '../../../kernel/audit.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Conflict, type Fault } from '../../../kernel/errors.ts';
import { effectiveDays } from '../policy/read.ts';
import { RETENTION_STEPS, type RetentionStep } from './plan.ts';
import { type PurgeRow, purgeRows, REMOVED_EVENT, removedBy } from './read.ts';

const DAY_MS = 86_400_000;
const COUNTED = 10_000;
const ARCHIVES = 100;

/** By table: rows that would go, COUNTED at most of each. */
export async function countContents(db: Knex, of: { organization: string; before: Date }): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, where } of RETENTION_STEPS) {
    const { rows } = await db.raw<{ rows: [{ n: number }] }>(`select count(*)::int as n from (select 1 from ${table} t where ${where} limit ${COUNTED}) counted`, of); // prettier-ignore
    if (rows[0].n > 0) counts[table] = rows[0].n;
  }
  const archives = (await dueArchives(db, of, COUNTED)).length;
  return archives > 0 ? { ...counts, job_archives: archives } : counts;
}

/** @throws Conflict legal_hold, retention_not_set */
export async function removeContents(ctx: Ctx, purgeId: string, beat: () => void): Promise<void> {
  const [row] = await purgeRows(ctx.db).where('c.purge_id', purgeId);
  if (!row || !openStates.includes(row.state)) return;
  await markRunning(ctx.db, row.job_id);
  await removeOldArchives(ctx, row, beat);
  for (const step of RETENTION_STEPS) while ((await removeBatch(ctx, step, row)) > 0) beat();
}

/** Of its workflows that ended before. @throws as removeContents */
export async function removeHistories(ctx: Ctx, purgeId: string, beat: () => void): Promise<void> {
  const [row] = await purgeRows(ctx.db).where('c.purge_id', purgeId);
  if (!row || !openStates.includes(row.state)) return;
  await ctx.drivers.workflows.forget(row.organization_id, { endedBefore: await beforeNow(ctx, row), beat });
}

async function removeBatch(ctx: Ctx, { table, key, batch, where, set }: RetentionStep, row: PurgeRow): Promise<number> {
  const some = `select distinct t.${key} from ${table} t where ${where} limit ${batch}`;
  const these = `t.${key} in (select few.${key} from (${some}) few) and ${where}`;
  const sql = set === undefined ? `delete from ${table} t where ${these}` : `update ${table} t set ${set} where ${these}`;
  // endRetention writes into the log what went in all.
  return system(ctx, async (ctx) => {
    const before = await beforeNow(ctx, row);
    const { rowCount } = await ctx.db.raw<{ rowCount: number }>(sql, { organization: row.organization_id, before });
    if (rowCount > 0) await appendEvent(ctx.db, row.job_id, REMOVED_EVENT, { table, count: rowCount });
    return rowCount;
  });
}

/**
 * As the policy is now, and not later than when the removal began. Holds the policy. @throws Conflict
 * legal_hold, retention_not_set
 */
async function beforeNow(ctx: Ctx, { organization_id, before }: PurgeRow): Promise<Date> {
  const policy = await ctx.db('compliance_policies').where({ organization_id }).forShare().first();
  if (!policy) throw new Conflict('retention_not_set', 'The organization has no policy any more: nothing more is removed');
  if (policy.legal_hold) throw new Conflict('legal_hold', 'A legal hold was set: nothing more is removed');
  return new Date(Math.min(before.getTime(), ctx.clock() - effectiveDays(policy) * DAY_MS));
}

/** Events that moved into the storage. removeArchive itself looks at the policy. */
async function removeOldArchives(ctx: Ctx, row: PurgeRow, beat: () => void): Promise<void> {
  for (;;) {
    const before = await beforeNow(ctx, row);
    const due = await dueArchives(ctx.db, { organization: row.organization_id, before }, ARCHIVES);
    let removed = 0;
    for (const { job_id, storage_key } of due) {
      if (!(await removeArchive(ctx, job_id, storage_key))) continue;
      removed += 1;
      beat();
    }
    if (removed > 0) await appendEvent(ctx.db, row.job_id, REMOVED_EVENT, { table: 'job_archives', count: removed });
    if (removed === 0 || due.length < ARCHIVES) return;
  }
}

async function dueArchives(db: Knex, of: { organization: string; before: Date }, limit: number): Promise<{ job_id: string; storage_key: string }[]> {
  return db('job_archives as a')
    .join('jobs as j', 'j.job_id', 'a.job_id')
    .whereIn('j.agent_id', db('agents').where({ owner_id: of.organization }).select('agent_id'))
    .whereNull('a.removed_at')
    .where('j.ended_at', '<', of.before)
    .limit(limit)
    .select('a.job_id', 'a.storage_key');
}

/** Once, with what went. */
export async function endRetention(ctx: Ctx, purgeId: string, fault?: Fault): Promise<void> {
  const [row] = await purgeRows(ctx.db).where('c.purge_id', purgeId);
  if (!row) return;
  await system(ctx, async (ctx) => {
    const counts = await removedBy(ctx.db, row.job_id);
    const moved = await endJob(ctx.db, row.job_id, { output: { purge_id: purgeId, counts }, fault });
    if (moved) await audit(ctx, 'compliance.purge_ended', { organization: row.organization_id }, { purge_id: purgeId, state: endStateOf(fault), counts, ...(fault && { code: fault.code }) }); // prettier-ignore
  });
}

/** Its workflow is gone. */
export const abandonRetention: EndLost = async (ctx, job_id, fault) => {
  const row = await ctx.db('compliance_purges').where({ job_id }).first('purge_id');
  if (row) await endRetention(ctx, row.purge_id, fault);
};
