// What the user may set, read once from the environment, and where this clone keeps its things.
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder, repository, stateFolder } from './setup/folders.mjs';

const port = z.coerce.number().int().min(1).max(65_535);
const unlessEmpty = (value: unknown): unknown => (value === '' ? undefined : value);
const set = <T extends z.ZodType>(shape: T) => z.preprocess(unlessEmpty, shape.optional());

export const Environment = z.object({
  /** The one port of API, dashboard and agents. */
  SVC_PORT: z.preprocess(unlessEmpty, port.default(8080)),
  SVC_BASE_URL: set(z.url({ protocol: /^https?$/ })),
  SVC_AGENTS_DOMAIN: set(z.string()),
  /** A PostgreSQL of your own instead of ours. */
  DATABASE_URL: set(z.url({ protocol: /^postgres(ql)?$/ })),
  /** A Temporal of your own instead of ours, `host:port`. */
  TEMPORAL_ADDRESS: set(z.string().regex(/^[^/\s]+:\d+$/, 'must be host:port')),
  TEMPORAL_NAMESPACE: set(z.string()),
  /** An identity provider of your own instead of ours. */
  OIDC_ISSUER: set(z.url({ protocol: /^https?$/ })),
  /** Only these parts, separated by commas; you run the others yourself, say in a debugger. */
  SVC_PARTS: set(z.string().transform((text) => text.split(',').map((name) => name.trim()))),
  SVC_TEMPORAL_PORT: set(port),
  SVC_TEMPORAL_UI_PORT: set(port),
  /** Where the nightly backup goes, a folder or `s3://bucket/prefix`; absent: there is none. */
  SVC_BACKUP_TO: set(z.string()),
  /** By the machine's clock. */
  SVC_BACKUP_AT: z.preprocess(
    unlessEmpty,
    z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM')
      .default('03:00'),
  ),
  SVC_BACKUP_KEEP: z.preprocess(unlessEmpty, z.coerce.number().int().min(1).default(7)),
  /** False: the database is backed up by other means. */
  SVC_BACKUP_DATABASE: z.preprocess(unlessEmpty, z.stringbool().default(true)),
});

export interface Settings extends z.infer<typeof Environment> {
  repository: string;
  stateDir: string;
  cacheDir: string;
  /** Passed on to every part, besides what stack/environment.ts adds. */
  inherited: Record<string, string>;
}

/** Throws a sentence that names the variable at fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const parsed = Environment.safeParse(env);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not right. ${issues.join('; ')}`);
  }
  return {
    ...parsed.data,
    repository,
    stateDir: stateFolder(env),
    cacheDir: cacheFolder(env),
    inherited: Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (passesOn(name) && value !== undefined ? [[name, value]] : []))),
  };
}

/** Files and folders below the state folder, each named here only. */
export function places(stateDir: string) {
  return {
    run: join(stateDir, 'run'),
    logs: join(stateDir, 'logs'),
    secrets: join(stateDir, 'secrets'),
    ports: join(stateDir, 'ports.json'),
    postgres: join(stateDir, 'postgres'),
    postgresPassword: join(stateDir, 'secrets', 'postgres.password'),
    temporalDatabase: join(stateDir, 'temporal', 'temporal.db'),
    machines: join(stateDir, 'vm'),
    hostSocket: join(stateDir, 'run', 'host.sock'),
    workerReady: join(stateDir, 'run', 'worker.ready'),
    workerSocket: join(stateDir, 'run', 'worker.sock'),
  };
}

/** npm's own variables would make a part depend on how it was started. */
function passesOn(name: string): boolean {
  return !name.startsWith('npm_') && name !== 'INIT_CWD' && name !== 'NODE_OPTIONS';
}
