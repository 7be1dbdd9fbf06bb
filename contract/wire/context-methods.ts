// What a worker may ask of the run context, method by method: parameters and values of the frames `call` and
// `reply` (worker.ts). Defaults are the specification's, so a worker may leave out what it does not care
// about. Bytes are base64.
import { z } from 'zod';
import { AgentCard, FileType, WorkspaceMode } from './card.ts';
import { AgentEvent, ArtifactRef, QUESTION_TIMEOUT_SECONDS, SCOPE_REPLY_TIMEOUT_SECONDS } from './events.ts';
import { Grant, GRANT_TTL_SECONDS, SCOPE_REQUEST_TTL_SECONDS } from './grant.ts';
import { MAX_EMBEDDED_TEXTS } from './model-use.ts';
import type { ContextMethod } from './worker.ts';
import { MODEL_PROTOCOLS, META_RUN_STATES, ORGANIZATION_ROLES, PATCH_OPERATIONS, PATCH_STATES, UNPAUSED_RUN_STATES } from '../states.ts';

const none = z.object({});
const text = z.string();
const texts = z.array(z.string()).default([]);
const seconds = z.number().positive();
const mode = WorkspaceMode.default('read_only');
const base64 = z.base64();
/** Null and absent mean the same. */
const optional = <T extends z.ZodType>(model: T) => model.nullish().transform((value) => value ?? undefined);

const FileMatch = z.object({ path: text, file_type: FileType, score: z.number(), summary: text.nullable(), size_bytes: z.int() });
const Patch = z.object({
  patch_id: text,
  path: text,
  operation: z.enum(PATCH_OPERATIONS),
  size_bytes: z.int(),
  sha256: text.nullable(),
  state: z.enum(PATCH_STATES),
  reason: text.nullable(),
});
const ExecResult = z.object({ stdout: text, stderr: text, exit_code: z.int(), truncated: z.boolean(), timed_out: z.boolean() });
const DiscoveredAgent = z.object({ name: text, url: text.nullable(), card: AgentCard });
/** A view lives as long as its run; the number names it on this connection. */
const View = z.object({ view: z.int(), grant: Grant, files: z.array(FileMatch) });
const inView = { view: z.int() };
const Handle = z.object({ name: text });
const named = { name: text };
const image = optional(text);
/** Shared: of the agent, for all whom it works for; else of the person that the run works for. */
const shared = { shared: z.boolean().default(false) };
const remembered = { namespace: text.default('default'), key: text, ...shared };
const MemoryEntry = z.object({
  namespace: text,
  key: text,
  value: z.unknown(),
  metadata: z.record(z.string(), z.unknown()),
  version: z.int(),
  expires_at: text.nullable(),
  created_at: text,
  updated_at: text,
});

const object = z.record(z.string(), z.unknown());
const metaRunStatus = z.enum(META_RUN_STATES);
const MetaRun = z.object({
  id: text,
  goal: text,
  criteria: z.array(text),
  plan: object,
  progress: object,
  status: metaRunStatus,
  version: z.int(),
  created_at: text,
  updated_at: text,
  ended_at: text.nullable(),
});

const ToolCall = z.object({ id: text, name: text, arguments: object });
const llmRequest = {
  messages: z
    .array(
      z.discriminatedUnion('role', [
        z.object({ role: z.enum(['system', 'user']), content: text }),
        z.object({ role: z.literal('assistant'), content: text, tool_calls: z.array(ToolCall).default([]) }),
        z.object({ role: z.literal('tool'), tool_call_id: text, content: text }),
      ]),
    )
    .min(1),
  model: optional(text),
  protocol: optional(z.enum(MODEL_PROTOCOLS)),
  system: optional(text),
  max_tokens: optional(z.int().min(1)),
  temperature: optional(z.number()),
  tools: z.array(z.object({ name: text, description: optional(text), input_schema: optional(object) })).default([]),
  schema: optional(object),
};
const LlmUsage = z.object({ input_tokens: z.int(), cached_input_tokens: z.int(), output_tokens: z.int() });
const LlmAnswer = z.object({
  text,
  tool_calls: z.array(ToolCall),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'refusal', 'other']),
  usage: LlmUsage,
  model: text,
});

export const MAX_QUESTION_RECIPIENTS = 20;
/**
 * Who is asked: the account the run works for; the one that owns the agent, of an organization its members by
 * their roles; named people, members of that organization or accounts that the agent has given scopes; any
 * member of that organization with a role.
 */
