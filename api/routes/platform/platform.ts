import type { platform } from '#contract/platform/platform.ts';
import { verifyAgentSession } from '#core/identity/agent-session/verify.ts';
import type { Handlers } from '../../http/handlers.ts';

export const platformRoutes: Handlers<typeof platform> = {
  verifyAgentSession: (ctx, { body }) => verifyAgentSession(ctx, body),
};
