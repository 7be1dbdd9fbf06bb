// Whose memory of a goal it is: a user's, with one agent. The user reads and writes it, and so do that
// agent's runs for that user.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { MetaRunOut } from '#contract/studio/meta-agent-runs.ts';
import type { MetaRunsRow } from '#db/tables.ts';
import { type Action, may, requireUser } from '../../kernel/policy.ts';
import { agentFor, noSuchAgent } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden, NotFound } from '../../kernel/errors.ts';

export interface Keeper {
  agentId: string;
  userId: string;
  /** Null: the user's own hand. */
  runId: string | null;
}

/** @throws NotFound agent_not_found, also to runs of other agents; Forbidden nobody_to_work_for */
export async function keeperOf(ctx: Ctx, action: Action, name: string): Promise<Keeper> {
  const { actor } = ctx;
  if (actor.kind !== 'run') {
    const user = requireUser(ctx, action);
    return { agentId: (await agentFor(ctx.db, user, 'agent.read', name)).agent_id, userId: user.user_id, runId: null };
  }
  if (actor.agent_name !== name) throw new NotFound('agent_not_found', `There is no agent ${name} whose goals this run may see`);
  if (actor.user_id === null) throw new Forbidden('nobody_to_work_for', 'No user of the platform called this run, so no account could own the goal');
  if (!may(actor, action, { owner: actor.user_id, agent: actor.agent_id })) throw noSuchAgent(name);
  return { agentId: actor.agent_id, userId: actor.user_id, runId: actor.run_id };
}

/** The subject of an action (core/kernel/act.ts): as keeperOf, for who acts. */
export function keeperAt(name: string) {
  return (ctx: Ctx, action: Action): Promise<Keeper> => keeperOf(ctx, action, name);
}

export async function ownedMetaRun(db: Knex, { agentId, userId }: Keeper, metaRunId: string): Promise<MetaRunsRow> {
  const row = await db('meta_runs').where({ meta_run_id: metaRunId, agent_id: agentId, user_id: userId }).first();
  if (!row) throw new NotFound('meta_run_not_found', `There is no meta-run ${metaRunId} here`);
  return row;
}

export function presentMetaRun(name: string, row: MetaRunsRow): z.infer<typeof MetaRunOut> {
  return {
    run_id: row.meta_run_id,
    agent: name,
    goal: row.goal,
    criteria: asWritten<string[]>(row.criteria),
    plan: asWritten<Record<string, unknown>>(row.plan),
    progress: asWritten<Record<string, unknown>>(row.progress),
    status: asWritten<z.infer<typeof MetaRunOut>['status']>(row.status),
    version: row.version,
    written_by: row.run_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

// Safe: the columns have two writers, create.ts and update.ts, which write what the contract parsed.
function asWritten<T>(value: unknown): T {
  return value as T;
}
