// Search reads the listing only: no agent is woken. It ranks a bounded number of agents, however many match.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentSearchOut } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { presentAgent } from './present.ts';
import { bestFirst, listed, selectAgents } from './select.ts';
import { alike } from '../search/vocabulary.ts';

interface SearchIn {
  q: string;
  tag?: string[] | null | undefined;
  skill?: string | null | undefined;
  limit: number;
}

interface AgentHit {
  agent_id: string;
  score: number;
}

/**
 * How many of the caller's own and of the listed ones are ranked when more match: the first by `bestFirst`.
 */
const ownRanked = 50;
const listedRanked = 50;
/** That many of the best are looked at one by one: what much has is found there, in order. */
const bestLookedAt = 600;
/**
 * Only where these are too few for an answer the index is asked. So many of its finds are put in order; where
 * it has more, the first it finds.
 */
const maxOrderedMatches = 300;
const maxWords = 8;

/**
 * Full text first (every word, prefixes too); what is misspelt is compared with known words when that found
 * too few. An exact name wins; among equals the more called come first.
 */
export async function searchAgents(ctx: Ctx, i: SearchIn): Promise<z.infer<typeof AgentSearchOut>[]> {
  const { user_id: owner } = requireUser(ctx, 'agent.read');
  const words = (i.q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, maxWords);
  if (i.q !== '' && words.length === 0) return [];
  const hits: AgentHit[] = [];
  const add = async (query: string): Promise<void> => {
    const seen = new Set(hits.map((one) => one.agent_id));
    const more = await matching(ctx.db, owner, i, query);
    hits.push(...more.filter((one) => !seen.has(one.agent_id)).slice(0, i.limit - hits.length));
  };
  // A caller may still be typing the last word. Prefixes of common words read every agent that has one: only
  // where too few are found.
  await add(words.map((word, at) => (at === words.length - 1 ? orPrefix(word) : quoted(word))).join(' & '));
  if (hits.length < i.limit && words.length > 1) await add(words.map(orPrefix).join(' & '));
  if (hits.length < i.limit) {
    const known = await alike(ctx.db, words);
    if (known.size > 0) await add(words.map((word) => `(${[orPrefix(word), ...(known.get(word) ?? []).map(quoted)].join(' | ')})`).join(' & '));
  }
  const scores = new Map(hits.map((one) => [one.agent_id, Number(one.score)]));
  const rows = await selectAgents(ctx.db, 'a.agent_id = any(:ids)', { ids: [...scores.keys()] });
  const place = new Map([...scores.keys()].map((id, at) => [id, at]));
  rows.sort((a, b) => (place.get(a.agent_id) ?? 0) - (place.get(b.agent_id) ?? 0));
  return rows.map((a) => ({ ...presentAgent(ctx.config, owner, a), score: scores.get(a.agent_id) ?? 0 }));
}

const columns = 'agent_id, unanswered, call_count, name';

/** Best first. `query` is a tsquery, empty for everything. */
async function matching(db: Knex, owner: string, i: SearchIn, query: string): Promise<AgentHit[]> {
  const narrow = `${i.tag?.length ? 'and tags @> :tags' : ''} ${typeof i.skill === 'string' ? 'and skills @> array[:skill]' : ''}`;
  const match = `${query === '' ? '' : 'and search @@ :query::tsquery'} ${narrow}`;
  const ranked = query === '' ? i.limit : listedRanked;
  const { rows } = await db.raw<{ rows: AgentHit[] }>(
    `with own as materialized (
       select agent_id from agents where deleted_at is null and owner_id = :owner ${match} order by ${bestFirst} limit ${ownRanked}
     ), best as materialized (
       select agent_id from (select ${columns}, search, tags, skills from agents where ${listed} order by ${bestFirst} limit ${bestLookedAt}) b
       where true ${match} order by ${bestFirst} limit ${ranked}
     ), further as materialized (
       select agent_id from (
         select ${columns} from agents where ${listed} ${match} and (select count(*) from best) < :limit limit ${maxOrderedMatches}
       ) f order by ${bestFirst} limit ${ranked}
     ), exact as (
       select agent_id from agents where name = :q and deleted_at is null and (owner_id = :owner or (${listed})) ${narrow}
     )
     select a.agent_id, (case when a.name = :q then 10 else 0 end) ${query === '' ? '' : '+ ts_rank(a.search, :query::tsquery)'} as score
     from agents a
     where a.agent_id in (
       select agent_id from own union select agent_id from best union select agent_id from further union select agent_id from exact
     )
     -- However well it fits, one that does not answer comes last.
     order by unanswered, score desc, ${bestFirst}
     limit :limit`,
    {
      owner,
      q: i.q,
      limit: i.limit,
      ...(query === '' ? {} : { query }),
      ...(i.tag?.length ? { tags: i.tag } : {}),
      ...(typeof i.skill === 'string' ? { skill: i.skill } : {}),
    },
  );
  return rows;
}

// Words are letters and digits only, so nothing of tsquery's own syntax gets through.
function quoted(word: string): string {
  return `'${word}'`;
}

/** `pars` also finds `parser`; one or two letters would find half the listing. */
function orPrefix(word: string): string {
  return word.length < 3 ? quoted(word) : `${quoted(word)}:*`;
}
