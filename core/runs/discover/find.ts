// Agents that a run may call, best first. Reads the listing only: no agent is woken.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { DiscoveredAgentOut } from '#contract/run/run-context.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import { bestFirst, listed } from '../../agents/agent/select.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { type Condition, rowsThatMay } from '../../kernel/policy.ts';
import { requireRun } from '../../kernel/ensure-run.ts';

export type Discovered = z.infer<typeof DiscoveredAgentOut>;

export interface FindIn {
  /** Comma-separated; all of them. */
  tags?: string | undefined;
  /** A member of the card's capabilities, not false. */
  capability?: string | undefined;
  skill?: string | undefined;
  limit: number;
}

const maxTags = 20;

/**
 * Agents of the same author first, then those with more calls; one that does not answer comes last. Leaves
 * out the agent that asks.
 */
export async function findAgents(ctx: Ctx, i: FindIn): Promise<Discovered[]> {
  const run = requireRun(ctx);
  const own = ownOf(run);
  const tags = (i.tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .slice(0, maxTags);
  const narrow = [
    'agent_id <> :agent_id',
    ...(tags.length > 0 ? [`${worn} @> :tags`] : []),
    ...(i.skill === undefined ? [] : ['skills @> array[:skill]']),
    ...(i.capability === undefined ? [] : [`coalesce(card->'capabilities'->>:capability, 'false') not in ('false', 'null')`]),
  ].join(' and ');
  const bindings = {
    ...own.bindings,
    agent_id: run.agent_id,
    limit: i.limit,
    ...(tags.length > 0 ? { tags } : {}),
    ...(i.skill === undefined ? {} : { skill: i.skill }),
    ...(i.capability === undefined ? {} : { capability: i.capability }),
  };
  const columns = 'name, card, call_count, unanswered';
  return select(
    ctx,
    ctx.db,
    `select name, card from (
       (select ${columns}, 0 as rank from agents where ${live} and ${own.sql} and ${narrow} order by ${bestFirst} limit :limit)
       union all
       (select ${columns}, 1 as rank from agents where ${listed} and not ${own.sql} and ${narrow} order by ${bestFirst} limit :limit)
     ) found order by unanswered, rank, ${bestFirst} limit :limit`,
    bindings,
  );
}

export async function discoverAgent(ctx: Ctx, i: { name: string }): Promise<Discovered> {
  const run = requireRun(ctx);
  const own = ownOf(run);
  const [found] = await select(ctx, ctx.db, `select name, card from agents where name = :name and ${live} and (${own.sql} or ${listed})`, {
    ...own.bindings,
    name: i.name,
  });
  if (!found) throw new NotFound('agent_not_found', `There is no agent ${i.name} that this run may call`);
  return found;
}

/** Tags of the agent and of its skills. */
const worn = `(tags || array(select t.tag from json_array_elements(coalesce(card->'skills', '[]')) s, json_array_elements_text(coalesce(s->'tags', '[]')) t(tag)))`;

const live = 'deleted_at is null and live_deploy_id is not null';

/** Of its own author. */
function ownOf(run: RunActor): Condition {
  return rowsThatMay(run, 'agent.discover', { owner: 'owner_id' });
}

async function select(ctx: Ctx, db: Knex, sql: string, bindings: Record<string, Knex.RawBinding>): Promise<Discovered[]> {
  const { rows } = await db.raw<{ rows: { name: string; card: unknown }[] }>(sql, bindings);
  return rows.flatMap(({ name, card }) => {
    const parsed = AgentCard.safeParse(card);
    return parsed.success ? [{ name, url: agentUrl(ctx.config, name), card: parsed.data }] : [];
  });
}
