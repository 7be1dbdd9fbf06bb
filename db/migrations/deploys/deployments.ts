// Deployments, and the processes that serve them.
import type { Part } from '../../parts.ts';

export const deployments: Part = {
  up: `
    -- A version of an agent, from its source to the day it is replaced.
    create table deployments (
      deploy_id     text primary key,
      agent_id      text not null references agents,
      number        integer not null,
      state         text not null check (state in ('queued', 'building', 'starting', 'verifying', 'live', 'superseded', 'failed', 'cancelled')),
      job_id        text not null unique references jobs,
      created_by    text not null references users,
      version       text,
      entrypoint    text not null,
      manifest      jsonb not null,
      public        boolean,
      source_key    text not null,
      source_sha256 text not null,
      source_bytes  bigint not null,
      source_commit text,
      image         text,
      image_bytes   bigint,
      card          jsonb,
      warnings      jsonb not null default '[]',
      error         jsonb,
      created_at    timestamptz not null default now(),
      live_at       timestamptz,
      ended_at      timestamptz,
      -- What it must stay equal to when it goes live, and in what it was not.
      upgrade_of    text references deployments on delete set null,
      upgrade_kind  text check (upgrade_kind in ('runtime', 'template')),
      differences   jsonb,
      -- What its image was built with (RuntimeVersion.sdk); null: built before this was noted.
      sdk           text,
      unique (agent_id, number)
    );
    create index deployments_open on deployments (agent_id, number) where state in ('queued', 'building', 'starting', 'verifying');
    create unique index deployments_one_live on deployments (agent_id) where state = 'live';
    create index deployments_created_by on deployments (created_by);
    create index deployments_upgrade_of on deployments (upgrade_of) where upgrade_of is not null;
    create index deployments_healing on deployments (agent_id) where state = 'live' and manifest \\? 'self_healing';
    create index deployments_template on deployments (agent_id) where state = 'live' and manifest \\? 'template';
    create index deployments_agent_time on deployments (agent_id, created_at desc, deploy_id desc);

    -- A process of a deployment on a host.
    create table instances (
      instance_id      text primary key,
      deploy_id        text not null references deployments,
      agent_id         text not null references agents,
      node             text not null,
      state            text not null check (state in ('starting', 'serving', 'draining', 'stopped')),
      api_key_sealed   text not null,
      runtime          text,
      created_at       timestamptz not null default now(),
      stopped_at       timestamptz,
      -- What the host says of a serving instance whose agent took itself out of service; null: it is well.
      unwell_reason    text,
      unwell_since     timestamptz,
      -- The last of its wakes that is counted.
      wakes_counted_to timestamptz,
      -- Its host lets it reach nothing outside.
      network_denied   boolean not null default false,
      constraint instances_unwell check ((unwell_reason is null) = (unwell_since is null))
    );
    create index instances_deploy on instances (deploy_id);
    create index instances_agent on instances (agent_id) where state <> 'stopped';

    create function tell_of_deployment() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_account', concat_ws(' ', owner_id, 'deployment', new.deploy_id)) from agents where agent_id = new.agent_id;
        return null;
      end $$;
    create trigger deployments_made_told after insert on deployments for each row execute function tell_of_deployment();
    create trigger deployments_told after update of state on deployments for each row
      when (old.state is distinct from new.state) execute function tell_of_deployment();

    -- Foreign keys of tables of earlier areas.
    alter table agents add foreign key (live_deploy_id) references deployments;
    alter table receipts add foreign key (deploy_id) references deployments;
    alter table runs add foreign key (deploy_id) references deployments;
    alter table review_runs add foreign key (deploy_id) references deployments on delete cascade;
    alter table evaluations add foreign key (deploy_id) references deployments;
    alter table agent_proofs add foreign key (deploy_id) references deployments;
    alter table agent_findings add foreign key (deploy_id) references deployments;
  `,
  down: `
    alter table agents drop constraint agents_live_deploy_id_fkey;
    alter table receipts drop constraint receipts_deploy_id_fkey;
    alter table runs drop constraint runs_deploy_id_fkey;
    alter table review_runs drop constraint review_runs_deploy_id_fkey;
    alter table evaluations drop constraint evaluations_deploy_id_fkey;
    alter table agent_proofs drop constraint agent_proofs_deploy_id_fkey;
    alter table agent_findings drop constraint agent_findings_deploy_id_fkey;
    drop table instances, deployments;
    drop function tell_of_deployment;
  `,
};
