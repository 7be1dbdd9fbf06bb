import type { z } from 'zod';
import { type AdminUserOut, type AdminUsersQuery, COUNTED_TO } from '#contract/platform/users.ts';
import type { UsersRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { PURGED_ISSUER } from '../purge/issuer.ts';
import { idsByEmail } from './by-email.ts';

type Row = UsersRow & { agents: number; runs: number };

/**
 * Newest first: ids begin with the time of their creation. Only the accounts of the page are counted, each so
 * far as COUNTED_TO.
 */
export async function listUsers(ctx: Ctx, i: z.output<typeof AdminUsersQuery>): Promise<Page<z.infer<typeof AdminUserOut>>> {
  requireOperator(ctx, 'user.list');
  const places = [`issuer <> '${PURGED_ISSUER}'`, `kind = 'person'`];
  const bindings: Record<string, string> = {};
  if (i.id_prefix !== undefined) {
    places.push('starts_with(user_id, :prefix)');
    bindings['prefix'] = i.id_prefix;
  }
  if (i.cursor !== undefined) {
    const [after] = decodeCursor(i.cursor, ['string']);
    places.push('user_id < :after');
    bindings['after'] = after;
  }
  const where = places.join(' and ');
  const limit = i.limit + 1;
  const ids = i.email === undefined ? undefined : await idsByEmail(ctx.db, { email: i.email.toLowerCase(), where, bindings, limit });
  const page = ids ? 'user_id = any(:ids)' : `${where} order by user_id desc limit :limit`;
  const { rows } = await ctx.db.raw<{ rows: Row[] }>(
    `select u.*, a.count as agents, r.count as runs
     from (select * from users where ${page}) u,
       lateral (select count(*)::int from (select 1 from agents where owner_id = u.user_id and deleted_at is null limit :most) counted) a,
       lateral (select count(*)::int from (select 1 from runs where user_id = u.user_id limit :most) counted) r
     order by u.user_id desc`,
    { most: COUNTED_TO, ...(ids ? { ids } : { ...bindings, limit }) },
  );
  return toPage(rows, i.limit, presentAdminUser, ({ user_id }) => [user_id]);
}

function presentAdminUser(row: Row): z.infer<typeof AdminUserOut> {
  return {
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    operator: row.operator,
    agents: row.agents,
    runs: row.runs,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
  };
}
