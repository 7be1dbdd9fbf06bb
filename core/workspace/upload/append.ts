// The next bytes of an upload. Each part is a content of its own, and counts once its row is there: a killed
// process loses the part it was at.
import type { Readable } from 'node:stream';
import { MAX_PART_BYTES } from '#contract/wire/limits.ts';
import type { FileUploadsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, PayloadTooLarge } from '../../kernel/errors.ts';
import { type StoredBlob, storeBlob } from '../blob/store.ts';
import { findUpload, wrongOffset } from './find.ts';
import { finishUpload } from './finish.ts';
import { piecesOf } from './pieces.ts';

/** A file of the largest size in parts of half the usual length, with room for those that broke off. */
const MAX_PARTS = 1_000;

/**
 * Resolves with how much has arrived. The last part counts when the file is stored, in one transaction: until
 * then it is to be sent again.
 * @throws Conflict upload_offset, upload_in_pieces; BadRequest upload_broken, digest_mismatch;
 * PayloadTooLarge; PreconditionFailed; NotFound
 */
export async function appendUpload(ctx: Ctx, i: { upload_id: string; offset: number; body: Readable }): Promise<number> {
  const upload = await findUpload(ctx, i.upload_id, 'file.write');
  if (i.offset !== upload.received_bytes) throw wrongOffset(upload);
  const pieces = piecesOf(i.body);
  let at = upload.received_bytes;
  for (let piece = await pieces.next(MAX_PART_BYTES); piece; piece = await pieces.next(MAX_PART_BYTES)) {
    const left = upload.size_bytes - at;
    if (left === 0) throw new PayloadTooLarge('content_too_large', `The upload has ${upload.size_bytes} bytes, and more came`);
    const part = await storeBlob(ctx, piece, Math.min(MAX_PART_BYTES, left));
    // All bytes are here: another one after them would be too many.
    if (part.size_bytes === left && !pieces.isBroken()) await finishUpload(ctx, upload, { start: at, ...part });
    else await count(ctx, upload, at, part);
    at += part.size_bytes;
  }
  if (pieces.isBroken() && at < upload.size_bytes) throw new BadRequest('upload_broken', 'The upload broke off: ask how far it is, and go on there');
  return at;
}

async function count(ctx: Ctx, { upload_id, bucket, size_bytes }: FileUploadsRow, start: number, { size_bytes: more, sha256 }: StoredBlob): Promise<void> {
  // findUpload asked. The file is not changed: beginning and finishing the upload write the audit rows.
  await ctx.db.transaction(async (tx) => {
    const { rows } = await tx.raw<{ rows: unknown[] }>(
      `update file_uploads set received_bytes = received_bytes + :more
       where upload_id = :upload_id and bucket = :bucket and state = 'open' and received_bytes = :start and received_bytes + :more < :size_bytes returning 1`,
      { upload_id, bucket, start, more, size_bytes },
    );
    if (rows.length === 0) throw wrongOffset(await findUpload(ctx, upload_id, 'file.write'));
    const parts = await tx('file_upload_parts').where({ upload_id }).count({ n: '*' }).first();
    if (Number(parts?.n) >= MAX_PARTS) throw new Conflict('upload_in_pieces', `The upload came in ${MAX_PARTS} pieces: begin again with larger ones`);
    await tx('file_upload_parts').insert({ upload_id, start_byte: start, size_bytes: more, sha256 });
  });
}
