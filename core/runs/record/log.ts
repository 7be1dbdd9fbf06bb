// The log lines of one run or one request, as long as a machine that served it is there; of a run that failed
// also those that were kept.
import type { z } from 'zod';
import type { RunLogLineOut } from '#contract/runs/my-runs.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storedLines } from '../content/log.ts';
import { instancesOf, linesNaming } from '../content/machines.ts';
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

/** Runs of one request. */
const MOST_STORED = 20;

/** @throws NotFound agent_not_found for all but its owner */
export async function runLog(ctx: Ctx, { name, run_id, request_id, limit }: LogIn): Promise<RunLog> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'deployment.read', name);
  const run = run_id === undefined ? undefined : await findRunRecord(ctx.db, run_id);
  // A run of another agent has no lines here.
  if (run_id !== undefined && run?.agent_id !== agent_id) return { lines: [], searched: 0 };
  const id = run_id ?? request_id ?? '';
  const instances = await instancesOf(ctx.db, { agent_id, ...(run?.deploy_id != null && { deploy_id: run.deploy_id }) });
  const perMachine = await Promise.all(instances.map((instance) => linesNaming(ctx.drivers, instance, [id], limit)));
  const known = perMachine.filter((lines) => lines !== undefined);
  const stored = await ctx
    .db('call_contents')
    .where({ agent_id, ...(run_id === undefined ? { request_id: id } : { run_id }) })
    .whereNotNull('log')
    .where('log_until', '>', new Date(ctx.clock()))
    .limit(MOST_STORED)
    .select('log');
  const all = [...stored.flatMap(({ log }) => storedLines(log)), ...known.flatMap((lines) => lines.get(id) ?? [])].map(({ at, stream, text }) => ({
    at,
    stream,
    text,
  }));
  const lines = [...new Map(all.map((line) => [JSON.stringify(line), line])).values()].toSorted((a, b) => a.at - b.at);
  return {
    lines: lines.slice(-limit).map(({ at, stream, text }) => ({ at: new Date(at).toISOString(), source: 'agent' as const, stream, text })),
    searched: known.length,
  };
}
