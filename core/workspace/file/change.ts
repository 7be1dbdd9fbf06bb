// How one file changes by content: under the bucket's lock, with its audit row. (Many at once, when a run
// ends: patch/settle.ts.)
import type { Knex } from 'knex';
import type { BucketsRow, FilesRow as StoredRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { checkQuota } from './bucket-usage.ts';
import type { Described } from './type.ts';

/** Without its text, which only search reads. */
export type FilesRow = Omit<StoredRow, 'content'>;
export const FILE_COLUMNS = ['bucket', 'path', 'owner_id', 'sha256', 'size_bytes', 'mime_type', 'file_type', 'created_at', 'updated_at'] as const;

export type NewContent = Omit<Described, 'file_type'> & { file_type: string; sha256: string; size_bytes: number };

export interface Place {
  bucket: string;
  path: string;
  ownerId: string;
}

/** Facts for the audit row beside what changed: patch, grant, run. */
export type Origin = Record<string, string | null>;

export async function currentFile(tx: Knex, { bucket, path }: Pick<Place, 'bucket' | 'path'>): Promise<FilesRow | undefined> {
  return tx('files')
    .where({ bucket, path })
    .first(...FILE_COLUMNS);
}

/** `usage` is what lockBucket gave. @throws PayloadTooLarge quota_exceeded */
export async function putFile(
  ctx: TxCtx,
  usage: BucketsRow,
  place: Place,
  current: FilesRow | undefined,
  content: NewContent,
  origin: Origin = {},
): Promise<FilesRow> {
  checkQuota(usage, { files: current ? 0 : 1, bytes: content.size_bytes - (current?.size_bytes ?? 0) });
  const { sha256, size_bytes, mime_type, file_type, content: text } = content;
  const now = new Date(ctx.clock());
  const fields = { sha256, size_bytes, mime_type, file_type, content: text, updated_at: now };
  const [row] = await ctx
    .db('files')
    .insert({ bucket: place.bucket, path: place.path, owner_id: place.ownerId, created_at: now, ...fields })
    .onConflict(['bucket', 'path'])
    .merge(fields)
    .returning([...FILE_COLUMNS]);
  if (!row) throw new Error('a file that was written has no row');
  await audit(ctx, 'file.write', { file: `${place.bucket}/${place.path}` }, { sha256, size_bytes, replaced_sha256: current?.sha256 ?? null, ...origin });
  return row;
}

export async function deleteFile(ctx: TxCtx, current: FilesRow, origin: Origin = {}): Promise<void> {
  const { bucket, path, sha256 } = current;
  await ctx.db('files').where({ bucket, path }).delete();
  await audit(ctx, 'file.delete', { file: `${bucket}/${path}` }, { sha256, ...origin });
}
