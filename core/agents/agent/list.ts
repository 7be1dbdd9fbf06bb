// Lists of agents, by name; keyset pages.
import type { z } from 'zod';
import type { AgentMineOut, AgentMineSummaryOut, AgentOut } from '../../../contract/agents/agents.ts';
import { requireUser } from '../../actors.ts';
import type { Ctx } from '../../ctx.ts';
import { decodeCursor, type Page, toPage } from '../../page.ts';
import { presentAgent, presentMine, presentSummary } from './present.ts';
import { type AgentView, selectAgents } from './select.ts';

interface PageIn {
  limit: number;
  cursor?: string | undefined;
}

const owned = 'a.owner_id = :owner';
const visible = "(a.owner_id = :owner or (a.visibility = 'public' and a.live_deploy_id is not null))";

export async function listAgents(ctx: Ctx, i: PageIn): Promise<Page<z.infer<typeof AgentOut>>> {
  const user = requireUser(ctx);
  return page(ctx, visible, user.user_id, i, (a) => presentAgent(ctx.config, user.user_id, a));
}

export async function listMine(ctx: Ctx, i: PageIn): Promise<Page<z.infer<typeof AgentMineOut>>> {
  return page(ctx, owned, requireUser(ctx).user_id, i, (a) => presentMine(ctx.config, a));
}

export async function summarizeMine(ctx: Ctx): Promise<z.infer<typeof AgentMineSummaryOut>[]> {
  const rows = await selectAgents(ctx.db, owned, { owner: requireUser(ctx).user_id }, 'order by a.name limit 1000');
  return rows.map((a) => presentSummary(ctx.config, a));
}

async function page<T>(ctx: Ctx, where: string, owner: string, i: PageIn, present: (a: AgentView) => T): Promise<Page<T>> {
  const [after = ''] = i.cursor === undefined ? [] : decodeCursor(i.cursor, 1);
  const rows = await selectAgents(ctx.db, `${where} and a.name > :after`, { owner, after, limit: i.limit + 1 }, 'order by a.name limit :limit');
  return toPage(rows, i.limit, present, (a) => [a.name]);
}
