import type { Knex } from 'knex';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { MAX_UPLOAD_BYTES } from '#contract/wire/limits.ts';
import type { FileUploadOut } from '#contract/workspace/file-uploads.ts';
import type { FileUploadsRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PayloadTooLarge } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storeBlob } from '../blob/store.ts';
import { checkQuota, lockBucket } from '../file/bucket-usage.ts';
import { currentFile, putFile } from '../file/change.ts';
import { checkConditions, type Conditions } from '../file/conditions.ts';
import { queuedTx } from '../file/queued.ts';
import { describe } from '../file/type.ts';
import { bucketOf } from '../grant/bucket.ts';
import { presentUpload } from './find.ts';
import { sha256In, targetIn } from './metadata.ts';

export const MAX_OPEN_UPLOADS = 100;
const UPLOAD_TTL_MS = 24 * 3_600_000;

export interface UploadStart {
  size_bytes: number;
  /** Header `Upload-Metadata`. */
  metadata: string;
  /** Header `Repr-Digest`. */
  digest: string | undefined;
  conditions: Conditions;
}

/**
 * Reserves what the file will take. @throws PayloadTooLarge content_too_large, quota_exceeded; Conflict
 * uploads_open; PreconditionFailed
 */
export async function beginUpload(ctx: Ctx, i: UploadStart): Promise<z.infer<typeof FileUploadOut>> {
  const user = requireUser(ctx, 'file.write');
  const { path, media } = targetIn(i.metadata);
  const sha256 = sha256In(i.digest);
  if (i.size_bytes > MAX_UPLOAD_BYTES)
    throw new PayloadTooLarge('content_too_large', `This is larger than ${MAX_UPLOAD_BYTES} bytes, the most one file may have: split it`);
  const bucket = bucketOf(user.user_id);
  const now = ctx.clock();
  const row: FileUploadsRow = {
    upload_id: newId('upl', now),
    bucket,
    path,
    owner_id: user.user_id,
    state: i.size_bytes === 0 ? 'stored' : 'open',
    size_bytes: i.size_bytes,
    received_bytes: 0,
    media: media ?? null,
    sha256: sha256 ?? null,
    if_match: i.conditions['if-match'] ?? null,
    if_none_match: i.conditions['if-none-match'] ?? null,
    created_at: new Date(now),
    expires_at: new Date(now + UPLOAD_TTL_MS),
  };
  await act(
    ctx,
    'file.write',
    requireUser,
    async (ctx) => {
      const usage = await lockBucket(ctx.db, bucket);
      const current = await currentFile(ctx.db, row);
      checkConditions(i.conditions, current?.sha256);
      await checkOpen(ctx.db, bucket);
      checkQuota(usage, { files: current ? 0 : 1, bytes: i.size_bytes });
      await ctx.db('file_uploads').insert(row);
      if (i.size_bytes === 0) {
        const blob = await storeBlob(ctx, Readable.from([]), 0);
        await putFile(ctx, usage, { bucket, path, ownerId: user.user_id }, current, {
          ...describe(path, media, blob.head),
          sha256: blob.sha256,
          size_bytes: 0,
        });
      }
      return done({ file: `${bucket}/${path}` }, { upload_id: row.upload_id, size_bytes: i.size_bytes, begins: true });
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
  return presentUpload(row);
}

async function checkOpen(tx: Knex, bucket: string): Promise<void> {
  const open = await tx('file_uploads').where({ bucket, state: 'open' }).count({ n: '*' }).first();
  if (Number(open?.n) >= MAX_OPEN_UPLOADS) throw new Conflict('uploads_open', `${MAX_OPEN_UPLOADS} uploads are unfinished: finish or cancel some first`);
}
