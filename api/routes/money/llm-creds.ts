import type { llmCreds } from '#contract/money/llm-creds.ts';
import { catalog } from '#core/money/llm/catalog.ts';
import { deleteCredential } from '#core/money/llm/delete.ts';
import { listCredentials } from '#core/money/llm/list.ts';
import { putCredential } from '#core/money/llm/put.ts';
import type { Handlers } from '../../http/handlers.ts';

export const llmCredRoutes: Handlers<typeof llmCreds> = {
  list: (ctx) => listCredentials(ctx),
  put: (ctx, { body }) => putCredential(ctx, body),
  catalog: async () => ({ items: catalog() }),
  remove: (ctx, { params }) => deleteCredential(ctx, params),
};
