// The log lines of one run or one request, as long as a machine that served it is there.
import type { z } from 'zod';
import type { RunLogLineOut } from '#contract/runs/my-runs.ts';
import type { LogLine } from '#drivers/runtime/port.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { findRunRecord } from './find.ts';

interface LogIn {
  name: string;
  run_id?: string | undefined;
  request_id?: string | undefined;
  limit: number;
}

interface RunLog {
  lines: z.infer<typeof RunLogLineOut>[];
  searched: number;
}

/** Of the newest; those that serve come first. */
const MOST_MACHINES = 6;
const LINES_AT_ONCE = 10_000;

/** @throws NotFound agent_not_found for all but its owner */
export async function runLog(ctx: Ctx, { name, run_id, request_id, limit }: LogIn): Promise<RunLog> {
  const agent = await agentFor(ctx.db, ctx.actor, 'deployment.read', name);
  const run = run_id === undefined ? undefined : await findRunRecord(ctx.db, run_id);
  // A run of another agent has no lines here.
  if (run_id !== undefined && run?.agent_id !== agent.agent_id) return { lines: [], searched: 0 };
  const instances = await ctx
    .db('instances')
    .where({ agent_id: agent.agent_id, ...(run?.deploy_id != null && { deploy_id: run.deploy_id }) })
    .orderByRaw(`state = 'stopped', created_at desc`)
    .limit(MOST_MACHINES)
    .select('instance_id');
  const perMachine = await Promise.all(instances.map(({ instance_id }) => linesOf(ctx, instance_id, run_id ?? request_id ?? '', limit)));
  const known = perMachine.filter((lines) => lines !== undefined);
  const lines = known.flat().sort((a, b) => a.at - b.at);
  return {
    lines: lines.slice(-limit).map(({ at, stream, text }) => ({ at: new Date(at).toISOString(), source: 'agent' as const, stream, text })),
    searched: known.length,
  };
}

/** Undefined: its host does not have it any more. */
async function linesOf(ctx: Ctx, instanceId: string, id: string, limit: number): Promise<LogLine[] | undefined> {
  let named: LogLine[] = [];
  try {
    let after = -1;
    for (;;) {
      const lines = await ctx.drivers.runtime.logs(instanceId, { after, limit: LINES_AT_ONCE });
      named = [...named, ...lines.filter(({ text }) => text.includes(id))].slice(-limit);
      const last = lines.at(-1);
      if (last === undefined || lines.length < LINES_AT_ONCE) return named;
      after = last.seq;
    }
  } catch {
    return undefined;
  }
}
