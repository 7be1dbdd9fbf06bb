import type { z } from 'zod';
import type { SubagentRunOut } from '#contract/runs/subagent-runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { rowsThatMay } from '../../kernel/policy.ts';
import { instantOf } from '../../kernel/keyset.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { subagentRunFor, presentSubagentRun, selectSubagentRuns } from './find.ts';

type Out = z.infer<typeof SubagentRunOut>;

export async function getSubagentRun(ctx: Ctx, i: { grant_id: string }): Promise<Out> {
  return presentSubagentRun(await subagentRunFor(ctx.db, ctx.actor, 'subagent_run.read', i.grant_id));
}

/** Newest first. */
export async function listSubagentRuns(ctx: Ctx, i: { limit: number; cursor?: string | undefined; agent?: string | undefined }): Promise<Page<Out>> {
  const mine = rowsThatMay(ctx.actor, 'subagent_run.read', { owner: 's.owner_id' });
  const key = i.cursor === undefined ? undefined : decodeCursor(i.cursor, ['number', 'string']);
  const conditions = [
    mine.sql,
    ...(i.agent === undefined ? [] : ['s.agent_name = :agent']),
    ...(key === undefined ? [] : [`(s.started_at, s.grant_id) < (${instantOf('at')}, :grantId)`]),
  ];
  const rows = await selectSubagentRuns(ctx.db, `${conditions.join(' and ')} order by s.started_at desc, s.grant_id desc limit :limit`, {
    ...mine.bindings,
    limit: i.limit + 1,
    ...(i.agent === undefined ? {} : { agent: i.agent }),
    ...(key === undefined ? {} : { at: key[0], grantId: key[1] }),
  });
  return toPage(rows, i.limit, presentSubagentRun, (row) => [row.cursor_at, row.grant_id]);
}
