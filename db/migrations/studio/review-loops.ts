// Review loops: agents that are challenged.
import type { Part } from '../../parts.ts';

export const reviewLoops: Part = {
  up: `
    create table review_loops (
      job_id            text primary key references jobs,
      agent_id          text not null references agents,
      deploy_id         text not null references deployments,
      owner_id          text not null references users,
      -- skills, dry, iterations, budget, seed, reviewer
      spec              jsonb not null,
      -- folder and canaries of the throw-away scope; null: removed
      scope             jsonb,
      iteration         integer not null default 0,
      deadline_at       timestamptz not null,
      reviewer_agent_id text references agents,
      reviewer_run_id   text,
      -- what the reviewer's run said was taken
      reviewer_heard    boolean not null default false,
      -- what a model proposed was taken
      model_asked       boolean not null default false,
      -- events that a reviewer posted
      posted            integer not null default 0,
      created_at        timestamptz not null,
      ended_at          timestamptz
    );
    create unique index review_loops_open on review_loops (agent_id) where ended_at is null;
    create index review_loops_agent on review_loops (agent_id, job_id desc);
    create index review_loops_deploy on review_loops (deploy_id);
    create index review_loops_owner on review_loops (owner_id);
    create index review_loops_reviewer on review_loops (reviewer_agent_id);

    create table review_probes (
      job_id    text not null references review_loops on delete cascade,
      number    integer not null,
      iteration integer not null,
      attack    text not null check (attack = any (array['baseline', 'types', 'boundaries', 'unicode', 'shell', 'sql', 'paths', 'prompts', 'templates', 'files', 'memory', 'grants', 'replay', 'parallel', 'resume', 'cancel', 'huge', 'proposed'])),
      skill     text not null,
      -- calls that somebody proposed; null: made from attack, skill and seed
      proposed  jsonb,
      state     text not null check (state = any (array['planned', 'done'])),
      -- what its calls came to
      outcome   jsonb,
      run_ids   text[] not null default '{}',
      -- what it showed
      findings  text[] not null default '{}',
      primary key (job_id, number)
    );
    create index review_probes_planned on review_probes (job_id, number) where state = 'planned';
  `,
  down: `
    drop table review_probes, review_loops;
  `,
};
