// Uploads of large files that go on where they broke off: the tus protocol 1.0
// (https://tus.io/protocols/resumable-upload), extensions creation, expiration and termination.
import { z } from 'zod';
import { bytes, svcGroup } from '../kit.ts';
import { Instant } from '../shared.ts';
import { UPLOAD_STATES } from '../states.ts';
import { MAX_PART_BYTES, MAX_UPLOAD_BYTES } from '../wire/limits.ts';
import { changeConditions } from './files.ts';

export const TUS_VERSION = '1.0.0';
/** Of the body of a PATCH. */
const TUS_MEDIA = 'application/offset+octet-stream';
const UploadId = z.string().regex(/^upl_[0-9a-f-]{36}$/).meta({ id: 'UploadId' }); // prettier-ignore

export const UploadPart = z.strictObject({
  start: z.int().min(0).meta({ description: 'Its first byte, counted from 0.' }),
  size_bytes: z.int().min(1),
  sha256: z.string().meta({ description: 'Hex. Compare it before you continue an upload: it must be the same file.' }),
});

export const FileUploadOut = z
  .strictObject({
    upload_id: UploadId,
    path: z.string(),
    state: z.enum(UPLOAD_STATES),
    size_bytes: z.int().min(0),
    received_bytes: z.int().min(0),
    only_new: z.boolean().meta({ description: 'It began with If-None-Match: *, and is refused when there is a file by then.' }),
    created_at: Instant,
    expires_at: Instant.meta({ description: 'It is removed then, finished or not.' }),
  })
  .meta({ id: 'FileUploadOut' });
export const FileUploadDetailOut = FileUploadOut.extend({ parts: z.array(UploadPart) }).meta({ id: 'FileUploadDetailOut' });
export const FileUploadListOut = z.strictObject({ items: z.array(FileUploadOut) }).meta({ id: 'FileUploadListOut' });

const byteCount = z.string().regex(/^(?:0|[1-9]\d{0,14})$/, 'is not a number of bytes').meta({ examples: ['1048576'] }); // prettier-ignore
/** No literal: generators of clients take none in a header. */
const version = z
  .string()
  .regex(/^1\.0\.0$/, `must be ${TUS_VERSION}`)
  .optional()
  .meta({ description: 'The version of the protocol.', examples: [TUS_VERSION] });
const one = z.object({ upload_id: UploadId });

export const fileUploads = svcGroup({
  create: {
    at: 'POST /v1/me/uploads',
    summary: 'Begin to upload a large file; its place is in Location',
    description: `At most ${MAX_UPLOAD_BYTES / 2 ** 20} MiB, which are reserved. Unfinished uploads are removed after a day.`,
    scope: 'account',
    headers: z.object({
      ...changeConditions,
      'tus-resumable': version,
      'upload-length': byteCount.meta({ description: 'Size of the whole file, in bytes.' }),
      'upload-metadata': z
        .string()
        .max(8192)
        .meta({
          description: 'Pairs of a key and its value in Base64, with commas between: `path` or `filename`, and `filetype`, a media type.',
          examples: ['path cmVwb3J0cy9oYXJib3VyLnBkZg==,filetype YXBwbGljYXRpb24vcGRm'],
        }),
      'repr-digest': z.string().max(1024).optional().meta({ description: 'SHA-256 of the whole file (RFC 9530). What arrives and has another is refused.' }),
    }),
    out: FileUploadOut,
    status: 201,
    errors: [401, 403, 409, 412, 413],
  },
  list: {
    at: 'GET /v1/me/uploads',
    summary: "The account's unfinished uploads, newest first",
    scope: 'account',
    out: FileUploadListOut,
    errors: [401, 403],
  },
  get: {
    at: 'GET /v1/me/uploads/{upload_id}',
    summary: 'An upload and the parts that have arrived',
    scope: 'account',
    params: one,
    out: FileUploadDetailOut,
    errors: [401, 403, 404],
  },
  offset: {
    at: 'HEAD /v1/me/uploads/{upload_id}',
    summary: 'Read how much has arrived, in Upload-Offset',
    scope: 'account',
    params: one,
    headers: z.object({ 'tus-resumable': version }),
    out: bytes('*/*'),
    errors: [401, 403, 404],
  },
  append: {
    at: 'PATCH /v1/me/uploads/{upload_id}',
    summary: 'Send the next bytes; with the last one the file is stored',
    description: `They begin at Upload-Offset, or are refused with 409. Stored in parts of ${MAX_PART_BYTES / 2 ** 20} MiB as they arrive: a broken upload loses one part at most.`,
    scope: 'account',
    params: one,
    headers: z.object({ 'tus-resumable': version, 'upload-offset': byteCount, 'content-type': z.literal(TUS_MEDIA) }),
    body: bytes(TUS_MEDIA),
    status: 204,
    errors: [400, 401, 403, 404, 409, 412, 413],
  },
  cancel: {
    at: 'DELETE /v1/me/uploads/{upload_id}',
    summary: 'Give an upload up',
    scope: 'account',
    params: one,
    headers: z.object({ 'tus-resumable': version }),
    status: 204,
    errors: [401, 403, 404],
  },
});
