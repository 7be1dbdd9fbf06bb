import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { FileOut } from '#contract/workspace/files.ts';
import type { ByteRange } from '#drivers/storage/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { blobKey } from '../blob/store.ts';
import type { FilesRow } from './change.ts';
import { etagOf } from './conditions.ts';
import type { FileType } from '#contract/wire/card.ts';

/** A content to be sent, whole or in part. */
export interface FileView {
  path: string;
  sha256: string;
  size_bytes: number;
  mime_type: string;
  updated_at: Date;
  open(range?: ByteRange): Promise<Readable>;
}

export function viewOf(ctx: Ctx, file: Omit<FileView, 'open'>): FileView {
  const { path, sha256, size_bytes, mime_type, updated_at } = file;
  return { path, sha256, size_bytes, mime_type, updated_at, open: (range) => ctx.drivers.storage.get(blobKey(sha256), range) };
}

export function presentFile(row: FilesRow): z.infer<typeof FileOut> {
  return {
    path: row.path,
    file_type: asKind(row.file_type),
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    etag: etagOf(row.sha256),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

// Safe: only `describe` writes the column.
export function asKind(fileType: string): FileType {
  return fileType as FileType;
}
