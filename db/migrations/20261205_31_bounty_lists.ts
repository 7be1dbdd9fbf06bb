import type { Knex } from 'knex';

/** Lists of bounties read by an index what a page shows: open ones, those of a poster, of a claimer, of a tag. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index bounties_open on bounties (created_at desc, bounty_id desc) where state = 'open';
    drop index bounties_poster;
    create index bounties_poster on bounties (poster_id, created_at desc, bounty_id desc);
    drop index bounties_claimer;
    create index bounties_claimer on bounties (claimed_by, created_at desc, bounty_id desc) where claimed_by is not null;
    create index bounties_tags on bounties using gin (tags);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index bounties_open, bounties_tags, bounties_poster, bounties_claimer;
    create index bounties_poster on bounties (poster_id, created_at desc);
    create index bounties_claimer on bounties (claimed_by) where claimed_by is not null;
  `);
}
