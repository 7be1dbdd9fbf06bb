// What a running skill asks of the platform: the other side of the run context. Not part of the public API;
// spoken by the agent runtime with the run credential that came with the call (x-svc-run-token), which names
// run, agent, caller and the chain of calls that led here. Files of a grant and delegation have public routes
// (workspace-grants), called with the same credential.
import { z } from 'zod';
import { bytes, group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { AgentCard, FileType, WorkspaceMode } from '../wire/card.ts';
import { AskRecipient } from '../wire/context-methods.ts';
import { ArtifactRef, CalledWait, MAX_CALLED_WAITS } from '../wire/events.ts';
import { Grant, MAX_PATTERNS, PathPattern } from '../wire/grant.ts';
import { PATCH_OPERATIONS, PATCH_STATES, SANDBOX_STATES, WAIT_STATES } from '../states.ts';

/** Characters: an approval shows whole arguments. */
const MAX_PROMPT = 500_000;
/** Questions may be open for days; the agent's machine sleeps meanwhile. */
const MAX_WAIT_SECONDS = 30 * 24 * 3600;

const requestId = (...prefixes: string[]) =>
  z
    .string()
    .regex(
      new RegExp(`^(?:${prefixes.join('|')})_[0-9a-f-]{36}$`),
      `${prefixes.join('_ or ')}_ and a UUID, made by the runtime: sending it twice is one request`,
    );
const reason = z.string().max(2000);
const timeout = z.number().positive().max(MAX_WAIT_SECONDS);

export const WaitOut = z
  .strictObject({
    wait_id: z.string(),
    state: z.enum(WAIT_STATES),
    expires_at: Instant,
    answer: z.unknown().optional().meta({ description: 'With state answered: the text, or the form.' }),
    grant_token: z.string().optional().meta({ description: 'With state approved.' }),
    reason: z.string().optional().meta({ description: 'With state denied.' }),
    answered_by: z.string().optional().meta({ description: 'user_id. With state answered, where the question was not put to the caller.' }),
  })
  .meta({ id: 'WaitOut' });

export const FileMatch = z
  .strictObject({
    path: z.string(),
    file_type: FileType,
    score: z.number().default(0),
    summary: z.string().nullable().default(null),
    size_bytes: z.int().min(0).default(0),
  })
  .meta({ id: 'FileMatch' });

/**
 * An answer to a request for access: at once, or by a person later (then POST /scope-grants/{request_id}
 * reaches the agent).
 */
export const AccessOut = z
  .discriminatedUnion('state', [
    z.strictObject({ state: z.literal('approved'), request_id: z.string(), grant_token: z.string(), files: z.array(FileMatch) }),
    z.strictObject({ state: z.literal('pending'), request_id: z.string(), expires_at: Instant, files: z.array(FileMatch) }),
    z.strictObject({ state: z.literal('denied'), request_id: z.string(), reason: z.string(), files: z.array(FileMatch) }),
  ])
  .meta({ id: 'AccessOut' });

export const PatchOut = z
  .strictObject({
    patch_id: z.string(),
    path: z.string(),
    operation: z.enum(PATCH_OPERATIONS),
    size_bytes: z.int().min(0),
    sha256: z.string().nullable().meta({ description: 'Hash of the new content; null for a deletion.' }),
    state: z.enum(PATCH_STATES),
    reason: z.string().nullable().meta({ description: 'Why it was rejected.' }),
  })
  .meta({ id: 'PatchOut' });

export const DiscoveredAgentOut = z
  .strictObject({ name: z.string(), url: z.string().nullable().meta({ description: 'What a caller passes to call().' }), card: AgentCard })
  .meta({ id: 'DiscoveredAgentOut' });

const sandboxName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and "-" (63 at most)');
export const SandboxIn = z
  .strictObject({
    name: sandboxName,
    image: z.string().min(1).max(255).default('python:3.11-slim'),
    memory_mib: z.int().min(128).max(4096).default(512),
    cpus: z.int().min(1).max(4).default(1),
    /**
     * A grant token: its files are mounted at /workspace, and what changed there is staged as patches when a
     * program has ended.
     */
    workspace: z.string().nullable().default(null),
    /** By name; values are the agent's own, sent by its runtime. */
    secrets: z.record(z.string().regex(/^[A-Za-z_]\w{0,127}$/), z.string().max(65_536)).default({}),
    egress: z.array(z.string().max(253)).max(64).default([]),
    labels: z.record(z.string().max(63), z.string().max(255)).default({}),
  })
  .meta({ id: 'SandboxIn' });
export const SandboxOut = z
  .strictObject({ name: z.string(), image: z.string(), state: z.enum(SANDBOX_STATES), labels: z.record(z.string(), z.string()) })
  .meta({ id: 'SandboxOut' });
export const ExecResultOut = z
  .strictObject({
    stdout: z.string(),
    stderr: z.string().default(''),
    exit_code: z.int().default(0),
    truncated: z.boolean().default(false),
    timed_out: z.boolean().default(false),
  })
  .meta({ id: 'ExecResultOut' });
const seconds = z.number().positive().max(3600);

const sandboxParams = z.object({ name: sandboxName });
const patterns = z.array(PathPattern).max(MAX_PATTERNS);

export const runContext = group({
  writeArtifact: {
    at: 'PUT /run/v1/artifacts/{name}',
    summary: 'Store what the skill made, for its caller to fetch',
    scope: 'run',
    params: z.object({ name: z.string().min(1).max(255) }),
    query: z.object({ mime_type: z.string().min(1).max(255) }),
    body: bytes('*/*'),
    out: ArtifactRef,
    status: 201,
    errors: [401, 403, 409, 413],
  },

  ask: {
    at: 'POST /run/v1/questions',
    summary: 'Ask the person the run works for, the owner of the agent, people of theirs or a role',
    scope: 'run',
    body: z.strictObject({
      question_id: requestId('qst', 'inr').meta({ description: 'Starts with inr_ for a form; then `schema` is set.' }),
      prompt: z.string().min(1).max(MAX_PROMPT),
      timeout_seconds: timeout,
      /** JSON Schema of the answer: then it is a form. */
      schema: z.record(z.string(), z.unknown()).optional(),
      of: AskRecipient.default('caller'),
    }),
    out: WaitOut,
    status: 201,
    errors: [401, 403, 409],
  },
  requestScope: {
    at: 'POST /run/v1/scope-requests',
    summary: 'Ask for a wider grant',
    scope: 'run',
    body: z.strictObject({
      request_id: requestId('scr'),
      grant_token: z.string().nullable().meta({ description: 'The grant to be superseded.' }),
      reason,
      read: patterns.default([]),
      write_prefix: z.string().max(256).nullable().default(null),
      ttl_seconds: z.int().positive().max(86_400).default(60),
      mode: WorkspaceMode.default('read_only'),
      timeout_seconds: timeout.default(60),
    }),
    out: AccessOut,
    errors: [401, 403, 409],
  },
  getWait: {
    at: 'GET /run/v1/waits/{wait_id}',
    summary: 'Read the outcome of a question or a scope request',
    scope: 'run',
    params: z.object({ wait_id: z.string().max(64) }),
    out: WaitOut,
    errors: [401, 403, 404],
  },
  cancelWait: {
    at: 'DELETE /run/v1/waits/{wait_id}',
    summary: 'The skill no longer waits',
    scope: 'run',
    params: z.object({ wait_id: z.string().max(64) }),
    out: WaitOut,
    errors: [401, 403, 404],
  },

  callWaits: {
    at: 'GET /run/v1/calls/{run_id}/waits',
    summary: 'Whether a call of this run waits for a person, or one that it made does, and what is asked of the person for whom all of them work',
    scope: 'run',
    params: z.object({ run_id: z.string().max(64) }),
    out: z.strictObject({ waits: z.boolean(), open: z.array(CalledWait).max(MAX_CALLED_WAITS) }),
    errors: [401, 403],
  },

  searchFiles: {
    at: 'POST /run/v1/workspace/search',
    summary: "Search names and contents of the caller's files, as far as the grant (or else the agent's policy) lets it see",
    scope: 'run',
    body: z.strictObject({
      grant_token: z.string().nullable(),
      query: z.string().max(1000),
      types: z.array(FileType).max(16).default([]),
      limit: z.int().min(1).max(100).default(20),
    }),
    out: z.array(FileMatch),
    errors: [401, 403],
  },
  openView: {
    at: 'POST /run/v1/workspace/views',
    summary: 'Have the platform pick files for a purpose, and ask for access to them',
    scope: 'run',
    body: z.strictObject({
      request_id: requestId('scr'),
      grant_token: z.string().nullable(),
      purpose: z.string().min(1).max(2000),
      hints: z.array(z.string().max(500)).max(32).default([]),
      file_types: z.array(FileType).max(16).default([]),
      max_files: z.int().min(1).max(1000).default(10),
      mode: WorkspaceMode.default('read_only'),
      reason: reason.default(''),
      timeout_seconds: timeout.default(60),
    }),
    out: AccessOut,
    errors: [401, 403, 409],
  },
  requestAccess: {
    at: 'POST /run/v1/workspace/access',
    summary: 'Ask for access to named files',
    scope: 'run',
    body: z.strictObject({
      request_id: requestId('scr'),
      grant_token: z.string().nullable(),
      files: z.array(z.string().min(1).max(1024)).min(1).max(1000),
      mode: WorkspaceMode,
      reason,
      purpose: z.string().max(2000).default(''),
      timeout_seconds: timeout.default(60),
    }),
    out: AccessOut,
    errors: [401, 403, 409],
  },
  listGrants: {
    at: 'GET /run/v1/grants',
    summary: 'The grants this run holds, newest first',
    scope: 'run',
    out: z.array(Grant),
    errors: [401, 403],
  },
  listPatches: {
    at: 'POST /run/v1/workspace/patches',
    summary: 'List the changes staged under a grant in this run',
    scope: 'run',
    body: z.strictObject({ grant_token: z.string() }),
    out: z.array(PatchOut),
    errors: [401, 403],
  },

  findAgents: {
    at: 'GET /run/v1/agents',
    summary: 'Agents this run may call',
    scope: 'run',
    query: z.object({
      tags: z.string().max(500).optional().meta({ description: 'Comma-separated; all of them.' }),
      capability: z.string().max(200).optional().meta({ description: "A member of the card's capabilities." }),
      skill: z.string().max(64).optional(),
      limit: z.int().min(1).max(500).default(10),
    }),
    out: z.array(DiscoveredAgentOut),
    errors: [401, 403],
  },
  getAgent: {
    at: 'GET /run/v1/agents/{name}',
    summary: 'One agent this run may call',
    scope: 'run',
    params: z.object({ name: z.string().max(128) }),
    out: DiscoveredAgentOut,
    errors: [401, 403, 404],
  },

  createSandbox: {
    at: 'POST /run/v1/sandboxes',
    summary: 'Create a microVM for untrusted code',
    scope: 'run',
    body: SandboxIn,
    out: SandboxOut,
    status: 201,
    errors: [401, 403, 404, 409, 503],
  },
  listSandboxes: {
    at: 'GET /run/v1/sandboxes',
    summary: 'Sandboxes of this agent and caller',
    scope: 'run',
    out: z.array(SandboxOut),
    errors: [401, 403, 503],
  },
  getSandbox: {
    at: 'GET /run/v1/sandboxes/{name}',
    summary: 'One sandbox',
    scope: 'run',
    params: sandboxParams,
    out: SandboxOut,
    errors: [401, 403, 404, 503],
  },
  removeSandbox: {
    at: 'DELETE /run/v1/sandboxes/{name}',
    summary: 'End it and forget it',
    scope: 'run',
    params: sandboxParams,
    status: 204,
    errors: [401, 403, 503],
  },
  execInSandbox: {
    at: 'POST /run/v1/sandboxes/{name}/exec',
    summary: 'Run one program; no shell parses it',
    scope: 'run',
    params: sandboxParams,
    body: z.strictObject({
      command: z.string().min(1).max(4096),
      args: z.array(z.string().max(65_536)).max(500).default([]),
      timeout_seconds: seconds.default(60),
    }),
    out: ExecResultOut,
    errors: [401, 403, 404, 409, 503],
  },
  shellInSandbox: {
    at: 'POST /run/v1/sandboxes/{name}/shell',
    summary: 'Run a script with /bin/sh',
    scope: 'run',
    params: sandboxParams,
    body: z.strictObject({ script: z.string().min(1).max(1_048_576), timeout_seconds: seconds.default(60) }),
    out: ExecResultOut,
    errors: [401, 403, 404, 409, 503],
  },
  sandboxLogs: {
    at: 'GET /run/v1/sandboxes/{name}/logs',
    summary: 'The newest output of all its programs',
    scope: 'run',
    params: sandboxParams,
    query: z.object({ tail: z.int().min(1).max(10_000).default(200) }),
    out: z.strictObject({ text: z.string() }),
    errors: [401, 403, 404, 503],
  },
  stopSandbox: {
    at: 'POST /run/v1/sandboxes/{name}/stop',
    summary: 'End its programs politely, then its machine',
    scope: 'run',
    params: sandboxParams,
    out: SandboxOut,
    errors: [401, 403, 404, 503],
  },
  killSandbox: {
    at: 'POST /run/v1/sandboxes/{name}/kill',
    summary: 'End its machine at once',
    scope: 'run',
    params: sandboxParams,
    out: SandboxOut,
    errors: [401, 403, 404, 503],
  },
  runOnce: {
    at: 'POST /run/v1/sandboxes:run',
    summary: 'Create, run, tear down',
    scope: 'run',
    body: z.strictObject({
      language: z.enum(['python', 'shell']),
      code: z.string().min(1).max(1_048_576),
      image: z.string().min(1).max(255).default('python:3.11-slim'),
      timeout_seconds: seconds.default(60),
    }),
    out: ExecResultOut,
    errors: [401, 403, 404, 409, 503],
  },
});
