// A new price of a skill: a version that takes the place of the one before, in one transaction. Calls that
// have begun keep theirs.
import type { Knex } from 'knex';
import type { SkillPriceIn, SkillPriceOut } from '#contract/money/prices.ts';
import type { SkillPricesRow } from '#db/tables.ts';
import { presentPrice } from '../../agents/agent/prices.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { routeChanged } from '../../agents/route/changed.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { accountOf } from '../ledger/accounts.ts';

const RATES = ['call_micros', 'second_micros', 'token_micros', 'artifact_micros', 'max_micros', 'free_calls'] as const;

/** The same price again changes nothing. @throws NotFound agent_not_found, price_skill_unknown */
export async function setPrice(ctx: Ctx, i: { name: string; skill: string; price: SkillPriceIn }): Promise<SkillPriceOut> {
  return act(ctx, 'price.put', agentNamed(i.name), async (ctx, { agent_id, owner_id }) => {
    await requireKnownSkill(ctx.db, agent_id, i);
    await lockPrices(ctx.db, agent_id, i.skill);
    const last = await ctx.db('skill_prices').where({ agent_id, skill: i.skill }).orderBy('version', 'desc').first();
    const wanted = { ...i.price, max_micros: i.price.max_micros ?? i.price.call_micros };
    if (last && last.valid_until === null && RATES.every((rate) => last[rate] === wanted[rate])) return unchanged(presentPrice(last));
    const from = new Date(startAfter(last, ctx.clock()));
    await ctx.db('skill_prices').where({ agent_id, skill: i.skill }).whereNull('valid_until').update({ valid_until: from });
    const [row] = await ctx
      .db('skill_prices')
      .insert({
        ...wanted,
        price_id: newId('prc', ctx.clock()),
        agent_id,
        skill: i.skill,
        version: (last?.version ?? 0) + 1,
        valid_from: from,
        created_at: from,
      })
      .returning('*');
    if (!row) throw new Error('the price was not stored');
    // So that no charge has to open it.
    await accountOf(ctx.db, 'earnings', owner_id);
    await routeChanged(ctx.db, i.name);
    const { price_id, version } = row;
    const before = last?.valid_until === null ? last.price_id : null;
    return done({ agent: agent_id }, { skill: i.skill, price_id, version, ...wanted, before }, presentPrice(row));
  });
}

/** Changes of one skill's price follow each other; before the first there is no row to lock. */
export async function lockPrices(tx: Knex.Transaction, agentId: string, skill: string): Promise<void> {
  await lockName(tx, `price/${agentId}/${skill}`);
}

/** Versions follow each other in time also where the clock was set back. */
function startAfter(last: SkillPricesRow | undefined, now: number): number {
  return Math.max(now, (last?.valid_until ?? last?.valid_from)?.getTime() ?? 0);
}

async function requireKnownSkill(tx: Knex, agentId: string, { name, skill }: { name: string; skill: string }): Promise<void> {
  const { rows } = await tx.raw<{ rows: { skills: string[] | null }[] }>(
    `select (select array_agg(s->>'id') from json_array_elements(d.card->'skills') s) as skills
     from deployments d join agents a using (agent_id)
     where d.agent_id = :agentId and d.card is not null and (d.deploy_id = a.live_deploy_id or d.number = (select max(number) from deployments n where n.agent_id = :agentId))`,
    { agentId },
  );
  const known = [...new Set(rows.flatMap(({ skills }) => skills ?? []))];
  if (known.includes(skill)) return;
  const has = known.length === 0 ? 'it has no deployment with skills' : `it has ${known.slice(0, 20).join(', ')}`;
  throw new NotFound('price_skill_unknown', `No deployment of ${name} has a skill ${skill}: ${has}. Deploy it first`, { skills: known.slice(0, 100) });
}
