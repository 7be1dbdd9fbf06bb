import type { z } from 'zod';
import type { FileListOut } from '#contract/workspace/files.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';
import { bucketOf } from '../grant/bucket.ts';
import { currentFile, FILE_COLUMNS } from './change.ts';
import { type FileView, presentFile, viewOf } from './present.ts';
import type { FileType } from '#contract/wire/card.ts';

export async function getFile(ctx: Ctx, { path }: { path: string }): Promise<FileView> {
  const user = requireUser(ctx, 'file.read');
  const row = await currentFile(ctx.db, { bucket: bucketOf(user.user_id), path });
  if (!row) throw noSuchFile(path);
  return viewOf(ctx, row);
}

export async function listFiles(
  ctx: Ctx,
  i: { limit: number; cursor?: string | undefined; prefix?: string | undefined; type?: FileType | undefined },
): Promise<z.infer<typeof FileListOut>> {
  const user = requireUser(ctx, 'file.read');
  const [after] = i.cursor === undefined ? [] : decodeCursor(i.cursor, ['string']);
  const query = ctx
    .db('files')
    .select(...FILE_COLUMNS)
    .where({ bucket: bucketOf(user.user_id) });
  if (after !== undefined) query.where('path', '>', after);
  if (i.prefix !== undefined) query.whereRaw('starts_with(path, ?)', [i.prefix]);
  if (i.type !== undefined) query.where({ file_type: i.type });
  const rows = await query.orderBy('path').limit(i.limit + 1);
  return toPage(rows, i.limit, presentFile, (row) => [row.path]);
}

export function noSuchFile(path: string): NotFound {
  return new NotFound('file_not_found', `There is no file ${path}`);
}
