import type { Knex } from 'knex';
import type { ComplianceExportOut } from '#contract/orgs/compliance.ts';
import { DECISION_KINDS } from '#contract/states.ts';
import type { ComplianceExportsRow, JobsRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Conflict, Gone, NotFound, storedFault } from '../../../kernel/errors.ts';
import { newestPage } from '../../../kernel/keyset.ts';
import type { Page } from '../../../kernel/page.ts';
import { type FileView, viewOf } from '../../../workspace/file/present.ts';
import { organizationFor } from '../../organization/find.ts';

export type ExportRow = ComplianceExportsRow & Pick<JobsRow, 'state' | 'error'>;

/** With what their jobs say. */
export function exportRows(db: Knex, organizationId: string) {
  return db('compliance_exports as e')
    .join('jobs as j', 'j.job_id', 'e.job_id')
    .where('e.organization_id', organizationId)
    .select<ExportRow[]>('e.*', 'j.state', 'j.error');
}

export async function listExports(ctx: Ctx, i: { slug: string; limit: number; cursor?: string | undefined }): Promise<Page<ComplianceExportOut>> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  return newestPage(exportRows(ctx.db, organization_id), ['e.created_at', 'e.export_id'], i, presentExport);
}

/** @throws NotFound export_not_found */
export async function getExport(ctx: Ctx, i: { slug: string; export_id: string }): Promise<ComplianceExportOut> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  return presentExport(await exportOf(ctx.db, organization_id, i.export_id));
}

/** @throws NotFound export_not_found; Conflict export_not_ready; Gone export_expired */
export async function exportFile(ctx: Ctx, i: { slug: string; export_id: string }): Promise<FileView> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.export', i.slug);
  const row = await exportOf(ctx.db, organization_id, i.export_id);
  if (row.expires_at !== null && row.sha256 === null) throw new Gone('export_expired', 'The file was kept until its time, and is gone: make the export again');
  if (row.sha256 === null || row.size_bytes === null)
    throw new Conflict('export_not_ready', `The export is ${row.state}: its file is there once it has succeeded`);
  const path = `${i.slug}-${row.export_id}.ndjson`;
  return viewOf(ctx, { path, sha256: row.sha256, size_bytes: Number(row.size_bytes), mime_type: 'application/x-ndjson', updated_at: row.created_at });
}

export async function exportOf(db: Knex, organizationId: string, exportId: string): Promise<ExportRow> {
  const [row] = await exportRows(db, organizationId).where('e.export_id', exportId);
  if (!row) throw new NotFound('export_not_found', `The organization has no export ${exportId}: list its exports`);
  return row;
}

// Safe: only create.ts and build.ts write kinds and counts, and only jobs write their error.
export function presentExport(row: ExportRow): ComplianceExportOut {
  return {
    export_id: row.export_id,
    job_id: row.job_id,
    state: row.state,
    requested_by: row.requested_by,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    kinds: DECISION_KINDS.filter((kind) => row.kinds.includes(kind)),
    max_records: row.max_records,
    counts: row.counts as Record<string, number> | null,
    sha256: row.sha256,
    size_bytes: row.size_bytes === null ? null : Number(row.size_bytes),
    manifest: row.manifest,
    error: storedFault(row.error),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
