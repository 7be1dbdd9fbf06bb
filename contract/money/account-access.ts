// How many calls of an agent the platform funds for the caller's account.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams } from '../shared.ts';

export const AgentAccountAccessOut = z
  .strictObject({
    required: z.boolean().meta({ description: 'Only accounts call it, and their calls count (account_access of svc.yaml).' }),
    platform_skill_calls: z.int().min(0).meta({ description: 'Calls that the platform funds for each account and agent.' }),
    used: z.int().min(0).meta({ description: "Used calls of these; calls of the agent's owner do not count." }),
    remaining: z.int().min(0),
    after_trial: z.literal('byok').meta({ description: 'Then the caller needs a model credential of their own.' }),
    has_byok: z.boolean().meta({ description: 'The caller has a model credential.' }),
    setup_url: z.string().meta({ description: 'Takes the credential; `svc models set` does the same.' }),
  })
  .meta({ id: 'AgentAccountAccessOut' });

export const accountAccess = group({
  accountAccess: {
    at: 'GET /v1/agents/{name}/account-access',
    summary: 'Read how many calls of this agent the platform still funds for you',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentAccountAccessOut,
    errors: [401, 403, 404],
  },
});
