// Which web pages of other origins may call an agent at its own address.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams } from '../shared.ts';
import { AllowedOrigins } from '../wire/origins.ts';

export const AllowedOriginsIn = z
  .strictObject({ allowed_origins: AllowedOrigins.nullable().meta({ description: 'In place of those before. Null: as svc.yaml says, else the default.' }) })
  .meta({ id: 'AllowedOriginsIn' });

export const AllowedOriginsOut = z
  .strictObject({
    allowed_origins: z.array(z.string()).nullable().meta({ description: 'What the owner set; null: nothing.' }),
    declared: z.array(z.string()).nullable().meta({ description: 'expose.allowed_origins of the live version; null: it names none.' }),
    effective: z.enum(['listed', 'any', 'none']).meta({
      description:
        'listed: the origins that the owner set, else those declared. any: each public origin, at a public address of the agent (the default of a public agent). none: no page of another origin (the default of an unlisted one).',
    }),
  })
  .meta({ id: 'AllowedOriginsOut' });

export const allowedOrigins = svcGroup({
  get: {
    at: 'GET /v1/agents/{name}/allowed-origins',
    summary: 'List the web origins that may call the agent',
    scope: 'authenticated',
    params: AgentParams,
    out: AllowedOriginsOut,
    errors: [401, 403, 404],
  },
  set: {
    at: 'PUT /v1/agents/{name}/allowed-origins',
    summary: 'Set the origins whose pages may call the agent',
    description:
      'It holds from the next request on, for /invoke, /mcp, /a2a and /ag-ui. Pages never send cookies there: a page that needs a caller sends a bearer token. Pages of localhost and of private networks may call only when they are listed.',
    scope: 'authenticated',
    params: AgentParams,
    body: AllowedOriginsIn,
    out: AllowedOriginsOut,
    errors: [401, 403, 404],
  },
});
