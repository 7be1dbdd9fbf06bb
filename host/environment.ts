// The host's environment, read once.
import { z } from 'zod';
import { BuildPlans } from './build/plans.ts';
import { defaultBoxes } from './box/options.ts';
import { defaultBuild, defaultReadyProcesses, defaultSleep } from './options.ts';
import { defaultStore } from './sandbox/oci.ts';
import { defaultSandboxes } from './sandbox/options.ts';
import { LOG_LEVELS } from '#contract/states.ts';

const positive = z.coerce.number().positive();
const toMs = (value: number): number => value * 1_000;
const seconds = positive.transform(toMs);
const mib = z.coerce.number().int().positive();
const json = z
  .string()
  .default('{}')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
  });

export const Environment = z.object({
  SVC_STATE_DIR: z.string().min(1),
  SVC_CACHE_DIR: z.string().min(1),
  /** Where the host's own key is; default: `secrets` in the state folder. */
  SVC_SECRETS_DIR: z.string().min(1).optional(),
  /** Base URL of the control plane as agents know it. */
  SVC_CONTROL_PLANE_URL: z.url().optional(),
  SVC_BASE_URL: z.url().optional(),
  /**
   * Where the API takes requests of guests: host:port or a socket's path; default: the guest socket in the
   * state folder.
   */
  SVC_CONTROL_PLANE_ADDRESS: z.string().optional(),
  /** What follows `<agent>.` in agents' addresses: `localhost:8080`. */
  SVC_AGENTS_DOMAIN: z.string().optional(),
  /** JSON: internal service name → host:port. */
  SVC_INTERNAL_SERVICES: json.pipe(z.record(z.string(), z.string())),
  /**
   * Hosts (or registry URLs) that builds may reach, separated by commas; default: what npm and pip are
   * configured with.
   */
  SVC_BUILD_EGRESS: z.string().optional(),
  /**
   * uv's own, which reads both: another place of its Pythons, and another list of them, by which what it
   * fetched is kept.
   */
  UV_PYTHON_INSTALL_MIRROR: z.string().min(1).optional(),
  UV_PYTHON_DOWNLOADS_JSON_URL: z.string().min(1).optional(),
  /** JSON: what builds may take, by plan; see host/build/plans.ts. */
  SVC_BUILD_PLANS: json.pipe(BuildPlans),
  /** Of a machine that a build runs in. */
  SVC_BUILD_MEMORY_MIB: mib.min(256).default(defaultBuild.memoryMib),
  /** Of a project's tests, and of the check of its types. */
  SVC_BUILD_CHECK_SECONDS: seconds.default(defaultBuild.checkMs),
  /** The machine that TypeScript is built in is made at start-up, before the first build asks for it. */
  SVC_PREPARE_BUILDS: z.stringbool().default(true),
  /** Where hosts share those snapshots; default: `template` in the cache folder. */
  SVC_TEMPLATES_DIR: z.string().min(1).optional(),
  /** From boot to the first healthy answer: a large framework takes minutes to load under emulation. */
  SVC_START_SECONDS: positive.max(3_600).transform(toMs).optional(),
  SVC_PAUSE_AFTER_SECONDS: seconds.default(defaultSleep.pauseAfterMs),
  /** Where a run waits for a person; never later than the others. */
  SVC_PAUSE_WAITING_AFTER_SECONDS: seconds.default(defaultSleep.pauseWaitingAfterMs),
  SVC_SUSPEND_AFTER_SECONDS: seconds.default(defaultSleep.suspendAfterMs),
  /** Suspended agents that have a process waiting for their wake: those that were suspended last. */
  SVC_READY_PROCESSES: z.coerce.number().int().min(0).max(1_024).default(defaultReadyProcesses),
  /** Machines kept ready for sandboxes. */
  SVC_SANDBOX_SPARES: z.coerce.number().int().min(0).max(16).default(defaultSandboxes.spares),
  SVC_SANDBOX_PREPARE_SECONDS: z.coerce
    .number()
    .min(0)
    .default(defaultSandboxes.prepareAfterMs / 1_000),
  /**
   * Registries that sandboxes' images may come from, separated by commas; one without TLS starts with
   * http://.
   */
  SVC_SANDBOX_REGISTRIES: z.string().default(defaultStore.registries.join(',')),
  /** Memory of a dev box. */
  SVC_BOX_MEMORY_MIB: mib.min(512).default(defaultBoxes.memoryMib),
  /** Largest that the files of one dev box may become. */
  SVC_BOX_DISK_MIB: mib.min(256).default(defaultBoxes.diskMib),
  /** A dev box without connections is suspended after this time. */
  SVC_BOX_SUSPEND_SECONDS: seconds.default(defaultBoxes.suspendAfterMs),
  /** And has no machine after so long; its files stay. */
  SVC_BOX_GONE_SECONDS: seconds.default(defaultBoxes.goneAfterMs),
  SVC_MEMORY_BUDGET_MIB: mib.optional(),
  SVC_MEMORY_FILES_MIB: mib.optional(),
  SVC_LOG_LEVEL: z.enum([...LOG_LEVELS, 'silent']).default('info'),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  SSL_CERT_FILE: z.string().optional(),
});

/** Throws an error that names every missing or wrong variable. */
export function readEnvironment(env: NodeJS.ProcessEnv): z.infer<typeof Environment> {
  const parsed = Environment.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new Error(`The host's environment is not complete:\n${z.prettifyError(parsed.error)}\nnpm run up sets it`);
}
