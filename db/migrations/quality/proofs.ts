// Proofs: a skill performed on one case, what was checked of it, and the signed document.
import type { Part } from '../../parts.ts';

export const proofs: Part = {
  up: `
    create table agent_proofs (
      proof_id         text primary key,
      agent_id         text not null references agents on delete cascade,
      agent_name       text not null,
      -- who ran it
      owner_id         text not null references users,
      run_by           text not null check (run_by in ('owner', 'caller')),
      -- decided when it began; what has a token and is published is public
      published        boolean not null,
      -- Its foreign key is added in 0013_deploys.ts.
      deploy_id        text not null,
      version          text not null,
      skill_name       text not null,
      args             jsonb not null,
      input_sha256     text not null,
      args_case        text not null check (args_case in ('given', 'example', 'sampled')),
      seed             text,
      properties       jsonb not null default '[]',
      deadline_at      timestamptz not null,
      deadline_seconds integer not null,
      budget_micros    bigint not null,
      grant_id         text references grants on delete set null,
      run_id           text,
      receipt_id       text,
      job_id           text references jobs,
      status           text not null check (status in ('running', 'passed', 'failed')),
      -- why it was stopped, or has no verdict
      error            jsonb,
      has_result       boolean not null default false,
      result           jsonb,
      checks           jsonb not null default '[]',
      events           jsonb not null default '[]',
      file_ops         jsonb not null default '[]',
      card_hash        text not null,
      head_sha         text,
      image            text,
      elapsed_ms       integer,
      proof_sha256     text,
      token            text,
      created_at       timestamptz not null default now(),
      ended_at         timestamptz,
      -- Its owner withdrew it: it stays in the list and in the graph, without what it showed.
      withdrawn_at     timestamptz,
      withdrawn_reason text,
      check ((status = 'running') = (ended_at is null)),
      check ((token is null) = (proof_sha256 is null)),
      check (token is null or (receipt_id is not null and status <> 'running')),
      check (not published or run_by = 'owner'),
      constraint agent_proofs_withdrawn check ((withdrawn_at is null) = (withdrawn_reason is null) and (withdrawn_at is null or (published and token is not null)))
    );
    -- One call is one proof.
    create unique index agent_proofs_run on agent_proofs (run_id);
    create unique index agent_proofs_receipt on agent_proofs (receipt_id);
    create index agent_proofs_owner on agent_proofs (owner_id, proof_id desc);
    create index agent_proofs_open on agent_proofs (owner_id) where status = 'running';
    create index agent_proofs_agent on agent_proofs (agent_id, proof_id desc);
    create index agent_proofs_published on agent_proofs (agent_id, deploy_id, skill_name, proof_id desc) where published and token is not null;
    create index agent_proofs_feed on agent_proofs (proof_id desc) where published and token is not null;
    create index agent_proofs_deploy on agent_proofs (deploy_id);
    create index agent_proofs_job on agent_proofs (job_id);
    create index agent_proofs_grant on agent_proofs (grant_id);
    -- The newest evidence of an agent, all kinds of it in the order of time.
    create index agent_proofs_own on agent_proofs (agent_id, owner_id, created_at desc, proof_id desc);
    create index agent_proofs_shown on agent_proofs (agent_id, created_at desc, proof_id desc) where published and token is not null;
  `,
  down: `
    drop table agent_proofs;
  `,
};
