import type { Ctx } from '../../kernel/ctx.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { organizationFor } from '../organization/find.ts';
import { type Member, type MemberView, presentMember, selectMembers } from './present.ts';

/** Oldest first. */
export async function listMembers(ctx: Ctx, i: { slug: string; limit: number; cursor?: string | undefined }): Promise<Page<Member>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.read', i.slug);
  const query = selectMembers(ctx.db, organization_id)
    .select<(MemberView & { cursor_at: number })[]>(ctx.db.raw(`${microseconds('m.created_at')} as cursor_at`))
    .orderBy(['m.created_at', 'm.member_id'])
    .limit(i.limit + 1);
  if (i.cursor !== undefined) {
    const [at, id] = decodeCursor(i.cursor, ['number', 'string']);
    void query.whereRaw(`(m.created_at, m.member_id) > (${instantOf('at')}, :id)`, { at, id });
  }
  return toPage(await query, i.limit, presentMember, (row) => [row.cursor_at, row.member_id]);
}
