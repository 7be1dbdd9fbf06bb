// What services of the platform ask of it, with a platform token.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { AgentSlug } from '../wire/names.ts';
import { llmGrants } from './llm-grants.ts';
import { scmTokens } from './scm.ts';

const AgentSessionVerifyIn = z
  .strictObject({
    agent: AgentSlug,
    token: z.string().min(1).max(512).meta({ description: "Value of the agent origin's session cookie." }),
  })
  .meta({ id: 'AgentSessionVerifyIn' });
export const AgentSessionVerifyOut = z
  .strictObject({
    active: z.boolean(),
    user: z.strictObject({ user_id: z.string(), email: z.string(), name: z.string().nullable() }).nullable().meta({ description: 'null unless active.' }),
    expires_at: Instant.nullable(),
  })
  .meta({ id: 'AgentSessionVerifyOut' });

export const platform = group({
  ...llmGrants,
  ...scmTokens,
  verifyAgentSession: {
    at: 'POST /v1/platform/agent-session/verify',
    summary: "Resolve the session cookie of an agent's origin to its user",
    scope: 'platform',
    body: AgentSessionVerifyIn,
    out: AgentSessionVerifyOut,
    errors: [401, 403],
  },
});
