import type { z } from 'zod';
import type { AuditLine } from '#contract/orgs/organization-settings.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { organizationFor } from '../organization/find.ts';
import { auditHead, chainAuditLog } from './chain-log.ts';
import { AuditEntry } from './read.ts';

type Line = z.infer<typeof AuditLine>;

/** A thousand hold up others for 40 ms of a processor. */
const A_PAGE = 200;

/**
 * Every row up to the head of this moment, then the head. @throws NotFound organization_not_found; Forbidden
 * role_not_allowed
 */
export async function exportAuditLog(ctx: Ctx, { slug }: { slug: string }): Promise<AsyncGenerator<Line>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.audit', slug);
  const now = ctx.clock();
  await chainAuditLog(ctx.db, organization_id, now);
  const head = await auditHead(ctx.db, organization_id);
  return linesOf(ctx, organization_id, { ...head, organization: slug, exported_at: new Date(now).toISOString() });
}

async function* linesOf({ db }: Ctx, organizationId: string, head: NonNullable<Line['head']>): AsyncGenerator<Line> {
  for (let after = 0; after < head.sequence;) {
    const rows = await db('organization_audit')
      .where({ organization_id: organizationId })
      .where('sequence', '>', after)
      .where('sequence', '<=', head.sequence)
      .orderBy('sequence')
      .limit(A_PAGE);
    for (const row of rows) yield { entry: AuditEntry.parse(JSON.parse(row.entry)), previous_sha256: row.previous_sha256, sha256: row.sha256 };
    const last = rows.at(-1);
    if (!last) return;
    after = Number(last.sequence);
  }
  yield { head };
}
