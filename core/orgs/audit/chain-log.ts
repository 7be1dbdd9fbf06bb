// Rows of the audit log that belong to an organization get their number and hash, in the order of their time.
// One at a time seals for an organization; the actions themselves do not wait for it. A row is sealed within
// a second; a reader of the log seals first, so that the log is complete.
import type { Knex } from 'knex';
import { chainHash, FIRST_PREVIOUS } from '#contract/crypto/audit-chain.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import type { AuditLogRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { lockName } from '../../kernel/lock-name.ts';

const A_BATCH = 500;

export async function chainAuditLogs(ctx: Ctx): Promise<void> {
  const waiting = await ctx.db('audit_log').whereNotNull('organization_id').whereNull('sealed_at').distinct('organization_id').limit(100);
  for (const { organization_id } of waiting) if (organization_id !== null) await chainAuditLog(ctx.db, organization_id, ctx.clock());
}

export async function chainAuditLog(db: Knex, organizationId: string, now: number): Promise<void> {
  while ((await chainBatch(db, organizationId, now)) === A_BATCH);
}

async function chainBatch(db: Knex, organizationId: string, now: number): Promise<number> {
  return db.transaction(async (tx) => {
    await lockName(tx, `organization audit ${organizationId}`);
    const rows = await tx('audit_log').where({ organization_id: organizationId }).whereNull('sealed_at').orderBy(['at', 'audit_id']).limit(A_BATCH);
    let last = await auditHead(tx, organizationId);
    const chainedRows = rows.map((row) => {
      const sequence = last.sequence + 1;
      const entry = canonicalJson(entryOf(row, sequence));
      const made = { ...pick(row, organizationId), sequence, entry, previous_sha256: last.sha256, sha256: chainHash(last.sha256, entry) };
      last = { sequence, sha256: made.sha256 };
      return made;
    });
    if (chainedRows.length === 0) return 0;
    await tx('organization_audit').insert(chainedRows);
    await tx('audit_log')
      .whereIn(
        'audit_id',
        rows.map(({ audit_id }) => audit_id),
      )
      .update({ sealed_at: new Date(now) });
    return rows.length;
  });
}

export interface AuditHead {
  sequence: number;
  sha256: string;
}

/** Of the newest row; 0 where there is none. */
export async function auditHead(db: Knex, organizationId: string): Promise<AuditHead> {
  const row = await db('organization_audit').where({ organization_id: organizationId }).orderBy('sequence', 'desc').first('sequence', 'sha256');
  return row ? { sequence: Number(row.sequence), sha256: row.sha256 } : { sequence: 0, sha256: FIRST_PREVIOUS };
}

/** What is hashed, and what a reader gets. */
function entryOf(row: AuditLogRow, sequence: number) {
  const { action, actor_kind, actor_id, target_id, request_id, details } = row;
  return { sequence, at: row.at.toISOString(), action, actor_kind, actor_id, target_id, request_id, details: Object(details) as Record<string, unknown> };
}

function pick({ audit_id, action, actor_id, at }: AuditLogRow, organization_id: string) {
  return { organization_id, audit_id, action, actor_id, at };
}
