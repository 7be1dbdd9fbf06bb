// Reviews of what is deployed, and what they and challenges found.
import type { Part } from '../../parts.ts';

export const findings: Part = {
  up: `
    create table review_runs (
      review_id      text primary key,
      agent_id       text not null references agents on delete cascade,
      -- Its foreign key is added in 0013_deploys.ts.
      deploy_id      text not null unique,
      job_id         text references jobs,
      state          text not null check (state in ('queued', 'running', 'passed', 'warning', 'failed', 'errored', 'skipped')),
      ref            text,
      summary        text not null default '',
      findings       jsonb not null default '[]',
      critical_count integer not null default 0,
      warning_count  integer not null default 0,
      info_count     integer not null default 0,
      lock_sha256    text,
      error          jsonb,
      created_at     timestamptz not null default now(),
      started_at     timestamptz,
      ended_at       timestamptz
    );
    create index review_runs_agent on review_runs (agent_id, created_at desc, review_id desc);
    create index review_runs_job on review_runs (job_id);

    create table agent_findings (
      finding_id   text primary key,
      agent_id     text not null references agents,
      -- Its foreign key is added in 0013_deploys.ts.
      deploy_id    text not null,
      job_id       text references jobs,
      source       text not null check (source = any (array['review_loop', 'review_run', 'simulation'])),
      -- of what makes it this finding: a version that has it again has this one
      hash         text not null,
      severity     text not null check (severity = any (array['critical', 'warning', 'info'])),
      rule         text not null,
      skill        text,
      title        text not null,
      message      text not null,
      -- the calls that show it; null: found in the source
      reproduction jsonb,
      -- it showed again when its calls were made again
      confirmed    boolean not null,
      state        text not null check (state = any (array['open', 'answered'])),
      answer       text check (answer = any (array['fixed', 'accepted', 'false_alarm'])),
      reason       text,
      -- null: the platform, when a new version no longer has it
      answered_by  text references users,
      answered_at  timestamptz,
      created_at   timestamptz not null,
      unique (agent_id, hash),
      check ((state = 'answered') = (answer is not null and answered_at is not null))
    );
    create index agent_findings_agent on agent_findings (agent_id, finding_id desc);
    create index agent_findings_open on agent_findings (agent_id) where state = 'open' and severity = 'critical' and confirmed;
    create index agent_findings_job on agent_findings (job_id);
    create index agent_findings_deploy on agent_findings (deploy_id);
    create index agent_findings_answered_by on agent_findings (answered_by);
    -- The newest evidence of an agent, all kinds of it in the order of time.
    create index agent_findings_time on agent_findings (agent_id, created_at desc, finding_id desc);
    create index agent_findings_unanswered on agent_findings (agent_id, severity, created_at desc, finding_id desc) where state = 'open' and confirmed;
  `,
  down: `
    drop table agent_findings, review_runs;
  `,
};
