// The steps of an export as its workflow takes them. Each may come twice: the file is stored under its own
// hash, and the row takes one of them, once.
import { Readable } from 'node:stream';
import { EXPORT_DAYS } from '#contract/orgs/compliance-limits.ts';
import { type ExportManifest, manifestBytes } from '#contract/wire/compliance-export.ts';
import { encodeSigned } from '#contract/wire/signed.ts';
import { openPrivateKey, ensureReceiptKey } from '../../../evidence/receipt/keys.ts';
import { signBytes } from '../../../evidence/receipt/signature.ts';
import { endJob, type EndLost, endStateOf, markRunning } from '../../../jobs/long-work.ts';
import { isTerminal } from '../../../jobs/model.ts';
import { transitionJob } from '../../../jobs/transition.ts';
import { system } from '../../../kernel/act.ts';
import { audit } from '../../../kernel/audit.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import type { Fault } from '../../../kernel/errors.ts';
import { notOnHold } from '../../../accounts/legal-hold.ts';
import { storeBlob } from '../../../workspace/blob/store.ts';
import { composeExport } from './lines.ts';
import type { ExportRow } from './read.ts';

/** 5,000 records with the longest receipts are less. */
const MAX_BYTES = 2 * 1024 ** 3;
const DAY_MS = 86_400_000;

/** False: it had ended before. */
export async function buildExport(ctx: Ctx, exportId: string, signal?: AbortSignal): Promise<boolean> {
  const row = await open(ctx, exportId);
  if (!row || isTerminal(row.state)) return false;
  await markRunning(ctx.db, row.job_id);
  const composed = composeExport(ctx, row, row.slug, signal);
  let signedManifest: { token: string; manifest: ExportManifest } | undefined;
  async function* file(): AsyncGenerator<Buffer> {
    for await (const line of composed.lines) yield Buffer.from(`${line}\n`);
    signedManifest = await signManifest(ctx, composed.manifest());
    yield Buffer.from(`${JSON.stringify({ line: 'manifest', token: signedManifest.token })}\n`);
  }
  const { sha256, size_bytes } = await storeBlob(ctx, Readable.from(file()), MAX_BYTES);
  if (!signedManifest) throw new Error('the file has no manifest');
  const { token, manifest } = signedManifest;
  await system(ctx, async (ctx) => {
    const counts = manifest.counts;
    const output = { export_id: exportId, sha256, size_bytes, complete: manifest.complete, counts };
    if (!(await transitionJob(ctx.db, row.job_id, { from: ['running'], to: 'succeeded', output }))) return;
    const expires_at = new Date(ctx.clock() + EXPORT_DAYS * DAY_MS);
    await ctx
      .db('compliance_exports')
      .where({ export_id: exportId })
      .update({ sha256, size_bytes, manifest: token, counts: JSON.stringify(counts), expires_at });
    await audit(
      ctx,
      'compliance.export_ended',
      { organization: row.organization_id },
      { export_id: exportId, state: 'succeeded', sha256, records: counts.records },
    );
  });
  return true;
}

async function open({ db }: Ctx, exportId: string): Promise<(ExportRow & { slug: string }) | undefined> {
  const [row] = await db('compliance_exports as e')
    .join('jobs as j', 'j.job_id', 'e.job_id')
    .join('organizations as o', 'o.organization_id', 'e.organization_id')
    .where({ 'e.export_id': exportId })
    .select<(ExportRow & { slug: string })[]>('e.*', 'j.state', 'j.error', 'o.slug');
  return row;
}

async function signManifest(ctx: Ctx, unsigned: Omit<ExportManifest, 'kid' | 'ended_at'>): Promise<{ token: string; manifest: ExportManifest }> {
  const now = ctx.clock();
  // A key that is made here seals receipts too.
  const key = await system(ctx, (ctx) => ensureReceiptKey(ctx, now));
  const manifest = { ...unsigned, kid: key.kid, ended_at: new Date(now).toISOString() };
  const bytes = manifestBytes(manifest);
  return { token: encodeSigned(bytes, signBytes(bytes, await openPrivateKey(ctx.drivers.vault, key))), manifest };
}

export async function endExport(ctx: Ctx, exportId: string, fault: Fault): Promise<void> {
  const row = await open(ctx, exportId);
  if (!row) return;
  await system(ctx, async (ctx) => {
    if (!(await endJob(ctx.db, row.job_id, { fault }))) return;
    await audit(ctx, 'compliance.export_ended', { organization: row.organization_id }, { export_id: exportId, state: endStateOf(fault), code: fault.code });
  });
}

/** Its workflow is gone. */
export const abandonExport: EndLost = async (ctx, job_id, fault) => {
  const row = await ctx.db('compliance_exports').where({ job_id }).first('export_id');
  if (row) await endExport(ctx, row.export_id, fault);
};

/**
 * Files whose time is over, but for those under a legal hold; their bytes go a day later, when nothing else
 * refers to them.
 */
export async function expireExports(ctx: Ctx): Promise<void> {
  // The row says until when the file was kept.
  await system(ctx, async (ctx) => {
    const due = await ctx
      .db('compliance_exports')
      .whereNotNull('sha256')
      .where('expires_at', '<=', new Date(ctx.clock()))
      .where(notOnHold('compliance_exports.organization_id', ctx.clock()))
      .limit(500)
      .forUpdate()
      .skipLocked()
      .select('export_id');
    await ctx
      .db('compliance_exports')
      .whereIn(
        'export_id',
        due.map(({ export_id }) => export_id),
      )
      .update({ sha256: null });
  });
}
