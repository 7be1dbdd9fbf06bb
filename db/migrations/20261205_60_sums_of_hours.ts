// Hours of calls are kept as their days and months are: by one question at a time, and one row for durations of all sizes. What calls earned is summed the same way.
import type { Knex } from 'knex';

/** By facet: which of the words a call is counted under, and whether its duration matters. */
const FACETS = `(values ('all', '', '', c.bucket), ('skill', c.skill, '', c.bucket), ('version', c.version, '', c.bucket), ('caller', '', c.relation, c.bucket),
                        ('code', c.error_code, '', 0), ('earned', c.skill, c.relation, 0)) f(facet, word, relation, bucket)`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Calls by the bucket of their duration, as of contract/evidence/latency.ts: {"17": 3}. As text: it is read as it is stored.
    create function histogram_sum(a json, b json) returns json language sql immutable parallel safe as $$
      select coalesce(json_object_agg(bucket, calls), '{}') from (
        select bucket, sum(calls::bigint)::bigint as calls from (select * from json_each_text(a) union all select * from json_each_text(b)) both_of(bucket, calls) group by 1
      ) summed
    $$;

    create temporary table kept_sums on commit drop as
      with cells as (
        select agent_id, grain, facet, since, word, relation, status, bucket, calls, duration_ms from call_sums
        union all
        select c.agent_id, 'hour', f.facet, c.since, f.word, f.relation, c.status, f.bucket, sum(c.calls)::bigint, sum(c.duration_ms)::bigint
        from call_counts c, lateral ${FACETS} where f.facet <> 'code' or c.status = 'error' group by 1, 2, 3, 4, 5, 6, 7, 8
      )
      select agent_id, grain, facet, since, word, relation, status, sum(calls)::bigint as calls, sum(duration_ms)::bigint as duration_ms,
             case when facet in ('code', 'earned') then '{}' else json_object_agg(bucket, calls) end as histogram
      from cells group by 1, 2, 3, 4, 5, 6, 7;
    truncate call_sums;
    alter table call_sums drop constraint call_sums_pkey;
    alter table call_sums drop column bucket;
    -- {}: the facet does not tell durations apart
    alter table call_sums add column histogram json not null;
    alter table call_sums drop constraint call_sums_grain_check;
    alter table call_sums add check (grain = any (array['hour', 'day', 'month']));
    insert into call_sums (agent_id, grain, facet, since, word, relation, status, calls, duration_ms, histogram)
      select agent_id, grain, facet, since, word, relation, status, calls, duration_ms, histogram from kept_sums;
    alter table call_sums add primary key (agent_id, facet, grain, since, word, relation, status);
    drop table call_counts;

    create table earned_sums (
      agent_id      text not null references agents,
      grain         text not null check (grain = any (array['hour', 'day', 'month'])),
      -- of the receipts that state the charges
      since         timestamptz not null,
      skill         text not null,
      amount_micros bigint not null,
      primary key (agent_id, grain, since, skill)
    );
    alter table charges add column counted boolean not null default false;
    create index charges_to_count on charges (agent_id, charge_id) where state = 'settled' and not counted;

    -- An account called; it was purged since.
    alter table receipts add column caller_gone boolean not null default false;
  `);
}

/** What was counted is counted again, from the receipts. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table receipts drop column caller_gone;
    drop index charges_to_count;
    alter table charges drop column counted;
    drop table earned_sums;
    create table call_counts (
      agent_id    text not null references agents,
      since       timestamptz not null,
      skill       text not null,
      version     text not null,
      relation    text not null check (relation = any (array['owner', 'other', 'none'])),
      status      text not null check (status = any (array['ok', 'error', 'cancelled'])),
      error_code  text not null,
      bucket      integer not null,
      calls       bigint not null,
      duration_ms bigint not null,
      primary key (agent_id, since, skill, version, relation, status, error_code, bucket)
    );
    truncate call_sums, call_count_places;
    alter table call_sums drop constraint call_sums_pkey;
    alter table call_sums drop column histogram;
    alter table call_sums add column bucket integer not null;
    alter table call_sums drop constraint call_sums_grain_check;
    alter table call_sums add check (grain = any (array['day', 'month']));
    alter table call_sums add primary key (agent_id, facet, grain, since, word, relation, status, bucket);
    drop function histogram_sum;
  `);
}
