import type { z } from 'zod';
import type { AgentSelfHealingOut, RepairOut } from '#contract/deploys/self-healing.ts';
import { SelfHealing } from '#contract/wire/manifest.ts';
import type { AgentRepairsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { stepsOf } from './model.ts';
import { storedFault } from '../../kernel/errors.ts';

/** @throws NotFound agent_not_found */
export async function readHealing(ctx: Ctx, i: { name: string; limit: number }): Promise<z.infer<typeof AgentSelfHealingOut>> {
  const { agent_id, live_deploy_id } = await agentFor(ctx.db, ctx.actor, 'self_healing.read', i.name);
  const live = live_deploy_id === null ? undefined : await ctx.db('deployments').where({ deploy_id: live_deploy_id }).first('manifest');
  const policy = SelfHealing.safeParse(Object(live?.manifest).self_healing);
  const rows = await ctx
    .db('agent_repairs as r')
    .leftJoin('deployments as d', 'd.deploy_id', 'r.healed_deploy_id')
    .where('r.agent_id', agent_id)
    .orderBy('r.created_at', 'desc')
    .orderBy('r.repair_id', 'desc')
    .limit(i.limit)
    .select<(AgentRepairsRow & { commit: string | null })[]>('r.*', 'd.source_commit as commit');
  const today = await ctx
    .db('agent_repairs')
    .where({ agent_id })
    .where('created_at', '>', ctx.db.raw(`now() - interval '1 day'`))
    .whereRaw(`steps <> '[]'`)
    .count<{ count: string }[]>('* as count')
    .first();
  return { policy: policy.success ? policy.data : null, repairs_today: Number(today?.count ?? 0), repairs: rows.map(presentRepair) };
}

function presentRepair(row: AgentRepairsRow & { commit: string | null }): z.infer<typeof RepairOut> {
  const { repair_id, job_id, state, deploy_id, missing, tests, commit, healed_deploy_id } = row;
  return {
    repair_id,
    job_id: job_id ?? '',
    state,
    failed_deploy_id: deploy_id,
    error: storedFault(row.error) ?? { code: 'unknown', message: '' },
    outcome: storedFault(row.outcome),
    steps: stepsOf(row),
    missing_secrets: missing,
    changed_files: namesIn(row.changed_files),
    tests,
    commit,
    deploy_id: healed_deploy_id,
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

// Safe: only noteChanges writes them.
const namesIn = (value: unknown): string[] => value as string[];
