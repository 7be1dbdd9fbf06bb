// The agent card (GET /.well-known/agent-card): what an agent is, offers and needs. Fields and defaults as
// the second document has them.
import { z } from 'zod';
import { AgentName, Semver, SkillName } from './names.ts';
import { SetupInjection } from './setup-injection.ts';
import { SETTING_KINDS, SETTING_SCOPES, WORKSPACE_MODES } from '../states.ts';

/** ephemeral: sleeps between calls · session: kept for the length of a session · persistent: kept awake. */
export const Lifecycle = z.enum(['ephemeral', 'session', 'persistent']).meta({ id: 'Lifecycle' });
export type Lifecycle = z.infer<typeof Lifecycle>;

/** Where an agent keeps what it remembers: nowhere, for a session, or in the platform's memory store. */
export const State = z.enum(['stateless', 'session', 'durable']).meta({ id: 'State' });
export type State = z.infer<typeof State>;

/** One value, kept as an enumeration so that the wire form stays when tiers are added. */
const Sandbox = z.enum(['microvm']).meta({ id: 'Sandbox' });

/** read_write_overlay: writes are staged as patches and committed or rejected outside the sandbox. */
export const WorkspaceMode = z.enum(WORKSPACE_MODES).meta({ id: 'WorkspaceMode' });
export type WorkspaceMode = z.infer<typeof WorkspaceMode>;

export const FileType = z.enum(['text', 'code', 'document', 'data', 'image', 'audio', 'video', 'archive', 'other']).meta({ id: 'FileType' });
export type FileType = z.infer<typeof FileType>;

const strings = z.array(z.string()).default([]);
const jsonObject = z.record(z.string(), z.unknown());

const SkillPolicy = z
  .object({
    timeout_seconds: z.number().positive().nullable().default(null),
    idempotent: z.boolean().default(false),
    max_retries: z.int().min(0).default(0),
    cost_class: z.string().nullable().default(null),
    allow_scope_expansion: z.boolean().default(false),
    read_only: z.boolean().optional().meta({ description: 'Changes nothing.' }),
    destructive: z.boolean().optional().meta({ description: 'Deletes, or cannot be undone.' }),
  })
  .meta({ id: 'SkillPolicy' });
type SkillPolicy = z.infer<typeof SkillPolicy>;

export const SkillCard = z
  .object({
    id: SkillName,
    name: z.string().min(1),
    description: z.string().default(''),
    tags: strings,
    scopes: strings,
    stream: z.boolean().default(false),
    policy: SkillPolicy.prefault({}),
    input_schema: jsonObject.meta({ description: 'JSON Schema of the arguments; closed.' }),
    output_schema: jsonObject.meta({ description: 'JSON Schema of the result; {} allows anything.' }),
  })
  .meta({ id: 'SkillCard' });
export type SkillCard = z.infer<typeof SkillCard>;

export const Resources = z
  .object({
    cpu: z
      .string()
      .regex(/^(?:[1-9]\d*m|[1-9]\d*|\d+\.\d+)$/, 'use cores ("2", "0.5") or thousandths ("100m")')
      .default('100m'),
    memory: z
      .string()
      .regex(/^[1-9]\d*(?:Ki|Mi|Gi)$/, 'use Ki, Mi or Gi, e.g. "256Mi"')
      .default('256Mi'),
    gpu: z.int().min(0).default(0),
    max_runtime_seconds: z.int().positive().default(600),
  })
  .meta({ id: 'Resources' });
export type Resources = z.infer<typeof Resources>;

export const EgressPolicy = z
  .object({
    allow_hosts: strings.meta({ description: 'Host names, exact or "*.suffix".' }),
    allow_internal_services: strings,
    deny_internet_by_default: z.boolean().default(true),
  })
  .meta({ id: 'EgressPolicy' });
export type EgressPolicy = z.infer<typeof EgressPolicy>;

