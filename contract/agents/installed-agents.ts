// The agents that a user installed, and whether each has the values that it needs from the user.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery } from '../shared.ts';

export const InstalledAgentOut = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    url: z.string(),
    mine: z.boolean(),
    available: z.boolean().meta({ description: 'False: it is no longer live or no longer public.' }),
    setup: z.strictObject({ complete: z.boolean(), missing: z.array(z.string()), path: z.string() }),
    installed_at: Instant,
  })
  .meta({ id: 'InstalledAgentOut' });
export const InstalledAgentListOut = z.strictObject({ items: z.array(InstalledAgentOut), next_cursor: nextCursor }).meta({ id: 'InstalledAgentListOut' });
export const InstallIn = z
  .strictObject({ installed: z.boolean().default(true).meta({ description: 'false takes it off the list; values that were set stay.' }) })
  .meta({ id: 'AgentInstallIn' });

export const installedAgents = group({
  list: {
    at: 'GET /v1/installed-agents',
    summary: 'Agents the caller installed, newest first',
    scope: 'authenticated',
    query: pageQuery(50, 200),
    out: InstalledAgentListOut,
    errors: [400, 401, 403],
  },
  install: {
    at: 'POST /v1/installed-agents/{name}',
    summary: "Install a public agent, or one's own",
    description: 'Again changes nothing. With {"installed": false} it is taken off the list.',
    scope: 'authenticated',
    params: AgentParams,
    body: InstallIn.optional(),
    out: InstalledAgentOut,
    errors: [401, 403, 404],
  },
});
