import type { sourceEditor } from '#contract/deploys/source-editor.ts';
import { deployCommit } from '#core/deploys/repository/deploy.ts';
import { listSourceFiles, readSourceFile } from '#core/deploys/repository/files.ts';
import { saveSource } from '#core/deploys/repository/save.ts';
import { createGitToken } from '#core/deploys/source-token/make.ts';
import type { Handlers } from '../../http/handlers.ts';

export const sourceEditorRoutes: Handlers<typeof sourceEditor> = {
  files: (ctx, { params, query }) => listSourceFiles(ctx, { ...params, ...query }),
  file: (ctx, { params, query }) => readSourceFile(ctx, { ...params, ...query }),
  save: (ctx, { params, body }) => saveSource(ctx, { ...params, ...body }),
  deploy: (ctx, { params, body }) => deployCommit(ctx, { ...params, ...body }),
  createToken: async (ctx, { params, body }, http) => http.reply(201, await createGitToken(ctx, { ...params, ...body }), { 'cache-control': 'no-store' }),
};
