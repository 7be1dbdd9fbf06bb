// What editors and git's credential helper ask about one agent's source. GET /v1/agents/{name}/code-editor
// names the addresses.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';
import { SOURCE_TOKEN_MODES } from '../states.ts';
import { AgentFromTarballOut } from '../agents/agents.ts';
import { CommitId } from './source.ts';

/** Of one file, read or saved. */
export const MAX_EDITED_BYTES = 512 * 1024;
const MAX_SAVED_FILES = 100;
export const SOURCE_TOKEN_SECONDS = 900;

const SourcePath = z.string().min(1).max(1024);
const BlobId = z.string().regex(/^[0-9a-f]{40}$/, 'is not the id of a file: 40 hexadecimal digits');
const encoding = z.enum(['utf-8', 'base64']);
const at = z.object({ commit: CommitId.optional().meta({ description: 'Default: the head of the default branch.' }) });

export const SourceFilesOut = z
  .strictObject({
    commit: z.string().nullable().meta({ description: 'null: there is none yet.' }),
    files: z.array(z.strictObject({ path: z.string(), blob: z.string(), size: z.int().min(0), executable: z.boolean() })),
  })
  .meta({ id: 'SourceFilesOut' });

export const SourceFileOut = z
  .strictObject({
    commit: z.string(),
    path: z.string(),
    blob: z.string().meta({ description: 'Send it with a change: the change is refused if the file has another blob by then.' }),
    size: z.int().min(0),
    executable: z.boolean(),
    encoding: encoding.meta({ description: 'base64 where the bytes are not UTF-8.' }),
    content: z.string(),
  })
  .meta({ id: 'SourceFileOut' });

export const SourceCommitIn = z
  .strictObject({
    message: z.string().trim().min(1).max(2000),
    changes: z
      .array(
        z.strictObject({
          path: SourcePath,
          blob: BlobId.nullable().meta({ description: 'The version of the file that was read; null: there was none.' }),
          content: z.string().nullable().meta({ description: 'null: the file goes.' }),
          encoding: encoding.default('utf-8'),
          executable: z.boolean().optional().meta({ description: 'Default: as it is.' }),
        }),
      )
      .min(1)
      .max(MAX_SAVED_FILES),
  })
  .meta({ id: 'SourceCommitIn' });

export const SourceCommitOut = z
  .strictObject({
    commit: z.string(),
    parent: z.string().nullable(),
    files: z.array(z.strictObject({ path: z.string(), blob: z.string().nullable() })).meta({ description: 'The changed files, for the next change.' }),
  })
  .meta({ id: 'SourceCommitOut' });

export const SourceTokenOut = z
  .strictObject({ token: z.string(), expires_at: Instant, clone_url: z.string(), mode: z.enum(SOURCE_TOKEN_MODES) })
  .meta({ id: 'SourceTokenOut' });

export const sourceEditor = svcGroup({
  files: {
    at: 'GET /source/v1/agents/{name}/files',
    summary: 'Files of a commit, by path',
    scope: 'source-token',
    params: AgentParams,
    query: at,
    out: SourceFilesOut,
    errors: [401, 403, 404, 503],
  },
  file: {
    at: 'GET /source/v1/agents/{name}/files/{path:path}',
    summary: 'One file of a commit',
    scope: 'source-token',
    params: AgentParams.extend({ path: SourcePath }),
    query: at,
    out: SourceFileOut,
    errors: [401, 403, 404, 413, 503],
  },
  save: {
    at: 'POST /source/v1/agents/{name}/commits',
    summary: 'Save files as one commit of the default branch',
    description: '409 if a file was changed since its blob was read. Other files are saved on top of newer commits.',
    scope: 'source-token',
    params: AgentParams,
    body: SourceCommitIn,
    out: SourceCommitOut,
    status: 201,
    errors: [400, 401, 403, 404, 409, 413, 503],
  },
  deploy: {
    at: 'POST /source/v1/agents/{name}/deploys',
    summary: 'Deploy a commit',
    scope: 'source-token',
    params: AgentParams,
    body: z.strictObject({ commit: CommitId }),
    out: AgentFromTarballOut,
    status: 201,
    errors: [400, 401, 402, 403, 404, 409, 413, 429, 502, 503],
    limit: 'deploy',
  },
  createToken: {
    at: 'POST /source/v1/agents/{name}/tokens',
    summary: "A source token for the owner's git",
    scope: 'authenticated',
    params: AgentParams,
    body: z.strictObject({ mode: z.enum(SOURCE_TOKEN_MODES) }),
    out: SourceTokenOut,
    status: 201,
    errors: [401, 403, 404, 429],
    limit: 'create',
  },
});
