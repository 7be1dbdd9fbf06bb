// svc.yaml, the project manifest. Reading YAML is the caller's; this checks what it says.
import { z } from 'zod';
import type { CodesAmong } from '../errors/index.ts';
import { FRONTEND_AUTHS, FRONTEND_MODES, UPDATE_POLICIES } from '../states.ts';
import { DatabaseDeclarations } from './database.ts';
import { Endpoints } from './endpoints.ts';
import { NODES, PYTHONS } from './language-version.ts';
import { closest } from './nearest.ts';
import { MailboxDeclaration } from './mail.ts';
import { ModelUse } from './model-use.ts';
import { AgentName, Entrypoint, Semver } from './names.ts';
import { AllowedOrigins } from './origins.ts';
import { ServiceDeclaration } from './service.ts';

/** First segments of what an agent's runtime serves. */
const TAKEN = new Set(['invoke', 'mcp', 'a2a', 'ag-ui', 'healthz', 'artifacts', 'answers', 'scope-grants', 'runs', 'tasks', 'v1']);

export const Frontend = z.strictObject({
  path: z.string().min(1).default('frontend'),
  build: z.string().min(1).default('npm run build'),
  dist: z.string().min(1).default('dist'),
  mount: z
    .string()
    .regex(/^\/[A-Za-z0-9_\-/]*$/, 'start with "/"')
    .refine((mount) => !mount.includes('//'), 'write each "/" once')
    .refine((mount) => !TAKEN.has(mount.split('/')[1] ?? ''), 'the agent itself serves paths that begin so: choose another, e.g. "/app"')
    .default('/app'),
  auth: z.enum(FRONTEND_AUTHS).default('inherit'),
  /** Absent: static. */
  mode: z.enum(FRONTEND_MODES).optional(),
});
export type Frontend = z.infer<typeof Frontend>;

/**
 * What an agent uses beside itself. `svc chat` brings it up on an author's machine; deployed, the platform
 * gives the databases.
 */
export const LocalResources = z
  .strictObject({
    database: z
      .enum(['postgres'])
      .optional()
      .meta({ description: 'A relational database; its address in DATABASE_URL. Deployed: one with the name of the agent.' }),
    databases: DatabaseDeclarations.optional().meta({ description: 'Databases of the account, each in its own variable.' }),
    vector_store: z.enum(['qdrant', 'pgvector']).optional().meta({ description: 'A vector store; its address in VECTOR_STORE_URL.' }),
  })
  .refine(({ database, databases }) => database === undefined || !databases?.some(({ variable }) => variable === 'DATABASE_URL'), {
    path: ['databases'],
    message: 'resources.database is DATABASE_URL already: leave it out, or name another variable',
  });
export type LocalResources = z.infer<typeof LocalResources>;

/**
 * Only accounts may call the agent. The platform funds the first calls of each, then they need a model
 * credential of their own.
 */
const AccountAccess = z.strictObject({ required: z.boolean() });
type AccountAccess = z.infer<typeof AccountAccess>;

/** What is kept of the spans that the agent exports. */
const Traces = z.strictObject({
  content: z.boolean().default(false).meta({ description: 'Attributes with what people and models said are kept too: who may read a run reads them.' }),
});

/** Opt-in: the platform repairs the agent when its calls fail by its own fault. */
export const SelfHealing = z.strictObject({
  enabled: z.boolean().default(true),
  consecutive_failures: z.int().min(1).max(10).default(1),
  window_seconds: z.int().min(30).max(3_600).default(300),
  cooldown_seconds: z.int().min(60).max(86_400).default(900),
  max_repairs_per_day: z.int().min(1).max(20).default(3),
  deployment_timeout_seconds: z.int().min(60).max(7_200).default(1_800),
  require_tests: z.boolean().default(true),
});
export type SelfHealing = z.infer<typeof SelfHealing>;

