import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { type Page, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';
import { type Bounty, bountyOf, type BountyView, type OwnBounty, presentBounty, presentOwnBounty, selectBounties } from './find.ts';

interface PageOf {
  limit: number;
  cursor?: string | undefined;
  tag?: string | undefined;
}

/**
 * What a list has: bounties that fit one of these. Each is read by an index of its own, a page of it at most.
 */
type Ways = readonly ((query: Knex.QueryBuilder) => void)[];

/** Those that are open or claimed, for everybody. */
export async function listPublicBounties({ db }: Ctx, i: PageOf): Promise<Page<Bounty>> {
  return paged(db, i, [(query) => void query.whereIn('b.state', ['open', 'claimed'])], presentBounty);
}

export async function getPublicBounty({ db }: Ctx, { slug }: { slug: string }): Promise<Bounty> {
  return presentBounty(await bountyOf(db, slug));
}

/** Open ones, and the caller's own in every state. */
export async function listBounties(ctx: Ctx, i: PageOf & { mine: boolean }): Promise<Page<OwnBounty>> {
  const { user_id } = requireUser(ctx, 'bounty.read');
  const own: Ways = [(query) => void query.where({ 'b.poster_id': user_id }), (query) => void query.where({ 'b.claimed_by': user_id })];
  const ways: Ways = i.mine ? own : [...own, (query) => void query.where({ 'b.state': 'open' })];
  return paged(ctx.db, i, ways, (row) => presentOwnBounty(row, user_id));
}

export async function getBounty(ctx: Ctx, { slug }: { slug: string }): Promise<OwnBounty> {
  const { user_id } = requireUser(ctx, 'bounty.read');
  return presentOwnBounty(await bountyOf(ctx.db, slug), user_id);
}

async function paged<T>(db: Knex, i: PageOf, ways: Ways, present: (row: BountyView) => T): Promise<Page<T>> {
  const pages = ways.map((way) => {
    const query = db('bounties as b').select('b.bounty_id');
    way(query);
    if (i.tag !== undefined) void query.whereRaw('b.tags @> array[:tag]', { tag: i.tag });
    newestFirst(query, ['b.created_at', 'b.bounty_id'], i);
    return query;
  });
  const query = selectBounties(db)
    .select<(BountyView & { cursor_at: number })[]>(db.raw(`${microseconds('b.created_at')} as cursor_at`))
    .whereIn('b.bounty_id', (any) => void any.union(pages, true))
    .orderBy([
      { column: 'b.created_at', order: 'desc' },
      { column: 'b.bounty_id', order: 'desc' },
    ]) // prettier-ignore
    .limit(i.limit + 1);
  return toPage(await query, i.limit, present, (row) => [row.cursor_at, row.bounty_id]);
}
