// How much a bucket may hold. Lock it before changing its files: then several changes are one, and no two can
// wait for each other.
import { MAX_BUCKET_FILES } from '#contract/wire/limits.ts';
import type { Knex } from 'knex';
import type { BucketsRow } from '#db/tables.ts';
import { PayloadTooLarge } from '../../kernel/errors.ts';

export const MAX_BUCKET_BYTES = 2 * 1024 * 1024 * 1024;

/** What it holds now, held until the transaction is over. */
export async function lockBucket(tx: Knex.Transaction, bucket: string): Promise<BucketsRow> {
  await tx('buckets').insert({ bucket }).onConflict('bucket').ignore();
  const [row] = await tx('buckets').where({ bucket }).forUpdate();
  if (!row) throw new Error(`bucket ${bucket} vanished`);
  return row;
}

/** Why the bucket may not grow by this; undefined when it may. What makes it smaller is always allowed. */
export function quotaFault(usage: BucketsRow, grows: { files: number; bytes: number }): string | undefined {
  if (grows.bytes > 0 && usage.size_bytes + usage.reserved_bytes + grows.bytes > MAX_BUCKET_BYTES) {
    const reserved = usage.reserved_bytes > 0 ? `, unfinished uploads ${usage.reserved_bytes}` : '';
    return `The files take ${usage.size_bytes} of ${MAX_BUCKET_BYTES} bytes${reserved}, and this needs ${grows.bytes} more: delete some first`;
  }
  if (grows.files > 0 && usage.file_count + usage.reserved_files + grows.files > MAX_BUCKET_FILES)
    return `There are ${usage.file_count} files, the most there may be is ${MAX_BUCKET_FILES}: delete some first`;
  return undefined;
}

/** @throws PayloadTooLarge quota_exceeded */
export function checkQuota(usage: BucketsRow, grows: { files: number; bytes: number }): void {
  const fault = quotaFault(usage, grows);
  if (fault !== undefined) throw new PayloadTooLarge('quota_exceeded', fault);
}
