// Agents from an API description: one skill for each operation, or a search over all of them; looked at
// first, then deployed.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentName } from '../wire/names.ts';
import { AgentFromTarballOut } from '../deploys/from-tarball-out.ts';

/** Of a description, as text. */
export const MAX_DESCRIPTION_BYTES = 16 * 1024 * 1024;
/** In JSON, where every character may be written as six. */
const BODY_BYTES = 24 * 1024 * 1024;

const word = z.string().min(1).max(200);
const Choice = z
  .strictObject({
    tags: z.array(word).max(100).default([]),
    methods: z
      .array(z.enum(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']))
      .max(7)
      .default([]),
    match: z.string().min(1).max(500).optional().meta({ description: 'A regular expression over `GET /path name`, letters of either case.' }),
    names: z.array(word).max(500).default([]).meta({ description: 'Names of skills, or operation ids.' }),
  })
  .meta({ id: 'OpenAPIChoice', description: 'Operations that fit tags, methods and match together, and those that are named. Empty: all.' });

export const AgentOpenAPIGenerateIn = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .meta({
        description: 'Where the description is, or came from. Fetched when there is no document.',
        examples: ['https://petstore3.swagger.io/api/v3/openapi.json'],
      }),
    document: z
      .string()
      .min(2)
      .max(MAX_DESCRIPTION_BYTES)
      .optional()
      .meta({ description: 'The description itself, as text: Swagger 2.0, OpenAPI 3.0 or 3.1, in JSON or YAML.' }),
    name: AgentName.optional().meta({ description: 'Name of the agent; absent: from the title.' }),
    description: z.string().max(2_000).optional(),
    base_url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .optional()
      .meta({ description: 'Where the API is; absent: the first server of the description.' }),
    public: z.boolean().optional().meta({ description: 'Listing once live; absent: a new agent is unlisted.' }),
    include: Choice.optional().meta({ description: 'The operations that become skills.' }),
    pins: Choice.optional().meta({ description: 'The operations that get a skill of their own where the others are searched.' }),
    mode: z
      .enum(['auto', 'each', 'search'])
      .default('auto')
      .meta({ description: 'each: a skill for each operation, search: three skills over all of them, auto: search for more than 40.' }),
    auth: z
      .string()
      .regex(/^(?:bearer|basic|(?:header|query|cookie):[A-Za-z0-9_.~-]{1,100})$/, 'use bearer, basic, header:NAME, query:NAME or cookie:NAME')
      .optional()
      .meta({ description: 'How the API takes its credential; replaces what the description states.' }),
  })
  .refine(({ url, document }) => url !== undefined || document !== undefined, {
    path: ['url'],
    message: 'give the address of a description as url, or its text as document',
  })
  .meta({ id: 'AgentOpenAPIGenerateIn', examples: [{ url: 'https://api.example.com/openapi.json' }] });

const count = z.int().min(0);
export const AgentOpenAPIPreviewOut = z
  .strictObject({
    name: z.string().meta({ description: 'The agent would have.' }),
    title: z.string(),
    api_version: z.string(),
    base_url: z.string().nullable().meta({ description: 'Null: none that can be used; give one.' }),
    mode: z.enum(['each', 'search']),
    skills: z.array(z.string()).meta({ description: 'Names of the skills it would have.' }),
    operations_total: count,
    operations_chosen: count,
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          method: z.string(),
          path: z.string(),
          description: z.string(),
          input_bytes: count,
          output_bytes: count,
          read_only: z.boolean(),
          destructive: z.boolean(),
          approval: z.boolean().meta({ description: 'A person is asked before it is sent.' }),
          paged: z.boolean(),
        }),
      )
      .meta({ description: 'Each is a skill; with the mode search the operations that are found, 500 at most.' }),
    bytes: count.meta({ description: 'Size of what a client reads of all skills.' }),
    estimated_tokens: count,
    setup_fields: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string(),
        required: z.boolean(),
        secret: z.boolean(),
        sent_as: z.string().meta({ description: 'Where the egress proxy writes it.' }),
        hosts: z.array(z.string()),
      }),
    ),
    files: z.array(z.strictObject({ path: z.string(), bytes: count, content: z.string().nullable().meta({ description: 'Null: longer than 8 MiB.' }) })),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'AgentOpenAPIPreviewOut' });

export const AgentFromOpenAPIOut = z
  .strictObject({
    ...AgentFromTarballOut.shape,
    regenerated: z.boolean().meta({ description: 'The agent was generated before; edits of its source are merged.' }),
    mode: z.enum(['each', 'search']),
    skills: z.array(z.string()),
    files: z.array(z.string()),
    setup_fields: z.array(z.string()),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'AgentFromOpenAPIOut' });

export const fromOpenApi = group({
  openapiPreview: {
    at: 'POST /v1/agents/openapi/preview',
    summary: 'The agent that an API description would become: tools, sizes, setup fields and files; nothing is stored',
    scope: 'authenticated',
    body: AgentOpenAPIGenerateIn,
    bodyBytes: BODY_BYTES,
    out: AgentOpenAPIPreviewOut,
    errors: [400, 401, 403],
  },
  fromOpenapi: {
    at: 'POST /v1/agents/from-openapi',
    summary: 'Generate editable agent source from an API description and deploy it',
    description: 'If the agent was generated before, the changes of the description are merged into its current source; 409 where both changed the same lines.',
    scope: 'authenticated',
    body: AgentOpenAPIGenerateIn,
    bodyBytes: BODY_BYTES,
    out: AgentFromOpenAPIOut,
    status: 201,
    errors: [400, 401, 402, 403, 409, 429, 500],
    limit: 'deploy',
  },
});
