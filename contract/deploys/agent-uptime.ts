// How an agent answered when the platform looked at it.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';

export const AgentUptimeOut = z
  .strictObject({
    now: Instant,
    hours: z
      .array(
        z.strictObject({
          hour: Instant.meta({ description: 'Its beginning.' }),
          looks: z.int().min(1),
          well: z.int().min(0).meta({ description: 'How many of those found it well.' }),
        }),
      )
      .meta({ description: 'Hours of the last 30 days, the oldest first; hours without a check are left out.' }),
    changes: z
      .array(z.strictObject({ at: Instant, is_well: z.boolean(), reason: z.string().nullable() }))
      .meta({ description: 'The newest first, at most 100. The first one says how it is now.' }),
  })
  .meta({ id: 'AgentUptimeOut' });

export const agentUptime = svcGroup({
  uptime: {
    at: 'GET /v1/agents/{name}/uptime',
    summary: 'Read the uptime of an agent: by the hour, and each change',
    description:
      'An agent that runs here is looked at while it is live, an imported one by a question to its address. Of a listed agent everyone may know; the agent is not woken.',
    scope: 'optional',
    params: AgentParams,
    out: AgentUptimeOut,
    errors: [401, 403, 404],
  },
});