export const WorkspaceAccess = z
  .object({
    enabled: z.boolean().default(false),
    max_files: z.int().min(0).default(0),
    allowed_modes: z.array(WorkspaceMode).default([]),
    require_reason: z.boolean().default(true),
    deny_patterns: strings,
    require_human_approval: z.boolean().default(false),
    max_total_size_bytes: z.int().positive().default(104_857_600),
  })
  .meta({ id: 'WorkspaceAccess' });
export type WorkspaceAccess = z.infer<typeof WorkspaceAccess>;

const RuntimeDeclaration = z
  .object({
    lifecycle: Lifecycle.default('ephemeral'),
    state: State.default('stateless'),
    sandbox: Sandbox.default('microvm'),
    resources: Resources.prefault({}),
    concurrency: z.int().positive().default(1),
    egress: EgressPolicy.prefault({}),
    tools_used: strings,
  })
  .meta({ id: 'RuntimeDeclaration' });
type RuntimeDeclaration = z.infer<typeof RuntimeDeclaration>;

/** The type of the default and of set values. */
export const SETUP_TYPES = ['string', 'number', 'boolean', 'url'] as const;
const MAX_SETUP_FIELDS = 64;
/** Of all defaults together, so that they fit into a header. */
const MAX_SETUP_DEFAULTS_LENGTH = 4_000;

/** One thing a caller must, or may, give an agent before it works for them. */
export const SetupField = z
  .object({
    name: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'use a letter, then letters, digits and _ (64 at most)'),
    kind: z.enum(SETTING_KINDS).default('config').meta({ description: 'A secret is sealed and never shown again.' }),
    type: z.enum(SETUP_TYPES).default('string'),
    title: z.string().max(200).optional(),
    description: z.string().max(2000).default(''),
    required: z.boolean().default(false),
    scope: z.enum(SETTING_SCOPES).default('user').meta({ description: 'org: usually one value for a whole organization; a person may set their own.' }),
    default: z.union([z.string().max(2000), z.number(), z.boolean()]).optional(),
    inject: SetupInjection.optional(),
  })
  .refine((field) => field.default === undefined || field.kind === 'config', { path: ['default'], message: 'a secret has no default' })
  .refine((field) => field.default === undefined || setupProblem(field.type, field.default) === undefined, {
    path: ['default'],
    message: 'is not of the type of the field',
  })
  .refine((field) => field.inject === undefined || (field.kind === 'secret' && field.type === 'string'), {
    path: ['inject'],
    message: 'only a secret of type string is injected',
  })
  .meta({ id: 'SetupField' });
export type SetupField = z.infer<typeof SetupField>;

/** What is wrong with a value of such a field; undefined: nothing. */
export function setupProblem(type: (typeof SETUP_TYPES)[number], value: unknown): string | undefined {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (typeof value !== 'string' || value === '') return 'must be a text that is not empty';
  if (type === 'string') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? undefined : 'must be an address that begins with https:// or http://';
}

/** Unknown members are dropped, so that a card of a newer SDK still reads. */
export const AgentCard = z
  .object({
    name: AgentName,
    description: z.string(),
    version: Semver,
    skills: z.array(SkillCard),
    capabilities: jsonObject.default({}),
    input_modes: strings,
    output_modes: strings,
    required_secrets: strings,
    required_env: strings,
    runtime: RuntimeDeclaration.prefault({}),
    state_schema: jsonObject.nullable().default(null),
    workspace_access: WorkspaceAccess.prefault({}),
    consumer_setup: z
      .array(SetupField)
      .max(MAX_SETUP_FIELDS)
      .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'two fields have the same name')
      .refine((fields) => JSON.stringify(fields.map((field) => field.default)).length <= MAX_SETUP_DEFAULTS_LENGTH, 'the defaults are too long together')
      .optional()
      .meta({ description: 'Absent: the agent needs nothing of its callers.' }),
  })
  .meta({ id: 'AgentCard' });
export type AgentCard = z.infer<typeof AgentCard>;
