// What a repair deploys: the live version again, or the newest one before that had answered calls.
import type { Knex } from 'knex';
import type { DeploymentsRow } from '#db/tables.ts';
import { withControl } from '../../accounts/control.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { queueAgain } from '../deployment/again.ts';
import { countDeployment } from '../deployment/count.ts';
import { isImageRetained } from '../deployment/redeploy.ts';
import { readFiles } from '../../agents/source/read-files.ts';
import { healingPolicy, stepsOf } from './model.ts';
import { addStep, repairRow } from './steps.ts';

/**
 * A deployment of the repair, or why there is none: `busy` another one is under way, the others are final.
 */
export type RepairDeploy = { deploy_id: string; refused?: undefined } | { refused: 'busy' | 'overtaken' | 'not_permitted' | 'none_good' };

export async function repairDeploy(ctx: Ctx, repairId: string, action: 'restart' | 'put_back'): Promise<RepairDeploy> {
  const result = await system(ctx, async (ctx): Promise<RepairDeploy> => {
    const { agent_id } = (await repairRow(ctx.db, repairId)) ?? {};
    const agent = await ctx
      .db('agents')
      .where({ agent_id: agent_id ?? '' })
      .whereNull('deleted_at')
      .forUpdate()
      .first('agent_id', 'name', 'owner_id', 'live_deploy_id');
    const row = await repairRow(ctx.db, repairId);
    if (!row || row.ended_at !== null || !agent) return { refused: 'overtaken' };
    const done = stepsOf(row).find((step) => step.action === action)?.deploy_id;
    if (typeof done === 'string') return { deploy_id: done };
    // What this repair brought up itself counts as its own.
    const mine = [row.deploy_id, ...stepsOf(row).map(({ deploy_id }) => deploy_id)];
    if (!mine.includes(agent.live_deploy_id)) return { refused: 'overtaken' };
    const owner = await withControl(ctx.db, { kind: 'user', user_id: agent.owner_id, email: '', operator: false, via: 'bearer' } satisfies UserActor);
    if (!may(owner, 'agent.redeploy', { owner: agent.owner_id })) return { refused: 'not_permitted' };
    const live = await ctx
      .db('deployments')
      .where({ deploy_id: agent.live_deploy_id ?? '' })
      .first();
    const of = action === 'restart' ? live : await lastGood(ctx.db, row.agent_id, row.source_sha256, healingPolicy(row).require_tests);
    if (!of) return { refused: 'none_good' };
    const made = await queueAgain(ctx, owner, {
      agent: await countDeployment(ctx.db, row.agent_id, agent.name),
      of,
      built: action === 'restart' ? of.image !== null : await isImageRetained(ctx.db, of),
      title: action === 'restart' ? 'Restart' : 'Put back',
      input: { repair_id: repairId, source_of: of.deploy_id },
      action: action === 'restart' ? 'agent.restart' : 'agent.redeploy',
    });
    await addStep(ctx.db, ctx, row, { action, deploy_id: made.deploy_id, commit: of.source_commit, outcome: 'under_way', detail: '' });
    return { deploy_id: made.deploy_id };
  }).catch((error: unknown): RepairDeploy => {
    if (error instanceof Conflict) return { refused: error.code === 'agent_deleted' ? 'overtaken' : 'busy' };
    throw error;
  });
  if (action === 'put_back' && result.refused === undefined) await noteChanges(ctx, repairId, result.deploy_id);
  return result;
}

/**
 * The newest version of another source that was live, and, where tests are required, answered calls and was
 * not given up by a repair.
 */
async function lastGood(tx: Knex.Transaction, agentId: string, failedSource: string, requireTests: boolean): Promise<DeploymentsRow | undefined> {
  return tx('deployments as d')
    .where({ 'd.agent_id': agentId, 'd.state': 'superseded' })
    .whereNot('d.source_sha256', failedSource)
    .whereNotExists(
      tx('agent_repairs as r')
        .whereRaw(`r.agent_id = d.agent_id and r.source_sha256 = d.source_sha256 and r.created_at > now() - interval '30 days'`)
        .select(tx.raw('1')),
    )
    .modify((query) => {
      if (requireTests) void query.whereExists(tx('receipts as c').whereRaw(`c.deploy_id = d.deploy_id and c.status = 'ok'`).select(tx.raw('1')));
    })
    .orderBy('d.number', 'desc')
    .first('d.*');
}

const mostFiles = 200;

/** For the history: names of the files that differ in the restored version. */
async function noteChanges(ctx: Ctx, repairId: string, deployId: string): Promise<void> {
  const row = await repairRow(ctx.db, repairId);
  const sources = await ctx
    .db('deployments')
    .whereIn('deploy_id', [row?.deploy_id ?? '', deployId])
    .select('source_key');
  if (sources.length !== 2) return;
  const [one, other] = await Promise.all(sources.map(async ({ source_key }) => contents(ctx, source_key)));
  if (!one || !other) return;
  const changed = [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path)).toSorted();
  await ctx
    .db('agent_repairs')
    .where({ repair_id: repairId })
    .update({ changed_files: storableJson(changed.slice(0, mostFiles)) });
}

async function contents(ctx: Ctx, sourceKey: string): Promise<Map<string, string>> {
  const files = await readFiles(await ctx.drivers.storage.get(sourceKey));
  return new Map(files.map(({ path, content }) => [path, Buffer.from(content).toString('latin1')]));
}
