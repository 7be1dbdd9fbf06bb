// Whole days and months of calls are kept by one question at a time: what a year is read from does not grow with how many things calls differ in.
import type { Knex } from 'knex';

/** By facet: which of the words a call is counted under, and whether its duration matters. */
const FACETS = `(values ('all', '', '', c.bucket), ('skill', c.skill, '', c.bucket), ('version', c.version, '', c.bucket), ('caller', '', c.relation, c.bucket),
                        ('code', c.error_code, '', 0), ('earned', c.skill, c.relation, 0)) f(facet, word, relation, bucket)`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table call_sums (
      agent_id    text not null references agents,
      grain       text not null check (grain = any (array['day', 'month'])),
      facet       text not null check (facet = any (array['all', 'skill', 'version', 'caller', 'code', 'earned'])),
      since       timestamptz not null,
      word        text not null,
      -- '': the facet does not tell callers apart
      relation    text not null check (relation = any (array['', 'owner', 'other', 'none'])),
      status      text not null check (status = any (array['ok', 'error', 'cancelled'])),
      bucket      integer not null,
      calls       bigint not null,
      duration_ms bigint not null,
      primary key (agent_id, facet, grain, since, word, relation, status, bucket)
    );
    insert into call_sums (agent_id, grain, facet, since, word, relation, status, bucket, calls, duration_ms)
      select c.agent_id, g.grain, f.facet, date_trunc(g.grain, c.since, 'UTC'), f.word, f.relation, c.status, f.bucket, sum(c.calls)::bigint, sum(c.duration_ms)::bigint
      from call_counts c, (values ('day'), ('month')) g(grain), lateral ${FACETS}
      where c.grain = 'day' and (f.facet <> 'code' or c.status = 'error') group by 1, 2, 3, 4, 5, 6, 7, 8;
    -- What stays is of hours.
    delete from call_counts where grain <> 'hour';
    alter table call_counts drop constraint call_counts_pkey;
    alter table call_counts drop column grain;
    alter table call_counts add primary key (agent_id, since, skill, version, relation, status, error_code, bucket);

    alter table model_use_counts drop constraint model_use_counts_grain_check;
    alter table model_use_counts add check (grain = any (array['hour', 'day', 'month']));
    insert into model_use_counts (agent_id, grain, since, relation, model, uses, input_tokens, cached_input_tokens, output_tokens, cost_micros, unpriced)
      select agent_id, 'month', date_trunc('month', since, 'UTC'), relation, model, sum(uses)::bigint, sum(input_tokens)::bigint, sum(cached_input_tokens)::bigint,
             sum(output_tokens)::bigint, sum(cost_micros)::bigint, sum(unpriced)::bigint
      from model_use_counts where grain = 'day' group by 1, 3, 4, 5;

    alter table wake_counts drop constraint wake_counts_grain_check;
    alter table wake_counts add check (grain = any (array['hour', 'day', 'month']));
    insert into wake_counts (agent_id, grain, since, tier, bucket, wakes, wake_ms, slept_ms)
      select agent_id, 'month', date_trunc('month', since, 'UTC'), tier, bucket, sum(wakes)::bigint, sum(wake_ms)::bigint, sum(slept_ms)::bigint
      from wake_counts where grain = 'day' group by 1, 3, 4, 5;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table call_counts add column grain text not null default 'hour' check (grain = any (array['hour', 'day']));
    alter table call_counts alter column grain drop default;
    alter table call_counts drop constraint call_counts_pkey;
    alter table call_counts add primary key (agent_id, grain, since, skill, version, relation, status, error_code, bucket);
    insert into call_counts (agent_id, grain, since, skill, version, relation, status, error_code, bucket, calls, duration_ms)
      select agent_id, 'day', date_trunc('day', since, 'UTC'), skill, version, relation, status, error_code, bucket, sum(calls)::bigint, sum(duration_ms)::bigint
      from call_counts where grain = 'hour' group by 1, 3, 4, 5, 6, 7, 8, 9;
    drop table call_sums;
    delete from model_use_counts where grain = 'month';
    alter table model_use_counts drop constraint model_use_counts_grain_check;
    alter table model_use_counts add check (grain = any (array['hour', 'day']));
    delete from wake_counts where grain = 'month';
    alter table wake_counts drop constraint wake_counts_grain_check;
    alter table wake_counts add check (grain = any (array['hour', 'day']));
  `);
}
