// Why a durable run failed, for the owner of its agent. What it took and gave is in its job.
import type { RunsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { later } from './later.ts';
import { storableObject, writeContent } from './write.ts';

export function writeFailure(ctx: Ctx, row: RunsRow, ownerId: string, error: Fault): void {
  const { run_id, agent_id, deploy_id, skill, user_id, started_at } = row;
  if (deploy_id === null) return;
  const ended_at = new Date(ctx.clock());
  const ofRun = { run_id, agent_id, deploy_id, skill, user_id, request_id: run_id, state: 'failed' as const, started_at, ended_at };
  const nothing = { input: null, output: null, streamed: null, progress: null, left_out: false };
  later(ctx, async (db) => {
    if (await isPiiSafe(db, [ownerId, user_id])) return;
    await writeContent(db)({ ...ofRun, ...nothing, error: storableObject(error) });
  });
}