/** Which template a project began with; svc init writes it. */
export const TemplateLineage = z.strictObject({
  ref: z.string().regex(/^[a-z][a-z0-9-]{0,40}(?:\+[a-z][a-z0-9-]{0,40})?$/, 'is not the name of a template'),
  version: Semver,
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'is not a digest: sha256: and 64 hexadecimal digits'),
  /** What the template wrote the description and the class from. */
  description: z.string().max(2_000).default(''),
  update_policy: z.enum(UPDATE_POLICIES).default('notify'),
  channel: z.enum(['stable']).default('stable'),
});
export type TemplateLineage = z.infer<typeof TemplateLineage>;

const version = (example: string, known: readonly string[]): string => `use one of ${known.join(', ')}, in quotes: "${example}"`;

export const Manifest = z
  .strictObject({
    name: AgentName,
    version: Semver,
    entrypoint: Entrypoint,
    expose: z.strictObject({ public: z.boolean().optional(), allowed_origins: AllowedOrigins.optional() }).optional(),
    frontend: Frontend.optional(),
    resources: LocalResources.optional(),
    endpoints: Endpoints.optional(),
    account_access: AccountAccess.optional(),
    self_healing: SelfHealing.optional(),
    template: TemplateLineage.optional(),
    mailbox: MailboxDeclaration.optional(),
    models: ModelUse.optional(),
    traces: Traces.optional(),
    service: ServiceDeclaration.optional(),
    python: z
      .enum(PYTHONS, version('3.12', PYTHONS))
      .optional()
      .meta({ description: 'The Python that the agent runs on; absent: as its own files say, else the first.' }),
    node: z
      .enum(NODES, version('26', NODES))
      .optional()
      .meta({ description: 'The Node that the agent runs on; absent: as its own files say, else the first.' }),
  })
  .meta({ id: 'Manifest' });
export type Manifest = z.infer<typeof Manifest>;

/** A Node application is loaded by the runtime itself. */
export const SERVICE_OF_NODE =
  'service: is for programs in Python, Go and Rust; a Node application becomes an agent by fromExpress of @svc/sdk/adapters/express, with its description as `openapi`';

export type ManifestIssue = { path: (string | number)[]; message: string };

/** svc.yaml does not say what it must; `issues` name each place. */
export class ManifestError extends Error {
  readonly code: CodesAmong<'manifest_invalid' | 'listing_declaration_invalid'> = 'manifest_invalid';
  readonly issues: readonly ManifestIssue[];
  constructor(issues: readonly ManifestIssue[]) {
    super(issues.map((issue) => `svc.yaml: ${issue.path.join('.') || '(top)'}: ${issue.message}`).join('\n'));
    this.name = 'ManifestError';
    this.issues = issues;
  }
}

/**
 * `expose.public` decides who sees an agent, so nothing but true or false is taken for it: not "yes", not
 * "false" in quotes.
 */
export class ListingDeclarationError extends ManifestError {
  override readonly code = 'listing_declaration_invalid';
  constructor(value: unknown) {
    const seen = JSON.stringify(value) ?? typeof value;
    super([{ path: ['expose', 'public'], message: `write true or false without quotes, or remove the key; it is ${seen}` }]);
    this.name = 'ListingDeclarationError';
  }
}

function remedyOf(key: string, known: readonly string[]): string {
  const meant = closest(key, known);
  return meant === undefined ? 'remove it or mend its name' : `did you mean ${meant}?`;
}

/** @throws ListingDeclarationError, ManifestError */
export function parseManifest(value: unknown): Manifest {
  checkListing(value);
  const parsed = Manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ManifestError(
    parsed.error.issues.flatMap((issue) => {
      const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `unknown key: ${remedyOf(key, path.length === 0 ? Object.keys(Manifest.shape) : [])}`,
      }));
    }),
  );
}

function checkListing(value: unknown): void {
  if (typeof value !== 'object' || value === null || !('expose' in value)) return;
  const { expose } = value;
  if (typeof expose !== 'object' || expose === null || !('public' in expose)) return;
  if (typeof expose.public !== 'boolean') throw new ListingDeclarationError(expose.public);
}

/** Of a manifest as it is stored. Undefined: it names none. */
export function declaredOrigins(manifest: unknown): string[] | undefined {
  return z.object({ expose: z.object({ allowed_origins: AllowedOrigins }) }).safeParse(manifest).data?.expose.allowed_origins;
}
