import type { platform } from '#contract/platform/platform.ts';
import { createScmToken } from '#core/deploys/source-token/make.ts';
import { releaseScmToken } from '#core/deploys/source-token/release.ts';
import { createLlmGrant } from '#core/runs/model-grant/make.ts';
import { verifyAgentSession } from '#core/identity/agent-session/verify.ts';
import type { Handlers } from '../../http/handlers.ts';

export const platformRoutes: Handlers<typeof platform> = {
  createLlmGrant: (ctx, { body }) => createLlmGrant(ctx, body),
  createScmToken: (ctx, { body }) => createScmToken(ctx, body),
  releaseScmToken: (ctx, { params }) => releaseScmToken(ctx, params),
  verifyAgentSession: (ctx, { body }) => verifyAgentSession(ctx, body),
};
