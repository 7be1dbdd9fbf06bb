// Counts of calls, models, wakes and earnings, by hour, day and month: what a year is read from does not grow with how many things calls differ in.
import type { Part } from '../../parts.ts';

export const counts: Part = {
  up: `
    -- Receipts of a time (UTC), by one question at a time (facet): all of them, by skill, version, caller, code, or what they earned.
    create table call_sums (
      agent_id    text not null references agents,
      grain       text not null check (grain = any (array['hour', 'day', 'month'])),
      facet       text not null check (facet = any (array['all', 'skill', 'version', 'caller', 'code', 'earned'])),
      since       timestamptz not null,
      word        text not null,
      -- '': the facet does not tell callers apart
      relation    text not null check (relation = any (array['', 'owner', 'other', 'none'])),
      status      text not null check (status = any (array['ok', 'error', 'cancelled'])),
      calls       bigint not null,
      duration_ms bigint not null,
      -- {}: the facet does not tell durations apart
      histogram   json not null,
      primary key (agent_id, facet, grain, since, word, relation, status)
    );

    -- Calls by the bucket of their duration, as of contract/evidence/latency.ts: {"17": 3}. As text: it is read as it is stored.
    create function histogram_sum(a json, b json) returns json language sql immutable parallel safe as $$
      select coalesce(json_object_agg(bucket, calls), '{}') from (
        select bucket, sum(calls::bigint)::bigint as calls from (select * from json_each_text(a) union all select * from json_each_text(b)) both_of(bucket, calls) group by 1
      ) summed
    $$;

    -- Up to where an agent's chain of receipts is counted. Changed with the counts, in one transaction.
    create table call_count_places (
      agent_id text primary key references agents,
      seq      bigint not null
    );

    -- Skills and codes of failures are words of agents and callers: so many are counted by themselves.
    create table call_words (
      agent_id text not null references agents,
      kind     text not null check (kind = any (array['skill', 'code'])),
      word     text not null,
      primary key (agent_id, kind, word)
    );

    create table model_use_counts (
      agent_id            text not null references agents,
      grain               text not null check (grain = any (array['hour', 'day', 'month'])),
      since               timestamptz not null,
      relation            text not null check (relation = any (array['owner', 'other', 'none'])),
      model               text not null,
      uses                bigint not null,
      input_tokens        bigint not null,
      cached_input_tokens bigint not null,
      output_tokens       bigint not null,
      cost_micros         bigint not null,
      -- of uses without a price
      unpriced            bigint not null,
      primary key (agent_id, grain, since, relation, model)
    );

    create table wake_counts (
      agent_id text not null references agents,
      grain    text not null check (grain = any (array['hour', 'day', 'month'])),
      since    timestamptz not null,
      tier     text not null check (tier = any (array['paused', 'suspended', 'cold'])),
      bucket   integer not null,
      wakes    bigint not null,
      wake_ms  bigint not null,
      slept_ms bigint not null,
      primary key (agent_id, grain, since, tier, bucket)
    );

    create table earned_sums (
      agent_id      text not null references agents,
      grain         text not null check (grain = any (array['hour', 'day', 'month'])),
      -- of the receipts that state the charges
      since         timestamptz not null,
      skill         text not null,
      amount_micros bigint not null,
      primary key (agent_id, grain, since, skill)
    );
  `,
  down: `
    drop table earned_sums, wake_counts, model_use_counts, call_words, call_count_places, call_sums;
    drop function histogram_sum;
  `,
};
