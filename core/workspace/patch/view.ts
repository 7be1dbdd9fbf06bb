// Reading under a grant.
import type { z } from 'zod';
import { grantAllows, grantFilter } from '#contract/wire/containment.ts';
import type { GrantFileListOut } from '#contract/workspace/workspace-grants.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { decodeCursor, encodeCursor } from '../../kernel/page.ts';
import { asKind, type FileView, viewOf } from '../file/present.ts';
import { noSuchFile } from '../file/read.ts';
import { verifyGrant } from '../grant/verify.ts';
import { noteRead } from './note-read.ts';
import { seenFile, seenFiles, type SeenFile } from './overlay.ts';

/** Rows read at once while looking for those the patterns let through. */
const BATCH = 1_000;

/** The content, for a run noted for its receipt. */
export async function readGranted(ctx: Ctx, i: { token: string; path: string }): Promise<FileView> {
  const view = await statGranted(ctx, i);
  await noteRead(ctx, view);
  return view;
}

export async function statGranted(ctx: Ctx, i: { token: string; path: string }): Promise<FileView> {
  const { grant } = await verifyGrant(ctx, i.token);
  if (!grantAllows(grant, i.path, 'read')) throw notGranted(i.path);
  const file = await seenFile(ctx, grant.bucket, i.path);
  if (!file) throw noSuchFile(i.path);
  return viewOf(ctx, file);
}

export async function listGranted(
  ctx: Ctx,
  i: { token: string; prefix?: string | undefined; limit: number; cursor?: string | undefined },
): Promise<z.infer<typeof GrantFileListOut>> {
  const { grant } = await verifyGrant(ctx, i.token);
  const visible = grantFilter(grant, 'read');
  const [after] = i.cursor === undefined ? [] : decodeCursor(i.cursor, ['string']);
  const visibleFiles: SeenFile[] = [];
  // U+0001 sorts before all that a path may hold: the first path after `after`.
  let from = after === undefined ? '' : `${after}\u0001`;
  for (;;) {
    const batch = await seenFiles(ctx, { bucket: grant.bucket, from, prefix: i.prefix ?? '', limit: BATCH });
    for await (const file of inTurns(batch)) if (visible(file.path)) visibleFiles.push(file);
    const last = batch.at(-1);
    if (!last || batch.length < BATCH || visibleFiles.length > i.limit) break;
    from = `${last.path}\u0001`;
  }
  const items = visibleFiles.slice(0, i.limit);
  const last = items.at(-1);
  return { items: items.map(present), next_cursor: visibleFiles.length > i.limit && last ? encodeCursor([last.path]) : null };
}

function present({ path, file_type, mime_type, size_bytes, sha256, staged }: SeenFile) {
  return { path, file_type: asKind(file_type), mime_type, size_bytes, sha256, staged };
}

/** Said alike whether there is such a file or not. */
export function notGranted(path: string): Forbidden {
  return new Forbidden('path_not_granted', `The grant does not cover ${path}: ask for a wider one`);
}
