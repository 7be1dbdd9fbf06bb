// Lists of agents, by name; keyset pages.
import type { z } from 'zod';
import type { AgentMineOut, AgentMineSummaryOut, AgentOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/actors.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { presentAgent, presentMine, presentSummary } from './present.ts';
import { type AgentView, listed, selectAgents } from './select.ts';

interface PageIn {
  limit: number;
  cursor?: string | undefined;
}

const owned = 'a.owner_id = :owner and a.name > :after';
/** The next page of each, by an index of its own: one condition with "or" would read past everybody's unlisted agents. */
const visible = `a.agent_id in (
  select agent_id from (
    (select agent_id, name from agents where deleted_at is null and owner_id = :owner and name > :after order by name limit :limit)
    union all
    (select agent_id, name from agents where ${listed} and owner_id <> :owner and name > :after order by name limit :limit)
  ) page order by name limit :limit)`;

export async function listAgents(ctx: Ctx, i: PageIn): Promise<Page<z.infer<typeof AgentOut>>> {
  const user = requireUser(ctx);
  return page(ctx, visible, user.user_id, i, (a) => presentAgent(ctx.config, user.user_id, a));
}

export async function listMine(ctx: Ctx, i: PageIn): Promise<Page<z.infer<typeof AgentMineOut>>> {
  return page(ctx, owned, requireUser(ctx).user_id, i, (a) => presentMine(ctx.config, a));
}

export async function summarizeMine(ctx: Ctx): Promise<z.infer<typeof AgentMineSummaryOut>[]> {
  const rows = await selectAgents(ctx.db, 'a.owner_id = :owner', { owner: requireUser(ctx).user_id }, 'order by a.name limit 1000');
  return rows.map((a) => presentSummary(ctx.config, a));
}

async function page<T>(ctx: Ctx, where: string, owner: string, i: PageIn, present: (a: AgentView) => T): Promise<Page<T>> {
  const [after = ''] = i.cursor === undefined ? [] : decodeCursor(i.cursor, 1);
  const rows = await selectAgents(ctx.db, where, { owner, after, limit: i.limit + 1 }, 'order by a.name limit :limit');
  return toPage(rows, i.limit, present, (a) => [a.name]);
}
