// Rewards for agents that somebody wishes for.
import type { Part } from '../../parts.ts';

export const bounties: Part = {
  up: `
    create table bounties (
      bounty_id      text primary key,
      slug           text not null unique,
      poster_id      text not null references users,
      title          text not null,
      description    text not null,
      example_input  jsonb,
      example_output jsonb,
      tags           text[] not null,
      -- Held in an account of the ledger of its own until it is fulfilled or cancelled.
      reward_micros  bigint not null check (reward_micros >= 0),
      require_proof  boolean not null,
      state          text not null check (state in ('open', 'claimed', 'fulfilled', 'cancelled')),
      agent_id       text references agents,
      claimed_by     text references users,
      created_at     timestamptz not null,
      claimed_at     timestamptz,
      -- Fulfilled or cancelled.
      ended_at       timestamptz,
      check ((state in ('claimed', 'fulfilled')) <= (claimed_at is not null)),
      check ((state in ('fulfilled', 'cancelled')) = (ended_at is not null))
    );
    create index bounties_listed on bounties (created_at desc, bounty_id desc) where state in ('open', 'claimed');
    create index bounties_agent on bounties (agent_id) where agent_id is not null;
    -- Lists read by an index what a page shows: open ones, those of a poster, of a claimer, of a tag.
    create index bounties_open on bounties (created_at desc, bounty_id desc) where state = 'open';
    create index bounties_poster on bounties (poster_id, created_at desc, bounty_id desc);
    create index bounties_claimer on bounties (claimed_by, created_at desc, bounty_id desc) where claimed_by is not null;
    create index bounties_tags on bounties using gin (tags);
  `,
  down: `
    drop table bounties;
  `,
};
