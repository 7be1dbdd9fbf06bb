// The caller's files: one bucket each, read and written by path.
import { z } from 'zod';
import { bytes, group, multipart } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { FileType } from '../wire/card.ts';
import { MAX_FILE_BYTES } from '../wire/limits.ts';
import { PATH_START_SYNTAX, PATH_SYNTAX } from '../wire/path-syntax.ts';
import { isPath, MAX_PATH_LENGTH } from '../wire/patterns.ts';

/** Written in any Unicode form, kept in NFC. */
export const FilePath = z
  .string()
  .min(1)
  .max(4096)
  .normalize('NFC')
  .refine(isPath, 'is not a path: write it like notes/today.md, without a leading "/", empty, "." or ".." parts, "\\", "*" or "?"')
  .meta({
    id: 'FilePath',
    description: 'Relative, "/" between segments.',
    pattern: PATH_SYNTAX,
    maxLength: MAX_PATH_LENGTH,
    examples: ['notes/today.md'],
  });

/** The beginning of paths: a folder with "/" at its end, or any text paths begin with. */
export const FilePrefix = z
  .string()
  .max(1024)
  .normalize('NFC')
  .refine((text) => isPath(`${text}x`), 'is not the beginning of a path')
  .meta({ description: 'Only paths that begin with it.', pattern: PATH_START_SYNTAX, maxLength: MAX_PATH_LENGTH - 1 });

export const FileOut = z
  .strictObject({
    path: z.string(),
    file_type: FileType,
    mime_type: z.string(),
    size_bytes: z.int().min(0),
    sha256: z.string(),
    etag: z.string().meta({ description: 'For If-Match and If-None-Match: the quoted sha256.' }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'FileOut' });
export const FileListOut = z.strictObject({ items: z.array(FileOut), next_cursor: nextCursor }).meta({ id: 'FileListOut' });

const FileUploadForm = z
  .strictObject({
    path: FilePath.optional().meta({ description: "Absent: the file's own name." }),
    file: z.string().meta({ format: 'binary', description: `At most ${MAX_FILE_BYTES / 2 ** 20} MiB.` }),
  })
  .meta({ id: 'Body_upload_v1_me_files_post' });

export const FileMoveIn = z
  .strictObject({
    from: FilePath,
    to: FilePath,
    overwrite: z.boolean().default(false).meta({ description: 'Take the place of what is at `to`.' }),
    if_match: z.string().max(100).optional().meta({ description: 'Only when the file at `from` still has this etag.' }),
    to_if_match: z.string().max(100).optional().meta({ description: 'With overwrite: only when the file at `to` still has this etag.' }),
  })
  .meta({ id: 'FileMoveIn' });

/** On condition, as RFC 9110 has it: a change is made only to what the caller has seen. */
export const changeConditions = {
  'if-match': z.string().max(4096).optional().meta({ description: 'Entity tags: only when the file has one of them; `*`: only when there is one.' }),
  'if-none-match': z.string().max(4096).optional().meta({ description: '`*`: only when there is no such file yet.' }),
};

const path = z.object({ path: FilePath });

export const files = group({
  list: {
    at: 'GET /v1/me/files',
    summary: "The caller's files, by path",
    scope: 'account',
    query: pageQuery(100, 1000, ['notes/today.md']).extend({ prefix: FilePrefix.optional(), type: FileType.optional() }),
    out: FileListOut,
    errors: [400, 401, 403],
  },
  upload: {
    at: 'POST /v1/me/files',
    summary: 'Store a file; what was at the path before is replaced',
    description: `413 when the file is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB or the account is full. If-None-Match: * stores it only when there is none yet (412).`,
    scope: 'account',
    headers: z.object(changeConditions),
    body: multipart(FileUploadForm),
    out: FileOut,
    status: 201,
    errors: [400, 401, 403, 412, 413],
  },
  move: {
    at: 'POST /v1/me/files/move',
    summary: 'Give a file another path, at once',
    description: '409 if there is a file at the new path and `overwrite` is not true.',
    scope: 'account',
    body: FileMoveIn,
    out: FileOut,
    errors: [401, 403, 404, 409, 412],
  },
  get: {
    at: 'GET /v1/me/files/{path:path}',
    summary: 'The bytes of a file',
    description: 'Range, If-Range, If-None-Match, If-Modified-Since and If-Match are honoured. The entity tag is the quoted SHA-256 of the content.',
    scope: 'account',
    params: path,
    out: bytes('*/*'),
    ranges: true,
    errors: [401, 403, 404, 412, 416],
  },
  remove: {
    at: 'DELETE /v1/me/files/{path:path}',
    summary: 'Delete a file',
    scope: 'account',
    params: path,
    headers: z.object(changeConditions),
    status: 204,
    errors: [401, 403, 404, 412],
  },
});
