import type { agentSessions } from '#contract/runs/agent-sessions.ts';
import { listSessions } from '#core/runs/session/list.ts';
import { followSession } from '#core/runs/session/read.ts';
import { startSession } from '#core/runs/session/start.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentSessionRoutes: Handlers<typeof agentSessions> = {
  list: (ctx, { params, query }) => listSessions(ctx, { ...params, ...query }),
  start: (ctx, { params, body }) => startSession(ctx, { ...params, ...body }),
  get: (ctx, { params, query }, http) => followSession(ctx, { ...params, ...query, signal: http.signal }),
};
