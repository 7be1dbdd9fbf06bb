import type { z } from 'zod';
import type { PublicAgentOut } from '#contract/public/public.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { listedAgents, presentListed } from './select.ts';

/** Most called first; those that do not answer last. */
export async function listPublicAgents(
  ctx: Ctx,
  i: { limit: number; cursor?: string | undefined; tag?: string | undefined },
): Promise<Page<z.infer<typeof PublicAgentOut>>> {
  const [unanswered, callCount, name] = i.cursor === undefined ? [] : decodeCursor(i.cursor, ['number', 'number', 'string']);
  const after = unanswered === undefined || callCount === undefined || name === undefined ? undefined : { unanswered: unanswered !== 0, callCount, name };
  const rows = await listedAgents(ctx.db, { limit: i.limit + 1, tag: i.tag, after });
  return toPage(
    rows,
    i.limit,
    (row) => presentListed(ctx.config, row),
    (row) => [Number(row.unanswered), row.call_count, row.name],
  );
}
