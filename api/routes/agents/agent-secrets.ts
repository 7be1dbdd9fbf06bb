import type { agentSecrets } from '#contract/agents/agent-secrets.ts';
import { deleteSecret } from '#core/agents/secret/delete.ts';
import { listSecrets } from '#core/agents/secret/list.ts';
import { putSecret } from '#core/agents/secret/put.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentSecretRoutes: Handlers<typeof agentSecrets> = {
  list: (ctx, { params }) => listSecrets(ctx, params),
  upsert: (ctx, { params, query, body }) => putSecret(ctx, { ...params, ...query, ...body }),
  delete: (ctx, { params, query }) => deleteSecret(ctx, { ...params, ...query }),
};