export const AskRecipient = z.union([
  z.enum(['caller', 'owner']),
  z.strictObject({
    people: z
      .array(z.string().trim().min(1).max(254))
      .min(1)
      .max(MAX_QUESTION_RECIPIENTS)
      .meta({ description: 'Addresses or account ids; the first answer counts.' }),
  }),
  z.strictObject({ role: z.enum(ORGANIZATION_ROLES) }),
]);
export type AskRecipient = z.infer<typeof AskRecipient>;

export const CONTEXT_METHODS = {
  write_artifact: { params: z.object({ name: text, data: base64, mime_type: text }), value: ArtifactRef },
  /** With a JSON Schema the answer is a form; the value is then its JSON text. */
  ask: {
    params: z.object({
      prompt: text,
      timeout: seconds.default(QUESTION_TIMEOUT_SECONDS),
      schema: optional(z.record(z.string(), z.unknown())),
      of: AskRecipient.default('caller'),
      name: optional(text),
    }),
    value: text,
  },
  answer: { params: z.object({ question_id: text, answer: text }), value: z.boolean() },
  call: {
    params: z.object({ target: text, skill: text, args: z.record(z.string(), z.unknown()).default({}), grant: optional(text), timeout: optional(seconds) }),
    value: z.object({ result: z.unknown(), events: z.array(AgentEvent), artifacts: z.array(ArtifactRef), grant_id: text.nullable() }),
  },
  request_scope: {
    params: z.object({
      reason: text,
      read: texts,
      write_prefix: text.nullable().default(null),
      ttl_seconds: z.int().positive().default(SCOPE_REQUEST_TTL_SECONDS),
      mode,
      timeout: seconds.default(SCOPE_REPLY_TIMEOUT_SECONDS),
    }),
    value: Grant,
  },
  deny_scope: { params: z.object({ request_id: text, reason: text }), value: z.boolean() },
  resolve_scope_grant: { params: z.object({ request_id: text, grant_token: text }), value: z.boolean() },
  find_agents: {
    params: z.object({ tags: texts, capability: optional(text), skill: optional(text), limit: z.int().min(1).max(500).default(10) }),
    value: z.array(DiscoveredAgent),
  },
  get_agent: { params: z.object(named), value: DiscoveredAgent },
  'workspace.search': {
    params: z.object({ query: text, types: z.array(FileType).default([]), limit: z.int().min(1).max(100).default(20) }),
    value: z.array(FileMatch),
  },
  'workspace.open_view': {
    params: z.object({
      purpose: text,
      hints: texts,
      file_types: z.array(FileType).default([]),
      max_files: z.int().min(1).default(10),
      mode,
      reason: text.default(''),
    }),
    value: View,
  },
  'workspace.request_access': { params: z.object({ files: z.array(text).min(1), mode, reason: text, purpose: text.default('') }), value: View },
  /** Files as the grant held now shows them. */
  'workspace.view': { params: none, value: View },
  'workspace.list_grants': { params: none, value: z.array(Grant) },
  'workspace.delegate': {
    params: z.object({
      audience: text,
      allow_patterns: z.array(text).default(['**']),
      deny_patterns: texts,
      mode,
      outputs_prefix: text.nullable().default(null),
      ttl_seconds: z.int().positive().default(GRANT_TTL_SECONDS),
    }),
    value: text,
  },
  'workspace.install_grant': { params: z.object({ grant: z.union([Grant, text]) }), value: z.null() },
  'view.read': { params: z.object({ ...inView, path: text }), value: z.object({ data: base64 }) },
  'view.write': { params: z.object({ ...inView, path: text, data: base64 }), value: Patch },
  'view.delete': { params: z.object({ ...inView, path: text }), value: Patch },
  'view.patches': { params: z.object(inView), value: z.array(Patch) },
  'sandbox.create': {
    params: z.object({
      ...named,
      image,
      memory_mib: optional(z.int().positive()),
      cpus: optional(z.int().positive()),
      workspace: text.nullable().default(null),
      secrets: texts,
      egress: texts,
      labels: z.record(z.string(), z.string()).default({}),
    }),
    value: Handle,
  },
  'sandbox.get': { params: z.object(named), value: Handle },
  'sandbox.list': { params: none, value: z.array(text) },
  'sandbox.remove': { params: z.object(named), value: z.null() },
  'sandbox.run_python': { params: z.object({ code: text, image, timeout: optional(seconds) }), value: ExecResult },
  'sandbox.run_shell': { params: z.object({ script: text, image, timeout: optional(seconds) }), value: ExecResult },
  'sandbox.exec': { params: z.object({ ...named, command: text, args: texts, timeout: optional(seconds) }), value: ExecResult },
  'sandbox.shell': { params: z.object({ ...named, script: text, timeout: optional(seconds) }), value: ExecResult },
  'sandbox.logs': { params: z.object({ ...named, tail: optional(z.int().positive()) }), value: text },
  'sandbox.stop': { params: z.object(named), value: z.null() },
  'sandbox.kill': { params: z.object(named), value: z.null() },
  'memory.get': { params: z.object(remembered), value: MemoryEntry.nullable() },
  /** Null: if_version does not hold. */
  'memory.put': {
    params: z.object({
      ...remembered,
      value: z.unknown(),
      metadata: z.record(z.string(), z.unknown()).default({}),
      ttl_seconds: z.int().positive().nullable().default(null),
      if_version: optional(z.int().min(0)),
    }),
    value: MemoryEntry.nullable(),
  },
  'memory.delete': { params: z.object(remembered), value: z.boolean() },
  'memory.list': {
    params: z.object({ namespace: optional(text), prefix: optional(text), limit: z.int().min(1).max(200).default(50), cursor: optional(text), ...shared }),
    value: z.object({ items: z.array(MemoryEntry), next_cursor: text.nullable() }),
  },
  'memory.search': {
    params: z.object({ query: text, namespace: optional(text), limit: z.int().min(1).max(50).default(10), ...shared }),
    value: z.array(MemoryEntry.extend({ score: z.number() })),
  },
  'llm.generate': { params: z.object(llmRequest), value: LlmAnswer },
  /** A value that fits the schema. */
  'llm.object': { params: z.object({ ...llmRequest, schema: object }), value: z.unknown() },
  /** A stream; the number names it in this run. Nothing is sent before the first read. */
  'llm.start': { params: z.object(llmRequest), value: z.object({ stream: z.int() }) },
  /** The next piece of text; null: it has ended, with the whole. */
  'llm.read': { params: z.object({ stream: z.int() }), value: z.object({ text: text.nullable(), answer: LlmAnswer.nullable() }) },
  /** Ends the request. */
  'llm.leave': { params: z.object({ stream: z.int() }), value: z.null() },
  /** A vector for each text, in their order. */
  'llm.embed': {
    params: z.object({ texts: z.array(text).min(1).max(MAX_EMBEDDED_TEXTS), model: optional(text) }),
    value: z.object({ vectors: z.array(z.array(z.number())), usage: LlmUsage, model: text }),
  },
  'meta_runs.create': {
    params: z.object({ goal: text, criteria: texts, plan: object.default({}), progress: object.default({}), status: metaRunStatus.default('planning') }),
    value: MetaRun,
  },
  'meta_runs.get': { params: z.object({ id: text }), value: MetaRun.nullable() },
  'meta_runs.list': {
    params: z.object({ state: z.enum(['all', 'open']).default('all'), limit: z.int().min(1).max(100).default(20), cursor: optional(text) }),
    value: z.object({ items: z.array(MetaRun), next_cursor: text.nullable() }),
  },
  /** Null: it is at another version. */
  'meta_runs.update': {
    params: z.object({
      id: text,
      version: z.int().min(1),
      goal: optional(text),
      criteria: optional(z.array(text)),
      plan: optional(object),
      progress: optional(object),
      status: optional(metaRunStatus),
    }),
    value: MetaRun.nullable(),
  },
  track_call: {
    params: z.object({
      grant: text,
      skill: text,
      state: z.enum(UNPAUSED_RUN_STATES),
      started_at: text,
      ended_at: text.nullable().default(null),
      args: optional(object),
      output_sha256: text.nullable().default(null),
      error_code: text.nullable().default(null),
    }),
    value: z.null(),
  },
} as const satisfies Record<ContextMethod, { params: z.ZodType; value: z.ZodType }>;

export type ContextParams<M extends ContextMethod> = z.output<(typeof CONTEXT_METHODS)[M]['params']>;
export type ContextValue<M extends ContextMethod> = z.input<(typeof CONTEXT_METHODS)[M]['value']>;
