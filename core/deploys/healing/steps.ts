// The steps of a repair. Each may come twice: its row says what was done.
import type { Fault } from '../../kernel/errors.ts';
import type { TestOutcome } from '#contract/states.ts';
import type { AgentRepairsRow } from '#db/tables.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { endJob, type EndLost, markRunning } from '../../jobs/long-work.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { requiredNames } from '../../agents/secret/warnings.ts';
import { openRepairs, type RepairStep, stepsOf } from './model.ts';

export interface Diagnosis {
  /** Secrets that the agent needs and lacks. */
  missing: string[];
  /** A restart of the same source helped for less than a day: it is not tried again. */
  restarted: boolean;
}

/** Undefined: it has ended. */
export async function beginRepair(ctx: Ctx, repairId: string): Promise<Diagnosis | undefined> {
  return system(ctx, async (ctx) => {
    await ctx.db('agent_repairs').where({ repair_id: repairId, state: 'queued' }).update({ state: 'running' });
    const row = await repairRow(ctx.db, repairId);
    if (!row || row.ended_at !== null) return undefined;
    await markRunning(ctx.db, row.job_id);
    const before = await ctx
      .db('agent_repairs')
      .where({ agent_id: row.agent_id, source_sha256: row.source_sha256, state: 'healed' })
      .where('ended_at', '>', ctx.db.raw(`now() - interval '1 day'`))
      .whereNot({ repair_id: repairId })
      .first('repair_id');
    return { missing: await missingSecrets(ctx, row), restarted: before !== undefined };
  });
}

async function missingSecrets({ db }: Ctx, { agent_id, deploy_id }: AgentRepairsRow): Promise<string[]> {
  const deployment = await db('deployments').where({ deploy_id }).first('card');
  const card = AgentCard.safeParse(deployment?.card);
  if (!card.success) return [];
  const set = new Set(await db('agent_secrets').where({ agent_id }).pluck('name'));
  return requiredNames(card.data).filter((name) => !set.has(name));
}

/** Says what is missing; resolves true once nothing is any more. */
export async function askForSecrets(ctx: Ctx, repairId: string): Promise<boolean> {
  const row = await repairRow(ctx.db, repairId);
  if (!row || row.ended_at !== null) return true;
  const missing = await missingSecrets(ctx, row);
  await system(ctx, async (ctx) => {
    const alreadyRequested = stepsOf(row).some(({ action }) => action === 'ask_secret');
    await ctx
      .db('agent_repairs')
      .where({ repair_id: repairId })
      .whereIn('state', [...openRepairs])
      .update({ state: missing.length > 0 ? 'awaiting_secret' : 'running', missing });
    if (!alreadyRequested && missing.length > 0) {
      const detail = `Set ${missing.join(', ')}: svc secrets set`;
      await addStep(ctx.db, ctx, row, { action: 'ask_secret', deploy_id: null, commit: null, outcome: 'under_way', detail });
      if (row.job_id !== null) await appendEvent(ctx.db, row.job_id, 'repair.asks', { missing });
    }
    if (alreadyRequested && missing.length === 0) await endStep(ctx.db, repairId, 'ask_secret', 'healed', 'They were set');
  });
  return missing.length === 0;
}

export async function endRepair(
  ctx: Ctx,
  repairId: string,
  end: { state: 'healed' | 'needs_human'; outcome: Fault; deploy_id?: string; tests?: TestOutcome },
): Promise<void> {
  await system(ctx, async (ctx) => {
    const [row] = await ctx
      .db('agent_repairs')
      .where({ repair_id: repairId })
      .whereIn('state', [...openRepairs])
      .update({
        state: end.state,
        outcome: storableJson(end.outcome),
        ended_at: ctx.db.raw('now()'),
        ...(end.deploy_id === undefined ? {} : { healed_deploy_id: end.deploy_id }),
        ...(end.tests === undefined ? {} : { tests: end.tests }),
      })
      .returning('*');
    if (!row) return;
    const facts = { repair_id: repairId, state: end.state, deploy_id: end.deploy_id ?? null };
    await audit(ctx, `repair.${end.state}`, { repair: repairId }, { ...facts, code: end.outcome.code });
    await endJob(ctx.db, row.job_id, end.state === 'healed' ? { output: facts } : { fault: end.outcome });
  });
}

export async function repairRow(db: Ctx['db'], repairId: string): Promise<AgentRepairsRow | undefined> {
  return db('agent_repairs').where({ repair_id: repairId }).first();
}

/** In the caller's transaction. */
export async function addStep(tx: Ctx['db'], ctx: Ctx, row: AgentRepairsRow, step: Omit<RepairStep, 'at'>): Promise<void> {
  const steps = [...stepsOf(row), { ...step, at: new Date(ctx.clock()).toISOString() }];
  await tx('agent_repairs')
    .where({ repair_id: row.repair_id })
    .update({ steps: storableJson(steps) });
  if (row.job_id !== null) await appendEvent(tx, row.job_id, 'repair.step', { action: step.action, deploy_id: step.deploy_id });
}

export async function endStep(tx: Ctx['db'], repairId: string, action: RepairStep['action'], outcome: 'healed' | 'failed', detail: string): Promise<void> {
  const row = await tx('agent_repairs').where({ repair_id: repairId }).forUpdate().first();
  if (!row) return;
  const steps = stepsOf(row).map((step) => (step.action === action ? { ...step, outcome, detail } : step));
  await tx('agent_repairs')
    .where({ repair_id: repairId })
    .update({ steps: storableJson(steps) });
}

/** Its workflow is gone. */
export const abandonRepair: EndLost = async (ctx, job_id, fault) => {
  const row = await ctx.db('agent_repairs').where({ job_id }).first('repair_id');
  if (row) await endRepair(ctx, row.repair_id, { state: 'needs_human', outcome: fault });
};
