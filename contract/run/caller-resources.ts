// What an agent may show its caller of what the caller has here: artifacts of the caller's own runs, and
// files the caller granted to this agent.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { MAX_GRANT_TOKEN_LENGTH } from '../wire/grant.ts';
import { FilePath } from '../workspace/files.ts';

/** Bytes of one content in an answer; what is larger is fetched at the address in the refusal. */
export const MAX_CONTENT_BYTES = 8 * 1024 * 1024;

export const CallerArtifactOut = z
  .strictObject({ run_id: z.string(), name: z.string(), mime_type: z.string(), size_bytes: z.int().min(0), created_at: Instant })
  .meta({ id: 'CallerArtifactOut' });
export const CallerFileOut = z
  .strictObject({ workspace: z.string(), path: z.string(), mime_type: z.string(), size_bytes: z.int().min(0), updated_at: Instant })
  .meta({ id: 'CallerFileOut' });
export const ContentOut = z
  .strictObject({ mime_type: z.string(), size_bytes: z.int().min(0), data: z.base64().meta({ description: 'The bytes.' }) })
  .meta({ id: 'ContentOut' });

const page = pageQuery(100, 1000);
const grantHeaders = z.object({
  'svc-grant': z.string().min(1).max(MAX_GRANT_TOKEN_LENGTH).optional().meta({ description: 'A grant the caller passed on with this request.' }),
});

export const callerResources = group({
  listArtifacts: {
    at: 'GET /run/v1/artifacts',
    summary: "Artifacts of this agent's runs for the same caller, newest first",
    scope: 'run',
    looks: true,
    query: page,
    out: z.strictObject({ items: z.array(CallerArtifactOut), next_cursor: nextCursor }).meta({ id: 'CallerArtifactListOut' }),
    errors: [400, 401, 403],
  },
  readArtifact: {
    at: 'GET /run/v1/artifacts/{run_id}/{name}',
    summary: 'One artifact; with the token of its link, for every caller',
    scope: 'run',
    looks: true,
    params: z.object({ run_id: z.string().max(128), name: z.string().max(255) }),
    query: z.object({ token: z.string().max(256).optional() }),
    out: ContentOut,
    errors: [401, 403, 404, 410, 413],
  },
  listFiles: {
    at: 'GET /run/v1/workspaces/files',
    summary: 'Files that the caller granted to this agent, by workspace and path',
    description: 'Under grants the caller gave it outside of a run, and the one passed on. A page may be short, or empty, before the last.',
    scope: 'run',
    looks: true,
    headers: grantHeaders,
    query: page,
    out: z.strictObject({ items: z.array(CallerFileOut), next_cursor: nextCursor }).meta({ id: 'CallerFileListOut' }),
    errors: [400, 401, 403],
  },
  readFile: {
    at: 'GET /run/v1/workspaces/{workspace}/files/{path:path}',
    summary: 'One granted file',
    description: '404 without a grant.',
    scope: 'run',
    looks: true,
    headers: grantHeaders,
    params: z.object({ workspace: z.string().max(256), path: FilePath }),
    out: ContentOut,
    errors: [401, 403, 404, 413],
  },
});
