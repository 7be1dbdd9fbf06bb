import type { SkillPriceOut } from '#contract/money/prices.ts';
import { presentPrice } from '../../agents/agent/prices.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';

interface ListIn {
  name: string;
  limit: number;
  cursor?: string | undefined;
  history: boolean;
  skill?: string | undefined;
}

/** Who may see the agent. By skill, the newest version of each first. @throws NotFound agent_not_found */
export async function listPrices(ctx: Ctx, i: ListIn): Promise<Page<SkillPriceOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'price.read', i.name);
  const query = ctx.db('skill_prices').where({ agent_id });
  if (!i.history) void query.whereNull('valid_until');
  if (i.skill !== undefined) void query.where({ skill: i.skill });
  if (i.cursor !== undefined) {
    const [skill, version] = decodeCursor(i.cursor, ['string', 'int32']);
    void query.whereRaw('(skill > :skill or (skill = :skill and version < :version))', { skill, version });
  }
  const rows = await query.orderBy([{ column: 'skill' }, { column: 'version', order: 'desc' }]).limit(i.limit + 1);
  return toPage(rows, i.limit, presentPrice, (row) => [row.skill, row.version]);
}
