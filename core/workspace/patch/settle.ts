// The end of a run's changes: all of them become files, or none does.
import type { Knex } from 'knex';
import type { BucketsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { storableText } from '../../kernel/storable.ts';
import { lockBucket, quotaFault } from '../file/bucket-usage.ts';
import { bucketOwner } from '../grant/bucket.ts';
import { chainOf } from '../grant/chain.ts';
import { PATCH_COLUMNS, type PatchesRow } from './present.ts';

interface Current {
  sha256: string;
  size_bytes: number;
}

export interface PatchCounts {
  committed: number;
  rejected: number;
}

/**
 * Commits or rejects what is staged by the run; a commit that meets another's change, a full account or a
 * revoked grant becomes a rejection of all of it. Call it in the transaction that ends the run, before the
 * run's own grants are revoked. Twice is once.
 */
export async function closePatches(ctx: TxCtx, runId: string, decision: 'commit' | 'reject', reason: string | null = null): Promise<PatchCounts> {
  const buckets = await ctx.db('patches').where({ run_id: runId, state: 'staged' }).distinct('bucket').orderBy('bucket');
  if (buckets.length === 0) return { committed: 0, rejected: 0 };
  const usages = new Map<string, BucketsRow>();
  for (const { bucket } of buckets) usages.set(bucket, await lockBucket(ctx.db, bucket));
  const patches = await ctx
    .db('patches')
    .select(...PATCH_COLUMNS)
    .where({ run_id: runId, state: 'staged' })
    .orderBy(['bucket', 'path'])
    .forUpdate();
  if (decision === 'reject') return reject(ctx, patches, () => reason ?? 'run_failed');
  const currents = await currentOf(ctx.db, runId);
  const faults = await faultsOf(ctx.db, patches, currents, usages);
  if (faults.size > 0) return reject(ctx, patches, (patch) => faults.get(patch.patch_id) ?? 'rejected_together');
  await commit(ctx, runId, [...usages.keys()]);
  for (const patch of patches) await auditChange(ctx, patch, currents.get(patch.patch_id));
  await close(ctx, patches, 'committed', null);
  return { committed: patches.length, rejected: 0 };
}

/** Hash and size of what is there now, by patch. */
async function currentOf(tx: Knex.Transaction, runId: string): Promise<Map<string, Current>> {
  const rows = await tx('patches as p')
    .join('files as f', (on) => void on.on('f.bucket', 'p.bucket').on('f.path', 'p.path'))
    .where({ 'p.run_id': runId, 'p.state': 'staged' })
    .select('p.patch_id', 'f.sha256', 'f.size_bytes');
  return new Map(rows.map(({ patch_id, ...current }) => [patch_id, current]));
}

/** Reasons by patch; empty: all of it can be committed. */
async function faultsOf(
  tx: Knex.Transaction,
  patches: readonly PatchesRow[],
  currents: ReadonlyMap<string, Current>,
  usages: ReadonlyMap<string, BucketsRow>,
): Promise<Map<string, string>> {
  const faults = new Map<string, string>();
  const revoked = await revokedGrants(tx, new Set(patches.map(({ grant_id }) => grant_id)));
  const grows = new Map<string, { files: number; bytes: number }>();
  for (const patch of patches) {
    const current = currents.get(patch.patch_id);
    const now = current?.sha256 ?? null;
    // Another's change to the same content is no conflict.
    if (now !== patch.base_sha256 && now !== patch.sha256) faults.set(patch.patch_id, 'changed_meanwhile');
    if (revoked.has(patch.grant_id)) faults.set(patch.patch_id, 'grant_revoked');
    const sum = grows.get(patch.bucket) ?? { files: 0, bytes: 0 };
    sum.files += Number(patch.operation === 'write') - Number(current !== undefined);
    sum.bytes += patch.size_bytes - (current?.size_bytes ?? 0);
    grows.set(patch.bucket, sum);
  }
  for (const [bucket, sum] of grows) {
    const usage = usages.get(bucket);
    if (!usage || quotaFault(usage, sum) === undefined) continue;
    for (const patch of patches) if (patch.bucket === bucket && !faults.has(patch.patch_id)) faults.set(patch.patch_id, 'quota_exceeded');
  }
  return faults;
}

async function revokedGrants(tx: Knex.Transaction, ids: ReadonlySet<string>): Promise<Set<string>> {
  const revoked = new Set<string>();
  for (const id of ids) if ((await chainOf(tx, id)).some(({ revoked_at }) => revoked_at !== null)) revoked.add(id);
  return revoked;
}

/** Inside the database: the texts need not come here and go back. */
async function commit(ctx: TxCtx, runId: string, buckets: readonly string[]): Promise<void> {
  for (const bucket of buckets) {
    const staged = { runId, bucket, owner: bucketOwner(bucket) ?? null, now: new Date(ctx.clock()) };
    const these = `p.run_id = :runId and p.bucket = :bucket and p.state = 'staged'`;
    await ctx.db.raw(
      `insert into files as f (bucket, path, owner_id, sha256, size_bytes, mime_type, file_type, content, created_at, updated_at)
       select p.bucket, p.path, :owner, p.sha256, p.size_bytes, p.mime_type, p.file_type, p.content, :now, :now from patches p
       where ${these} and p.operation = 'write'
       on conflict (bucket, path) do update set sha256 = excluded.sha256, size_bytes = excluded.size_bytes, mime_type = excluded.mime_type,
         file_type = excluded.file_type, content = excluded.content, updated_at = excluded.updated_at`,
      staged,
    );
    await ctx.db.raw(`delete from files f using patches p where f.bucket = p.bucket and f.path = p.path and ${these} and p.operation = 'delete'`, staged);
  }
}

async function auditChange(ctx: TxCtx, patch: PatchesRow, current: Current | undefined): Promise<void> {
  const { bucket, path, patch_id, grant_id, run_id, sha256, size_bytes } = patch;
  const origin = { patch_id, grant_id, run_id, replaced_sha256: current?.sha256 ?? null };
  if (patch.operation === 'write') await audit(ctx, 'file.write', { file: `${bucket}/${path}` }, { sha256, size_bytes, ...origin });
  else if (current) await audit(ctx, 'file.delete', { file: `${bucket}/${path}` }, origin);
}

async function reject(ctx: TxCtx, patches: readonly PatchesRow[], reasonOf: (patch: PatchesRow) => string): Promise<PatchCounts> {
  for (const [reason, group] of Map.groupBy(patches, reasonOf)) await close(ctx, group, 'rejected', storableText(reason));
  for (const patch of patches) {
    await audit(ctx, 'patch.reject', { patch: patch.patch_id }, { path: `${patch.bucket}/${patch.path}`, reason: reasonOf(patch), run_id: patch.run_id });
  }
  return { committed: 0, rejected: patches.length };
}

async function close(ctx: TxCtx, patches: readonly PatchesRow[], state: 'committed' | 'rejected', reason: string | null): Promise<void> {
  const ids = patches.map(({ patch_id }) => patch_id);
  await ctx
    .db('patches')
    .whereRaw('patch_id = any(?::text[])', [ids])
    .where({ state: 'staged' })
    .update({ state, reason, content: null, settled_at: new Date(ctx.clock()) });
}
