import type { scmWebhooks } from '#contract/platform/scm-webhooks.ts';
import { takeWebhook } from '#core/deploys/repository/webhook.ts';
import type { Handlers } from '../../http/handlers.ts';

export const scmWebhookRoutes: Handlers<typeof scmWebhooks> = {
  runtimePush: (ctx, { headers, body }) => takeWebhook(ctx, { hook: 'runtime-push', headers, body }),
  sourcePush: (ctx, { headers, body }) => takeWebhook(ctx, { hook: 'source-push', headers, body }),
};
