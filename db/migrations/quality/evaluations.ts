// Rules that score runs, what people say of runs, and datasets that a version is checked against.
import type { Part } from '../../parts.ts';

export const evaluations: Part = {
  up: `
    create table evaluation_rules (
      agent_id   text not null references agents,
      rule       text not null,
      "check"    jsonb not null,
      kind       text not null,
      -- empty: all
      skills     text[] not null default '{}',
      sample     double precision not null check (sample between 0 and 1),
      enabled    boolean not null,
      updated_at timestamptz not null,
      primary key (agent_id, rule)
    );
    create index evaluation_rules_enabled on evaluation_rules (agent_id) where enabled;

    create table run_scores (
      agent_id   text not null references agents,
      rule       text not null,
      run_id     text not null,
      deploy_id  text not null,
      -- null: a model has yet to judge it, or could not (reason)
      passed     boolean,
      score      double precision,
      reason     text,
      scored_at  timestamptz not null,
      -- while a worker asks the model that judges
      held_until timestamptz,
      primary key (agent_id, rule, run_id)
    );
    create index run_scores_agent on run_scores (agent_id, scored_at desc);
    create index run_scores_scored on run_scores (scored_at);
    create index run_scores_run on run_scores (run_id);
    create index run_scores_unjudged on run_scores (scored_at) where passed is null and reason is null;

    create table run_thumbs (
      run_id    text primary key,
      agent_id  text not null references agents,
      deploy_id text,
      user_id   text not null references users,
      up        boolean not null,
      comment   text not null,
      at        timestamptz not null
    );
    create index run_thumbs_agent on run_thumbs (agent_id, at desc);
    create index run_thumbs_user on run_thumbs (user_id);

    -- What a plain call took and gave, from its end until its rules have been held against it.
    create table scored_contents (
      run_id   text primary key,
      agent_id text not null references agents,
      args     jsonb,
      result   jsonb,
      kept_at  timestamptz not null
    );
    create index scored_contents_kept on scored_contents (kept_at);
    create index scored_contents_agent on scored_contents (agent_id);

    -- One row: the last receipt whose run was looked at.
    create table scoring_position (
      one        boolean primary key default true check (one),
      receipt_id text not null
    );

    create table evaluation_consents (
      user_id    text not null references users,
      agent_id   text not null references agents,
      created_at timestamptz not null,
      primary key (user_id, agent_id)
    );
    create index evaluation_consents_agent on evaluation_consents (agent_id);

    create table datasets (
      dataset_id text primary key,
      agent_id   text not null references agents,
      name       text not null,
      created_at timestamptz not null,
      unique (agent_id, name)
    );

    create table dataset_items (
      item_id      text primary key,
      dataset_id   text not null references datasets on delete cascade,
      skill        text not null,
      args         jsonb not null,
      has_expected boolean not null,
      expected     jsonb,
      run_id       text,
      -- whose run it was
      user_id      text references users,
      created_at   timestamptz not null
    );
    create index dataset_items_dataset on dataset_items (dataset_id, item_id);
    create index dataset_items_user on dataset_items (user_id);

    create table evaluations (
      evaluation_id text primary key,
      agent_id      text not null references agents,
      dataset       text not null,
      -- Its foreign key is added in 0013_deploys.ts.
      deploy_id     text not null,
      version       text,
      created_by    text not null references users,
      state         text not null check (state = any (array['running', 'succeeded', 'failed', 'cancelled'])),
      error         jsonb,
      held_until    timestamptz,
      created_at    timestamptz not null,
      ended_at      timestamptz,
      check ((state = 'running') = (ended_at is null))
    );
    create unique index evaluations_running on evaluations (agent_id) where state = 'running';
    create index evaluations_agent on evaluations (agent_id, evaluation_id desc);
    create index evaluations_deploy on evaluations (deploy_id);
    create index evaluations_by on evaluations (created_by);
    -- The newest evidence of an agent, all kinds of it in the order of time.
    create index evaluations_time on evaluations (agent_id, created_at desc, evaluation_id desc);

    create table evaluation_results (
      evaluation_id text not null references evaluations on delete cascade,
      item_id       text not null,
      skill         text not null,
      args          jsonb not null,
      has_expected  boolean not null,
      expected      jsonb,
      state         text not null check (state = any (array['queued', 'running', 'done'])),
      run_id        text,
      passed        boolean,
      scores        jsonb not null default '[]',
      error         jsonb,
      primary key (evaluation_id, item_id)
    );
    create index evaluation_results_run on evaluation_results (run_id);
  `,
  down: `
    drop table evaluation_results, evaluations, dataset_items, datasets, evaluation_consents, scoring_position, scored_contents, run_thumbs, run_scores,
      evaluation_rules;
  `,
};
