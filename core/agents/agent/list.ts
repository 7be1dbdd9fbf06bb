// Lists of agents, by name; keyset pages.
import type { z } from 'zod';
import type { AgentMineOut, AgentMineSummaryOut, AgentOut } from '#contract/agents/agents.ts';
import { requireUser, rowsThatMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { presentAgent, presentMine, presentSummary } from './present.ts';
import { type AgentView, listed, selectAgents } from './select.ts';

interface PageIn {
  limit: number;
  cursor?: string | undefined;
}

/**
 * The next page of each, by an index of its own: one condition with "or" would read past the unlisted agents
 * of all accounts.
 */
const visible = (mine: string) => `a.agent_id in (
  select agent_id from (
    (select agent_id, name from agents where deleted_at is null and ${mine} and name > :after order by name limit :limit)
    union all
    (select agent_id, name from agents where ${listed} and not ${mine} and name > :after order by name limit :limit)
  ) page order by name limit :limit)`;

export async function listAgents(ctx: Ctx, i: PageIn): Promise<Page<z.infer<typeof AgentOut>>> {
  const user = requireUser(ctx, 'agent.read');
  const mine = rowsThatMay(ctx.actor, 'agent.inspect', { owner: 'owner_id' });
  return page(ctx, visible(mine.sql), mine.bindings, i, (a) => presentAgent(ctx.config, user.user_id, a));
}

export async function listMine(ctx: Ctx, i: PageIn): Promise<Page<z.infer<typeof AgentMineOut>>> {
  const mine = rowsThatMay(ctx.actor, 'agent.inspect', { owner: 'a.owner_id' });
  return page(ctx, `${mine.sql} and a.name > :after`, mine.bindings, i, (a) => presentMine(ctx.config, a));
}

export async function summarizeMine(ctx: Ctx): Promise<z.infer<typeof AgentMineSummaryOut>[]> {
  const mine = rowsThatMay(ctx.actor, 'agent.inspect', { owner: 'a.owner_id' });
  const rows = await selectAgents(ctx.db, mine.sql, mine.bindings, 'order by a.name limit 1000');
  return rows.map((a) => presentSummary(ctx.config, a));
}

async function page<T>(ctx: Ctx, where: string, bindings: Record<string, string>, i: PageIn, present: (a: AgentView) => T): Promise<Page<T>> {
  const [after = ''] = i.cursor === undefined ? [] : decodeCursor(i.cursor, 1);
  const rows = await selectAgents(ctx.db, where, { ...bindings, after, limit: i.limit + 1 }, 'order by a.name limit :limit');
  return toPage(rows, i.limit, present, (a) => [a.name]);
}
