import type { z } from 'zod';
import type { PublicAgentOut } from '#contract/public/public.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { listedAgents, presentListed } from './select.ts';

/** Most called first. */
export async function listPublicAgents(
  ctx: Ctx,
  i: { limit: number; cursor?: string | undefined; tag?: string | undefined },
): Promise<Page<z.infer<typeof PublicAgentOut>>> {
  const [callCount, name] = i.cursor === undefined ? [] : decodeCursor(i.cursor, ['number', 'string']);
  const after = callCount === undefined || name === undefined ? undefined : { callCount, name };
  const rows = await listedAgents(ctx.db, { limit: i.limit + 1, tag: i.tag, after });
  return toPage(
    rows,
    i.limit,
    (row) => presentListed(ctx.config, row),
    (row) => [row.call_count, row.name],
  );
}
