import type { installedAgents } from '#contract/agents/installed-agents.ts';
import { installAgent, listInstalled } from '#core/agents/installed/install.ts';
import type { Handlers } from '../../http/handlers.ts';

export const installedAgentRoutes: Handlers<typeof installedAgents> = {
  list: (ctx, { query }) => listInstalled(ctx, query),
  install: (ctx, { params, body }) => installAgent(ctx, { ...params, installed: body?.installed ?? true }),
};
