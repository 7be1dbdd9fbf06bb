import type { llmUsage } from '#contract/money/llm-usage.ts';
import { listUsage } from '#core/money/llm/usage.ts';
import type { Handlers } from '../../http/handlers.ts';

export const llmUsageRoutes: Handlers<typeof llmUsage> = {
  list: (ctx, { query }) => listUsage(ctx, query),
};
