// Custom domains of agents. Many may ask for a name, it is active for one; what was removed stays until its certificate is revoked.
import type { Part } from '../../parts.ts';

export const domains: Part = {
  up: `
    create table agent_domains (
      domain_id           text primary key,
      agent_id            text not null references agents,
      hostname            text not null check (length(hostname) <= 253),
      state               text not null default 'pending' check (state in ('pending', 'active', 'suspended', 'failed', 'removed')),
      nonce               text not null,
      round               integer not null default 1,
      failures            integer not null default 0,
      seen                jsonb not null default '{}',
      problem             text,
      asks_certificate    boolean not null default false,
      certificate_problem text,
      created_at          timestamptz not null default now(),
      prove_until         timestamptz not null,
      proved_at           timestamptz,
      looked_at           timestamptz
    );
    create unique index agent_domains_of_agent on agent_domains (agent_id, hostname) where state <> 'removed';
    create unique index agent_domains_active on agent_domains (hostname) where state = 'active';

    create table acme_accounts (
      directory_url text primary key,
      key_sealed    text not null,
      account_url   text,
      created_at    timestamptz not null default now()
    );

    create table domain_certificates (
      certificate_id  text primary key,
      domain_id       text not null references agent_domains,
      state           text not null default 'ordered' check (state in ('ordered', 'issued', 'replaced', 'failed', 'revoked')),
      -- null: not needed any more.
      key_sealed      text,
      order_url       text,
      challenge       jsonb,
      challenge_token text,
      chain           text,
      not_after       timestamptz,
      renew_at        timestamptz,
      created_at      timestamptz not null default now(),
      issued_at       timestamptz,
      ended_at        timestamptz
    );
    create unique index domain_certificates_ordered on domain_certificates (domain_id) where state = 'ordered';
    create unique index domain_certificates_issued on domain_certificates (domain_id) where state = 'issued';
    create index domain_certificates_domain on domain_certificates (domain_id);
    create index domain_certificates_due on domain_certificates (renew_at) where state = 'issued';
  `,
  down: `
    drop table domain_certificates, acme_accounts, agent_domains;
  `,
};
