// What organizations say of their records and agents, what they take out as a file, and what was removed by their rules.
import type { Part } from '../../parts.ts';

export const compliance: Part = {
  up: `
    create table compliance_policies (
      organization_id text primary key references organizations,
      frameworks      text[] not null check (frameworks <@ array['eu_ai_act', 'nist_ai_rmf_1_1', 'iso_42001']),
      retention_days  integer not null check (retention_days between 1 and 3650),
      legal_hold      boolean not null,
      hold_reason     text not null,
      version         integer not null,
      -- null: the account was purged
      updated_by      text,
      updated_at      timestamptz not null,
      -- What the act asks for, whatever writes the row.
      check (not ('eu_ai_act' = any (frameworks)) or retention_days >= 180)
    );

    create table compliance_profiles (
      agent_id         text primary key references agents,
      organization_id  text not null references organizations,
      risk_tier        text not null check (risk_tier in ('unclassified', 'minimal', 'limited', 'high', 'unacceptable')),
      intended_purpose text not null,
      human_oversight  text not null,
      notes            text not null,
      version          integer not null,
      updated_by       text,
      updated_at       timestamptz not null
    );
    create index compliance_profiles_organization on compliance_profiles (organization_id);

    -- Every version that a profile had, the present one among them.
    create table compliance_profile_log (
      agent_id         text not null references agents,
      version          integer not null,
      risk_tier        text not null check (risk_tier in ('unclassified', 'minimal', 'limited', 'high', 'unacceptable')),
      intended_purpose text not null,
      human_oversight  text not null,
      notes            text not null,
      changed_by       text,
      changed_at       timestamptz not null,
      primary key (agent_id, version)
    );

    create table compliance_exports (
      export_id       text primary key,
      organization_id text not null references organizations,
      job_id          text not null unique references jobs,
      requested_by    text,
      from_at         timestamptz not null,
      to_at           timestamptz not null,
      kinds           text[] not null check (kinds <@ array['skill_execution', 'authorization', 'admin_action']),
      max_records     integer not null check (max_records between 1 and 5000),
      deadline_at     timestamptz not null,
      -- Of the file, once it is made; it is taken away at expires_at.
      sha256          text,
      size_bytes      bigint,
      manifest        text,
      counts          jsonb,
      expires_at      timestamptz,
      created_at      timestamptz not null
    );
    create index compliance_exports_organization on compliance_exports (organization_id, created_at desc, export_id desc);
    create index compliance_exports_kept on compliance_exports (expires_at) where sha256 is not null;
    create index compliance_exports_blob on compliance_exports (sha256) where sha256 is not null;

    create table compliance_purges (
      purge_id        text primary key,
      organization_id text not null references organizations,
      job_id          text not null unique references jobs,
      -- null: the night's, or the account was purged
      requested_by    text,
      before          timestamptz not null,
      created_at      timestamptz not null
    );
    create index compliance_purges_organization on compliance_purges (organization_id, created_at desc);
  `,
  down: `
    drop table compliance_purges, compliance_exports, compliance_profile_log, compliance_profiles, compliance_policies;
  `,
};
