import type { Knex } from 'knex';
import type { z } from 'zod';
import type { FileUploadDetailOut, FileUploadListOut, FileUploadOut } from '#contract/workspace/file-uploads.ts';
import type { FileUploadPartsRow, FileUploadsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { type Action, requireUser } from '../../kernel/policy.ts';
import { bucketOf } from '../grant/bucket.ts';

/** Of the account that asks. @throws NotFound upload_not_found */
export async function findUpload(ctx: Ctx, upload_id: string, action: Action): Promise<FileUploadsRow> {
  const user = requireUser(ctx, action);
  const row = await ctx
    .db('file_uploads')
    .where({ upload_id, bucket: bucketOf(user.user_id) })
    .where('expires_at', '>', new Date(ctx.clock()))
    .first();
  if (!row) throw noSuchUpload();
  return row;
}

/** Another request has sent the same, or what comes before. */
export function wrongOffset({ received_bytes: offset }: Pick<FileUploadsRow, 'received_bytes'>): Conflict {
  return new Conflict('upload_offset', `The upload goes on at byte ${offset}: send the rest from there`, { offset });
}

export async function listUploads(ctx: Ctx): Promise<z.infer<typeof FileUploadListOut>> {
  const user = requireUser(ctx, 'file.read');
  const rows = await ctx
    .db('file_uploads')
    .where({ bucket: bucketOf(user.user_id), state: 'open' })
    .where('expires_at', '>', new Date(ctx.clock()))
    .orderBy('created_at', 'desc');
  return { items: rows.map(presentUpload) };
}

export async function getUpload(ctx: Ctx, { upload_id }: { upload_id: string }): Promise<z.infer<typeof FileUploadDetailOut>> {
  const row = await findUpload(ctx, upload_id, 'file.read');
  const parts = (await partsOf(ctx.db, upload_id)).map(({ start_byte, size_bytes, sha256 }) => ({ start: start_byte, size_bytes, sha256 }));
  return { ...presentUpload(row), parts };
}

/** In their order. */
export async function partsOf(db: Knex, upload_id: string): Promise<FileUploadPartsRow[]> {
  return db('file_upload_parts').where({ upload_id }).orderBy('start_byte');
}

export function presentUpload(row: FileUploadsRow): z.infer<typeof FileUploadOut> {
  const { upload_id, path, state, size_bytes, received_bytes, if_none_match, created_at, expires_at } = row;
  const times = { created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
  return { upload_id, path, state, size_bytes, received_bytes, only_new: if_none_match === '*', ...times };
}

function noSuchUpload(): NotFound {
  return new NotFound('upload_not_found', 'There is no such upload: unfinished ones are removed after a day. Begin again');
}
