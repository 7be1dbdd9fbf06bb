// All bytes are here: the parts become one content, and the file is stored together with the last of them.
import { Readable } from 'node:stream';
import type { FileUploadsRow } from '#db/tables.ts';
import { act, done, recorded } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { blobKey, storeBlob } from '../blob/store.ts';
import { lockBucket } from '../file/bucket-usage.ts';
import { currentFile, putFile } from '../file/change.ts';
import { checkConditions } from '../file/conditions.ts';
import { queuedTx } from '../file/queued.ts';
import { describe } from '../file/type.ts';
import { findUpload, partsOf, wrongOffset } from './find.ts';

/** The last part is not yet among those that count. */
export async function finishUpload(ctx: Ctx, upload: FileUploadsRow, last: { start: number; sha256: string }): Promise<void> {
  requireUser(ctx, 'file.write');
  const { upload_id, bucket, path, owner_id, size_bytes } = upload;
  const before = await partsOf(ctx.db, upload_id);
  const blob = await storeBlob(ctx, Readable.from(contentOf(ctx, [...before.map(({ sha256 }) => sha256), last.sha256])), size_bytes);
  if (blob.size_bytes !== size_bytes) throw wrongOffset(await findUpload(ctx, upload_id, 'file.write'));
  if (upload.sha256 !== null && upload.sha256 !== blob.sha256) await refuse(ctx, upload, blob.sha256);
  const content = { ...describe(path, upload.media ?? undefined, blob.head), sha256: blob.sha256, size_bytes };
  await act(
    ctx,
    'file.write',
    requireUser,
    async (ctx) => {
      await lockBucket(ctx.db, bucket);
      const { rowCount } = await ctx.db.raw<{ rowCount: number }>(
        `update file_uploads set state = 'stored', received_bytes = size_bytes where upload_id = :upload_id and state = 'open' and received_bytes = :start`,
        { upload_id, start: last.start },
      );
      if (rowCount === 0) throw wrongOffset(await findUpload(ctx, upload_id, 'file.write'));
      await ctx.db('file_upload_parts').where({ upload_id }).delete();
      const current = await currentFile(ctx.db, upload);
      checkConditions({ 'if-match': upload.if_match ?? undefined, 'if-none-match': upload.if_none_match ?? undefined }, current?.sha256);
      // Read again: what was reserved is free now.
      await putFile(ctx, await lockBucket(ctx.db, bucket), { bucket, path, ownerId: owner_id }, current, content, { upload_id });
      return recorded(undefined);
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
}

async function* contentOf(ctx: Ctx, parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const sha256 of parts) yield* await ctx.drivers.storage.get(blobKey(sha256));
}

/** Sent again it would be as wrong: the upload is over. */
async function refuse(ctx: Ctx, { upload_id, bucket, path, sha256: wanted }: FileUploadsRow, sha256: string): Promise<never> {
  await act(
    ctx,
    'file.write',
    requireUser,
    async (ctx) => {
      await ctx.db('file_uploads').where({ upload_id, state: 'open' }).delete();
      return done({ file: `${bucket}/${path}` }, { upload_id, refused: 'digest_mismatch' });
    },
    (ctx, work) => queuedTx(ctx, bucket, work),
  );
  throw new BadRequest('digest_mismatch', `What arrived has the SHA-256 ${sha256}, not ${wanted}: the upload is given up, begin again`);
}
