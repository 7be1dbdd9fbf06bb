// Listed agents: public, and serving. Reading them asks nothing of the agents themselves.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { SkillPriceOut } from '#contract/money/prices.ts';
import type { PublicAgentDetailOut, PublicAgentOut } from '#contract/public/public.ts';
import type { AgentsRow } from '#db/tables.ts';
import { bestFirst, listed } from '../../agents/agent/select.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import type { PlatformConfig } from '../../kernel/ctx.ts';

const columns = ['name', 'description', 'version', 'tags', 'skills', 'call_count', 'reuse_policy', 'updated_at', 'unanswered'] as const;

export type ListedAgent = Pick<AgentsRow, (typeof columns)[number]>;
type Detailed = ListedAgent & Pick<AgentsRow, 'agent_id' | 'card'>;

export async function listedAgent(db: Knex, name: string): Promise<Detailed | undefined> {
  return db('agents')
    .where({ name })
    .whereRaw(listed)
    .first(...columns, 'agent_id', 'card');
}

interface Wanted {
  limit: number;
  tag?: string | undefined;
  after?: { unanswered: boolean; callCount: number; name: string } | undefined;
}

const order = `order by ${bestFirst} limit :limit`;
/**
 * The rest of the agents with as many calls, then those with fewer, then those that do not answer: each is
 * one range of the index, however many tie.
 */
const place = [
  'unanswered = :unanswered and call_count = :callCount and name > :name',
  'unanswered = :unanswered and call_count < :callCount',
  'unanswered > :unanswered',
];

/** The next `limit` agents after a place in their order. */
export async function listedAgents(db: Knex, { limit, tag, after }: Wanted): Promise<ListedAgent[]> {
  const ask = async (sql: string): Promise<ListedAgent[]> =>
    (await db.raw<{ rows: ListedAgent[] }>(sql, { limit, few: limit * 10, ...(tag === undefined ? {} : { tag }), ...after })).rows;
  const next = (from: From): string => (after === undefined ? from('true') : `${place.map((where) => `(${from(where)})`).join(' union all ')} ${order}`);
  if (tag === undefined) return ask(next(walked('')));
  // A tag that many have fills the page from the next few; only for others is it worth to ask how many there
  // are.
  const soon = await ask(`select * from (${next(walked('')).replaceAll(':limit', ':few')}) n where ${tagged} ${order}`);
  if (soon.length === limit) return soon;
  return ask(next((await isRare(db, tag)) ? taggedFirst : walked(`and ${tagged}`)));
}

type From = (where: string) => string;
const tagged = 'tags @> array[:tag]';

/** Along the order, passing over what does not match: good when much does. */
function walked(match: string): From {
  return (where) => `select ${columns.join(', ')} from agents where ${listed} ${match} and ${where} ${order}`;
}

/** All that have the tag, then their order: good when few have it. */
function taggedFirst(where: string): string {
  return `with tagged as materialized (select ${columns.join(', ')} from agents where ${listed} and ${tagged}) select * from tagged where ${where} ${order}`;
}

const fewAgents = 500;

/**
 * Looks at that many agents at most. PostgreSQL's own guess is wrong by orders of magnitude for tags it has
 * no statistics of.
 */
async function isRare(db: Knex, tag: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { n: number }[] }>(
    `select count(*)::int as n from (select 1 from agents where ${listed} and tags @> array[:tag] limit ${fewAgents + 1}) s`,
    { tag },
  );
  return (rows[0]?.n ?? 0) <= fewAgents;
}

export function presentListed(config: PlatformConfig, row: ListedAgent): z.infer<typeof PublicAgentOut> {
  return {
    name: row.name,
    description: row.description,
    version: row.version,
    tags: row.tags,
    skills: row.skills,
    url: agentUrl(config, row.name),
    call_count: row.call_count,
    reuse_policy: row.reuse_policy,
    updated_at: row.updated_at.toISOString(),
  };
}

export function presentPublicAgent(config: PlatformConfig, row: Detailed, prices: SkillPriceOut[]): z.infer<typeof PublicAgentDetailOut> {
  return { ...presentListed(config, row), card: cardOf(row.card), prices };
}

// Safe: written by the deployment's verify step only, from a parsed card.
function cardOf(card: unknown): z.infer<typeof PublicAgentDetailOut>['card'] {
  return card as z.infer<typeof PublicAgentDetailOut>['card'];
}
