// The end of a run's changes: all of them become files, or none does.
import type { Knex } from 'knex';
import type { BucketsRow, PatchesRow } from '../../../db/tables.ts';
import { audit } from '../../audit/record.ts';
import type { Ctx } from '../../ctx.ts';
import { storableText } from '../../storable.ts';
import { lockBucket, quotaFault } from '../file/bucket-usage.ts';
import { currentFile, deleteFile, type FilesRow, type NewContent, putFile } from '../file/change.ts';
import { bucketOwner } from '../grant/bucket.ts';
import { chainOf } from '../grant/chain.ts';

export interface Settled {
  committed: number;
  rejected: number;
}

/**
 * Commits or rejects what is staged by the run; a commit that meets another's change, a full account or a revoked grant becomes a
 * rejection of all of it. Call it in the transaction that ends the run, before the run's own grants are revoked. Twice is once.
 */
export async function settlePatches(
  tx: Knex.Transaction,
  ctx: Ctx,
  runId: string,
  decision: 'commit' | 'reject',
  reason: string | null = null,
): Promise<Settled> {
  const buckets = await tx('patches').where({ run_id: runId, state: 'staged' }).distinct('bucket').orderBy('bucket');
  if (buckets.length === 0) return { committed: 0, rejected: 0 };
  const usages = new Map<string, BucketsRow>();
  for (const { bucket } of buckets) usages.set(bucket, await lockBucket(tx, bucket));
  const patches = await tx('patches').where({ run_id: runId, state: 'staged' }).orderBy(['bucket', 'path']).forUpdate();
  if (decision === 'reject') return reject(tx, ctx, patches, () => reason ?? 'run_failed');
  const currents = await currentOf(tx, patches);
  const faults = await faultsOf(tx, patches, currents, usages);
  if (faults.size > 0) return reject(tx, ctx, patches, (patch) => faults.get(patch.patch_id) ?? 'rejected_together');
  for (const patch of patches) await commit(tx, ctx, patch, currents.get(patch.patch_id), usages.get(patch.bucket));
  await close(tx, ctx, patches, 'committed', () => null);
  return { committed: patches.length, rejected: 0 };
}

async function currentOf(tx: Knex.Transaction, patches: readonly PatchesRow[]): Promise<Map<string, FilesRow>> {
  const found = new Map<string, FilesRow>();
  for (const patch of patches) {
    const file = await currentFile(tx, patch);
    if (file) found.set(patch.patch_id, file);
  }
  return found;
}

/** Reasons by patch; empty: all of it can be committed. */
async function faultsOf(
  tx: Knex.Transaction,
  patches: readonly PatchesRow[],
  currents: ReadonlyMap<string, FilesRow>,
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

async function commit(tx: Knex.Transaction, ctx: Ctx, patch: PatchesRow, current: FilesRow | undefined, usage: BucketsRow | undefined): Promise<void> {
  const { bucket, path, patch_id, grant_id, run_id } = patch;
  const origin = { patch_id, grant_id, run_id };
  const content = contentOf(patch);
  const ownerId = bucketOwner(bucket);
  if (content === undefined) {
    if (current) await deleteFile(tx, ctx, current, origin);
  } else if (usage && ownerId !== undefined) {
    // The sum of all was checked before: one after the other they may pass the limit on their way.
    await putFile(tx, ctx, { ...usage, file_count: 0, size_bytes: 0 }, { bucket, path, ownerId }, current, content, origin);
  }
}

function contentOf({ sha256, size_bytes, mime_type, file_type, content }: PatchesRow): NewContent | undefined {
  if (sha256 === null) return undefined;
  return { sha256, size_bytes, content, mime_type: mime_type ?? 'application/octet-stream', file_type: file_type ?? 'other' };
}

async function reject(tx: Knex.Transaction, ctx: Ctx, patches: readonly PatchesRow[], reasonOf: (patch: PatchesRow) => string): Promise<Settled> {
  await close(tx, ctx, patches, 'rejected', reasonOf);
  for (const patch of patches)
    await audit(tx, ctx, 'patch.reject', patch.patch_id, { path: `${patch.bucket}/${patch.path}`, reason: reasonOf(patch), run_id: patch.run_id });
  return { committed: 0, rejected: patches.length };
}

async function close(
  tx: Knex.Transaction,
  ctx: Ctx,
  patches: readonly PatchesRow[],
  state: 'committed' | 'rejected',
  reasonOf: (patch: PatchesRow) => string | null,
): Promise<void> {
  for (const patch of patches) {
    const reason = reasonOf(patch);
    await tx('patches')
      .where({ patch_id: patch.patch_id, state: 'staged' })
      .update({ state, reason: reason === null ? null : storableText(reason), content: null, settled_at: new Date(ctx.clock()) });
  }
}
