// What an agent remembers for a person, between runs: JSON by namespace and key.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { KEY_SYNTAX } from '../wire/path-syntax.ts';

export const MAX_MEMORY_METADATA_BYTES = 16 * 1024;
/** For one person at one agent. */
export const MAX_MEMORY_BYTES = 64 * 1024 * 1024;

const isDots = (part: string): boolean => part === '.' || part === '..';

const MemoryNamespace = z
  .string()
  .regex(/^[\w.:@-]{1,128}$/, 'use 1 to 128 letters, digits and _ . : @ -')
  .refine((text) => !isDots(text), 'may not be "." or "..": no address could name it')
  .meta({ pattern: String.raw`^(?!\.{1,2}$)[\w.:@-]{1,128}$`, examples: ['facts'] });

export const MemoryKey = z
  .string()
  .min(1)
  .max(512)
  .refine(
    (text) => !text.split('/').some((part) => part === '' || isDots(part)),
    'may have no empty, "." or ".." part between slashes: no address could name it',
  )
  .meta({ description: 'Any characters, slashes too.', pattern: KEY_SYNTAX, examples: ['user/name'] });

export const MemoryUpsertIn = z
  .strictObject({
    namespace: MemoryNamespace.default('default'),
    key: MemoryKey,
    value: z.json().meta({ description: 'Any JSON, at most 256 KiB.' }),
    metadata: z.record(z.string().max(128), z.json()).default({}).meta({ description: 'Facts about the value, found by search too; at most 16 KiB.' }),
    ttl_seconds: z
      .int()
      .min(1)
      .max(10 * 365 * 86_400)
      .nullable()
      .default(null)
      .meta({ description: 'Forgotten after so many seconds; null: never.' }),
    shared: z.boolean().default(false).meta({ description: 'true: of the agent, for everyone it works for; false: of the caller.' }),
    if_version: SequenceNumber.optional().meta({ description: 'Only when the entry still has this version; 0: only when there is none.' }),
  })
  .meta({ id: 'AgentMemoryUpsertIn' });

const entry = {
  namespace: z.string(),
  key: z.string(),
  shared: z.boolean().meta({ description: 'true: of the agent, for everyone it works for.' }),
  value: z.unknown(),
  metadata: z.record(z.string(), z.unknown()),
  version: z.int().min(1).meta({ description: 'Grows by one with every write.' }),
  size_bytes: z.int().min(0),
  expires_at: Instant.nullable(),
  created_at: Instant,
  updated_at: Instant,
};
export const MemoryOut = z.strictObject(entry).meta({ id: 'AgentMemoryOut' });
export const MemoryListOut = z.strictObject({ items: z.array(MemoryOut), next_cursor: nextCursor }).meta({ id: 'AgentMemoryListOut' });
export const MemorySearchOut = z
  .strictObject({ items: z.array(z.strictObject({ ...entry, score: z.number().meta({ description: 'Best first; comparable within one answer.' }) })) })
  .meta({ id: 'AgentMemorySearchOut' });

const place = AgentParams.extend({ namespace: MemoryNamespace, key: MemoryKey });
const write = { params: AgentParams, body: MemoryUpsertIn, out: MemoryOut, runs: true, scope: 'authenticated', errors: [401, 403, 404, 409, 413] } as const;

/** In a query. */
const sharedQuery = z.boolean().default(false).meta({ description: 'What the agent keeps for all whom it works for: for its owner and its runs.' });

/**
 * Users, owners of agents included, see only what agents remember about themselves. A run sees what its agent
 * remembers about the user it works for. What is shared is of the agent: all its runs see it, and its owner.
 */
export const agentMemory = group({
  list: {
    at: 'GET /v1/agents/{name}/memory',
    summary: 'List what the agent remembers for the caller, by namespace and key',
    description: 'A page also ends where its values grow beyond 4 MiB.',
    scope: 'authenticated',
    runs: true,
    params: AgentParams,
    query: pageQuery(50, 200, ['notes', 'm']).extend({
      namespace: MemoryNamespace.optional(),
      prefix: z.string().max(512).optional().meta({ description: 'Only keys that begin with it.' }),
      shared: sharedQuery,
    }),
    out: MemoryListOut,
    errors: [400, 401, 403, 404, 409],
  },
  create: { at: 'POST /v1/agents/{name}/memory', summary: 'Remember a value under a key, in place of the one before', ...write },
  upsert: { at: 'PUT /v1/agents/{name}/memory', summary: 'Remember a value under a key, in place of the one before', ...write },
  search: {
    at: 'GET /v1/agents/{name}/memory/search',
    summary: 'Find entries by words of their key, value and metadata, misspelt ones too',
    scope: 'authenticated',
    runs: true,
    params: AgentParams,
    query: z.object({ q: z.string().min(1).max(1000), namespace: MemoryNamespace.optional(), limit: z.int().min(1).max(50).default(10), shared: sharedQuery }),
    out: MemorySearchOut,
    errors: [401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/agents/{name}/memory/{namespace}/{key:path}',
    summary: 'One entry',
    scope: 'authenticated',
    runs: true,
    params: place,
    query: z.object({ shared: sharedQuery }),
    out: MemoryOut,
    errors: [401, 403, 404, 409],
  },
  delete: {
    at: 'DELETE /v1/agents/{name}/memory/{namespace}/{key:path}',
    summary: 'Forget one entry',
    scope: 'authenticated',
    runs: true,
    params: place,
    query: z.object({ shared: sharedQuery }),
    status: 204,
    errors: [401, 403, 404, 409],
  },
});
