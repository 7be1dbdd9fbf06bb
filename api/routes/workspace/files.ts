import type { files } from '#contract/workspace/files.ts';
import { moveFile } from '#core/workspace/file/move.ts';
import { getFile, listFiles } from '#core/workspace/file/read.ts';
import { removeFile } from '#core/workspace/file/remove.ts';
import { uploadFile } from '#core/workspace/file/upload.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import type { Handlers } from '../../http/handlers.ts';

export const fileRoutes: Handlers<typeof files> = {
  list: (ctx, { query }) => listFiles(ctx, query),
  upload: (ctx, { body, headers }) => uploadFile(ctx, body, headers),
  move: (ctx, { body }) => moveFile(ctx, body),
  get: async (ctx, { params }, http) => fileAnswer(http, await getFile(ctx, params)),
  remove: (ctx, { params, headers }) => removeFile(ctx, params, headers),
};
