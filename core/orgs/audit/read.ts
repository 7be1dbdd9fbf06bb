import { z } from 'zod';
import type { OrganizationAuditOut } from '#contract/orgs/organizations.ts';
import type { OrganizationAuditRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { organizationFor } from '../organization/find.ts';
import { type AuditHead, auditHead, chainAuditLog } from './chain-log.ts';

type Audited = z.infer<typeof OrganizationAuditOut>;
type Row = OrganizationAuditRow & { email: string | null };

export const AuditEntry = z.object({
  sequence: z.int(),
  at: z.string(),
  action: z.string(),
  actor_kind: z.string(),
  actor_id: z.string().nullable(),
  target_id: z.string().nullable(),
  request_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});

/**
 * Newest first; `action`: one, or all that begin with this word. @throws NotFound organization_not_found;
 * Forbidden role_not_allowed
 */
export async function readAuditLog(
  ctx: Ctx,
  i: { slug: string; limit: number; cursor?: string | undefined; action?: string | undefined },
): Promise<Page<Audited> & { head: AuditHead }> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.audit', i.slug);
  await chainAuditLog(ctx.db, organization_id, ctx.clock());
  const query = ctx
    .db('organization_audit as a')
    .leftJoin('users as u', 'u.user_id', 'a.actor_id')
    .where({ 'a.organization_id': organization_id })
    .select<Row[]>('a.*', 'u.email')
    .orderBy('a.sequence', 'desc')
    .limit(i.limit + 1);
  if (i.cursor !== undefined) void query.where('a.sequence', '<', decodeCursor(i.cursor, ['number'])[0]);
  if (i.action?.includes('.')) void query.where('a.action', i.action);
  else if (i.action !== undefined) void query.whereRaw('starts_with(a.action, ?)', [`${i.action}.`]);
  const page = toPage(await query, i.limit, present, (row) => [Number(row.sequence)]);
  return { ...page, head: await auditHead(ctx.db, organization_id) };
}

function present(row: Row): Audited {
  const { actor_kind: kind, actor_id: id, ...entry } = AuditEntry.parse(JSON.parse(row.entry));
  return { ...entry, actor: { kind, id, email: kind === 'user' ? row.email : null }, sha256: row.sha256 };
}
