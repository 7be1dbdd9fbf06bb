// Files as a grant shows them: every request carries the grant's token in the header svc-grant.
import { z } from 'zod';
import { bytes, group } from '../kit.ts';
import { nextCursor, pageQuery } from '../shared.ts';
import { PatchOut } from '../run/run-context.ts';
import { FileType, WorkspaceMode } from '../wire/card.ts';
import { Grant, GRANT_TTL_SECONDS, MAX_GRANT_TOKEN_LENGTH, MAX_PATTERNS, OutputsPrefix, PathPattern } from '../wire/grant.ts';
import { AgentName } from '../wire/names.ts';
import { changeConditions, FilePath, FilePrefix } from './files.ts';

/** Seconds; a grant ends at the latest with its parent. */
export const MAX_GRANT_TTL_SECONDS = 7 * 24 * 3600;

const token = z.string().min(1).max(MAX_GRANT_TOKEN_LENGTH);
const grantHeaders = { 'svc-grant': token.meta({ description: 'The token of the grant that allows it.' }) };
const patterns = z.array(PathPattern).max(MAX_PATTERNS);

const DelegateIn = z
  .strictObject({
    audience: AgentName.meta({ description: 'The agent that receives the grant.' }),
    allow_patterns: patterns.min(1).default(['**']),
    deny_patterns: patterns.default([]),
    mode: WorkspaceMode.default('read_only'),
    outputs_prefix: OutputsPrefix.nullable().default(null).meta({ description: 'Writes go below this folder only.' }),
    ttl_seconds: z.int().positive().max(MAX_GRANT_TTL_SECONDS).default(GRANT_TTL_SECONDS),
  })
  .meta({ id: 'DelegateIn' });
const DelegateOut = z.strictObject({ grant: Grant, token: z.string().meta({ description: 'Shown once.' }) }).meta({ id: 'DelegateOut' });

const GrantFileOut = z
  .strictObject({
    path: z.string(),
    file_type: FileType,
    mime_type: z.string(),
    size_bytes: z.int().min(0),
    sha256: z.string(),
    staged: z.boolean().meta({ description: 'Written under this grant and not committed yet.' }),
  })
  .meta({ id: 'GrantFileOut' });
export const GrantFileListOut = z.strictObject({ items: z.array(GrantFileOut), next_cursor: nextCursor }).meta({ id: 'GrantFileListOut' });

const path = z.object({ path: FilePath });
const reading = { scope: 'authenticated', runs: true, params: path, headers: z.object(grantHeaders), out: bytes('*/*'), ranges: true } as const;
const writing = { scope: 'authenticated', runs: true, params: path, headers: z.object({ ...grantHeaders, ...changeConditions }), out: PatchOut } as const;
const staged = 'In a run the change is staged: it is committed when the run succeeds, and rejected when it does not. Without a run it is committed at once.';

export const workspaceGrants = group({
  delegate: {
    at: 'POST /v1/workspace-grants/delegate',
    summary: 'A grant for another agent, contained in the one held',
    description: 'With svc-grant: contained in that grant in paths, mode, lifetime and depth. Without it: a grant of the own files, for users.',
    scope: 'authenticated',
    runs: true,
    headers: z.object({ 'svc-grant': token.optional().meta({ description: 'The grant it is derived from.' }) }),
    body: DelegateIn,
    out: DelegateOut,
    status: 201,
    errors: [401, 403, 404],
  },
  list: {
    at: 'GET /v1/workspace-grants/files',
    summary: 'Files the grant lets see, by path',
    scope: 'authenticated',
    runs: true,
    headers: z.object(grantHeaders),
    query: pageQuery(100, 1000, ['notes/today.md']).extend({ prefix: FilePrefix.optional() }),
    out: GrantFileListOut,
    errors: [400, 401, 403],
  },
  read: {
    ...reading,
    at: 'GET /v1/workspace-grants/files/{path:path}',
    summary: 'The bytes of a file',
    description: 'The file with the changes that this run staged. Ranges and conditions as for the own files.',
    errors: [401, 403, 404, 412, 416],
  },
  stat: {
    ...reading,
    at: 'HEAD /v1/workspace-grants/files/{path:path}',
    summary: 'Its length, type and entity tag',
    errors: [401, 403, 404, 412],
  },
  write: {
    ...writing,
    at: 'PUT /v1/workspace-grants/files/{path:path}',
    summary: 'Write a file',
    description: staged,
    body: bytes('*/*'),
    errors: [400, 401, 403, 409, 412, 413],
  },
  remove: {
    ...writing,
    at: 'DELETE /v1/workspace-grants/files/{path:path}',
    summary: 'Delete a file',
    description: staged,
    errors: [401, 403, 404, 409, 412, 413],
  },
});
