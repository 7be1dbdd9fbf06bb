// Sums receipts by hour, day and month. Each agent's chain is counted up to a place that is stored in the
// transaction that stores the counts, and receipts of one chain become visible in their order: a crash or a
// second worker counts none twice and none not.
import type { Knex } from 'knex';
import { LATENCY_BOUNDS_MS } from '#contract/evidence/latency.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { facetsOf, HISTOGRAM } from './facets.ts';

const AGENTS = 500;
const BATCH = 5_000;
/** So many of an agent's words are counted separately, all further ones as `other`. */
const MOST_WORDS = { skill: 200, code: 50 } as const;
export const OTHER_WORD = 'other';

/** SQL over `receipts r`: in which bucket its duration is. */
export const BUCKET = `width_bucket(r.duration_ms, array[${LATENCY_BOUNDS_MS.join(', ')}])`;
/**
 * SQL over `receipts r`: how its caller stands to the owner. An account that was purged since stays another
 * account.
 */
export const RELATION = `case when r.caller_user_id = :owner then 'owner' when r.caller_user_id is not null or r.caller_gone then 'other' else 'none' end`;
export const CALLED_VERSION = `coalesce(r.payload->'agent'->>'version', '')`;
const CODE = `coalesce(r.payload->>'error_code', r.status)`;
const known = (kind: keyof typeof MOST_WORDS, word: string): string =>
  `case when exists (select 1 from call_words k where k.agent_id = r.agent_id and k.kind = '${kind}' and k.word = ${word}) then ${word} else '${OTHER_WORD}' end`;
/**
 * SQL over `receipts r`: a caller may ask for a skill that there is not. Only what the agent declares, or
 * what once went well, is counted by name.
 */
const IS_SKILL = `(r.status = 'ok' or r.skill = any((select skills from agents where agent_id = :agent_id)::text[]))`;
/** SQL over `receipts r`: the words that it is counted by. */
export const COUNTED_SKILL = known('skill', 'r.skill');
export const COUNTED_CODE = `case when r.status <> 'error' then '' else ${known('code', CODE)} end`;
/** The same of receipts that are not counted yet: words that nobody has noted are new ones. */
export const NEW_SKILL = `case when ${IS_SKILL} then r.skill else ${COUNTED_SKILL} end`;
export const NEW_CODE = `case when r.status <> 'error' then '' else ${CODE} end`;

export async function countCalls(ctx: Ctx): Promise<void> {
  for (const { agent_id, owner } of await agentsToCount(ctx.db)) while (await countNext(ctx, agent_id, owner));
}

async function agentsToCount(db: Knex): Promise<{ agent_id: string; owner: string }[]> {
  const { rows } = await db.raw<{ rows: { agent_id: string; owner: string }[] }>(
    `select c.agent_id, a.owner_id as owner from receipt_chains c join agents a using (agent_id) left join call_count_places p using (agent_id)
     where c.seq > coalesce(p.seq, 0) and a.deleted_at is null order by c.seq - coalesce(p.seq, 0) desc limit ${AGENTS}`,
  );
  return rows;
}

/** False: all is counted, or another worker counts them. */
function countNext(ctx: Ctx, agent_id: string, owner: string): Promise<boolean> {
  return system(ctx, async (ctx) => {
    await ctx.db('call_count_places').insert({ agent_id, seq: 0 }).onConflict('agent_id').ignore();
    const place = await ctx.db('call_count_places').where({ agent_id }).forUpdate().skipLocked().first('seq');
    const agent = await ctx.db('agents').where({ agent_id }).whereNull('deleted_at').first('agent_id');
    if (!place || !agent) return false;
    const of = { agent_id, after: place.seq };
    await noteWords(ctx.db, of, 'skill', 'r.skill', IS_SKILL);
    await noteWords(ctx.db, of, 'code', CODE, `r.status = 'error'`);
    const { rows } = await ctx.db.raw<{ rows: { receipts: number }[] }>(
      `with batch as materialized (
         select r.seq, r.created_at, ${COUNTED_SKILL} as skill, ${CALLED_VERSION} as version, ${RELATION} as relation, r.status, ${COUNTED_CODE} as error_code, ${BUCKET} as bucket, r.duration_ms
         from receipts r where r.agent_id = :agent_id and r.seq > :after order by r.seq limit ${BATCH}
       ), cells as materialized (
         select f.facet, date_trunc('hour', b.created_at, 'UTC') as hour, f.word, f.relation, b.status, f.bucket, count(*) as calls, sum(b.duration_ms) as duration_ms
         from batch b, lateral (values ${facetsOf('b')}) f(facet, word, relation, bucket) where f.facet <> 'code' or b.status = 'error' group by 1, 2, 3, 4, 5, 6
       ), summed as (
         insert into call_sums as c (agent_id, grain, facet, since, word, relation, status, calls, duration_ms, histogram)
           select :agent_id, grain, facet, since, word, relation, status, sum(calls)::bigint, sum(duration_ms)::bigint, ${HISTOGRAM}
           from (
             select g.grain, facet, date_trunc(g.grain, hour, 'UTC') as since, word, relation, status, bucket, sum(calls)::bigint as calls, sum(duration_ms) as duration_ms
             from cells, (values ('hour'), ('day'), ('month')) g(grain) group by 1, 2, 3, 4, 5, 6, 7
           ) of_grain group by grain, facet, since, word, relation, status
         on conflict (agent_id, facet, grain, since, word, relation, status)
           do update set calls = c.calls + excluded.calls, duration_ms = c.duration_ms + excluded.duration_ms, histogram = histogram_sum(c.histogram, excluded.histogram)
       ), placed as (
         update call_count_places set seq = (select max(seq) from batch) where agent_id = :agent_id and exists (select 1 from batch)
       )
       select count(*)::int as receipts from batch`,
      { ...of, owner },
    );
    return rows[0]?.receipts === BATCH;
  });
}

/** The words that the next receipts bring, as long as there are few. */
async function noteWords(
  tx: Knex.Transaction,
  of: { agent_id: string; after: number },
  kind: keyof typeof MOST_WORDS,
  word: string,
  where: string,
): Promise<void> {
  await tx.raw(
    `insert into call_words (agent_id, kind, word)
     select :agent_id, '${kind}', word from (
       select ${word} as word, min(r.seq) as first from (
         select * from receipts where agent_id = :agent_id and seq > :after order by seq limit ${BATCH}
       ) r where ${where} group by 1
     ) found
     where not exists (select 1 from call_words k where k.agent_id = :agent_id and k.kind = '${kind}' and k.word = found.word)
     order by first limit greatest(0, ${MOST_WORDS[kind]} - (select count(*) from call_words where agent_id = :agent_id and kind = '${kind}'))
     on conflict do nothing`,
    of,
  );
}
