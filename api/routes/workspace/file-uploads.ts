import { type fileUploads, TUS_VERSION } from '#contract/workspace/file-uploads.ts';
import { MAX_UPLOAD_BYTES } from '#contract/wire/limits.ts';
import { appendUpload } from '#core/workspace/upload/append.ts';
import { beginUpload } from '#core/workspace/upload/begin.ts';
import { cancelUpload } from '#core/workspace/upload/cancel.ts';
import { findUpload, getUpload, listUploads } from '#core/workspace/upload/find.ts';
import type { Handlers } from '../../http/handlers.ts';

const TUS = {
  'tus-resumable': TUS_VERSION,
  'tus-version': TUS_VERSION,
  'tus-extension': 'creation,expiration,termination',
  'tus-max-size': `${MAX_UPLOAD_BYTES}`,
};

export const fileUploadRoutes: Handlers<typeof fileUploads> = {
  create: async (ctx, { headers }, http) => {
    const { 'upload-length': length, 'upload-metadata': metadata, 'repr-digest': digest, 'if-match': match, 'if-none-match': noneMatch } = headers;
    const begun = await beginUpload(ctx, { size_bytes: Number(length), metadata, digest, conditions: { 'if-match': match, 'if-none-match': noneMatch } });
    return http.reply(201, begun, { ...TUS, location: `/v1/me/uploads/${begun.upload_id}`, 'upload-expires': httpDate(begun.expires_at) });
  },
  list: (ctx) => listUploads(ctx),
  get: (ctx, { params }) => getUpload(ctx, params),
  offset: async (ctx, { params }, http) => {
    const { received_bytes, size_bytes, expires_at } = await findUpload(ctx, params.upload_id, 'file.read');
    const expires = httpDate(expires_at);
    const headers = { ...TUS, 'upload-offset': `${received_bytes}`, 'upload-length': `${size_bytes}`, 'upload-expires': expires, 'cache-control': 'no-store' };
    return http.reply(200, Buffer.alloc(0), headers);
  },
  append: async (ctx, { params, headers, body }, http) => {
    const offset = await appendUpload(ctx, { ...params, offset: Number(headers['upload-offset']), body });
    return http.reply(204, undefined, { ...TUS, 'upload-offset': `${offset}` });
  },
  cancel: async (ctx, { params }, http) => {
    await cancelUpload(ctx, params);
    return http.reply(204, undefined, TUS);
  },
};

const httpDate = (at: string | Date): string => new Date(at).toUTCString();
