// Whose agents are looked at each day, and what such looks propose.
import type { Part } from '../../parts.ts';

export const autopilot: Part = {
  up: `
    create table autopilots (
      owner_id   text primary key references users,
      enabled    boolean not null,
      daily_hour int not null check (daily_hour between 0 and 23),
      time_zone  text not null,
      -- Day of the last look, in the time zone.
      last_day   text,
      updated_at timestamptz not null
    );
    create index autopilots_enabled on autopilots (owner_id) where enabled;

    create table studio_proposals (
      proposal_id     text primary key,
      owner_id        text not null references users,
      agent_id        text not null references agents,
      agent_name      text not null,
      state           text not null check (state in ('open', 'accepted', 'rejected', 'expired')),
      severity        text not null check (severity in ('critical', 'warning', 'info')),
      category        text not null check (category in ('failures', 'cost', 'latency', 'dependencies', 'findings', 'unused', 'drift')),
      title           text not null,
      idea            text not null,
      rationale       text not null,
      evidence        jsonb not null,
      -- The newest commit of its source when it was proposed; null: it has no source here.
      source_head_sha text,
      -- Of its category and what it is about.
      fingerprint     text not null,
      -- Of the studio, which carries it out.
      run_id          text,
      -- What the person said, or why it expired.
      reason          text,
      created_at      timestamptz not null,
      expires_at      timestamptz not null,
      decided_at      timestamptz,
      check (state in ('open', 'expired') or decided_at is not null)
    );
    create unique index studio_proposals_open on studio_proposals (agent_id, fingerprint) where state = 'open';
    create index studio_proposals_agent on studio_proposals (agent_id, created_at desc);
    create index studio_proposals_owner on studio_proposals (owner_id, created_at desc, proposal_id desc);
    create index studio_proposals_owner_open on studio_proposals (owner_id, created_at desc, proposal_id desc) where state = 'open';
  `,
  down: `
    drop table studio_proposals, autopilots;
  `,
};
