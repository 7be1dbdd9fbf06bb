// The host as a program of the stack. SIGTERM puts every agent to sleep on disk; kill -9 leaves them running for the next host.
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runtimeImages, sdkFolder } from '../images.ts';
import { BuildPlans } from '../build/plans.ts';
import { buildEgress } from '../build/registry.ts';
import { guestDoor } from '../egress/door.ts';
import { createToolchains } from '../build/toolchains.ts';
import { openLogger } from '../../log/logger.ts';
import { keepRunning } from '../../log/uncaught.ts';
import { createEngine } from '../../microvm/engine.ts';
import { localImages } from '../../microvm/images/aliases.ts';
import { makeLayer } from '../../microvm/images/layer.ts';
import { createHost } from './host.ts';
import { defaultBuild, defaultLimits, defaultSleep } from './options.ts';
import { createSandboxImages } from './sandbox/images.ts';
import { createImageStore, defaultStore } from './sandbox/oci.ts';
import { defaultSandboxes } from './sandbox/options.ts';

const seconds = z.coerce
  .number()
  .positive()
  .transform((value) => value * 1_000);
const mib = z.coerce.number().int().positive();

const Environment = z.object({
  SVC_STATE_DIR: z.string().min(1),
  SVC_CACHE_DIR: z.string().min(1),
  /** Base URL of the control plane as agents know it. */
  SVC_CONTROL_PLANE_URL: z.url().optional(),
  SVC_BASE_URL: z.url().optional(),
  /** Where the control plane takes guests in: host:port or a socket's path; default: its socket in the state folder. */
  SVC_CONTROL_PLANE_ADDRESS: z.string().optional(),
  /** What follows `<agent>.` in agents' addresses: `localhost:8080`. */
  SVC_AGENTS_DOMAIN: z.string().optional(),
  /** JSON: internal service name → host:port. */
  SVC_INTERNAL_SERVICES: z
    .string()
    .default('{}')
    .transform((text) => z.record(z.string(), z.string()).parse(JSON.parse(text))),
  /** Hosts (or registry URLs) that builds may reach, separated by commas; default: what npm and pip are configured with. */
  SVC_BUILD_EGRESS: z.string().optional(),
  /** JSON: what builds may take, by plan; see drivers/runtime/build/plans.ts. */
  SVC_BUILD_PLANS: z
    .string()
    .default('{}')
    .transform((text) => BuildPlans.parse(JSON.parse(text))),
  /** The machine that TypeScript is built in is made at start-up, before the first build asks for it. */
  SVC_PREPARE_BUILDS: z.stringbool().default(true),
  SVC_PAUSE_AFTER_SECONDS: seconds.default(defaultSleep.pauseAfterMs),
  /** Where a run waits for a person; never later than the others. */
  SVC_PAUSE_WAITING_AFTER_SECONDS: seconds.default(defaultSleep.pauseWaitingAfterMs),
  SVC_SUSPEND_AFTER_SECONDS: seconds.default(defaultSleep.suspendAfterMs),
  /** Machines kept ready for sandboxes. */
  SVC_SANDBOX_SPARES: z.coerce.number().int().min(0).max(16).default(defaultSandboxes.spares),
  SVC_SANDBOX_PREPARE_SECONDS: z.coerce
    .number()
    .min(0)
    .default(defaultSandboxes.prepareAfterMs / 1_000),
  /** Registries that sandboxes' images may come from, separated by commas; one without TLS begins with http://. */
  SVC_SANDBOX_REGISTRIES: z.string().default(defaultStore.registries.join(',')),
  SVC_MEMORY_BUDGET_MIB: mib.optional(),
  SVC_MEMORY_FILES_MIB: mib.optional(),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  SSL_CERT_FILE: z.string().optional(),
});

const env = Environment.parse(process.env);
const lines = openLogger({ part: 'host' });
const log = (fields: Record<string, unknown>): void => lines.info(fields);
const images = await runtimeImages({ cacheDir: env.SVC_CACHE_DIR, onProgress: (text) => log({ msg: 'images', text }) });
const builds = await buildEgress(env.SVC_BUILD_EGRESS);
const limits = defaultLimits(Math.floor(totalmem() / 1_048_576));

const registries = env.SVC_SANDBOX_REGISTRIES.split(',').map((name) => name.trim()).filter((name) => name !== ''); // prettier-ignore
const pulled = createImageStore({
  ...defaultStore,
  dir: join(env.SVC_CACHE_DIR, 'oci'),
  registries: registries.map((name) => name.replace(/^https?:\/\//, '')),
  plainRegistries: registries.filter((name) => name.startsWith('http://')).map((name) => name.slice('http://'.length)),
  log,
});

const host = await createHost({
  stateDir: env.SVC_STATE_DIR,
  cacheDir: env.SVC_CACHE_DIR,
  engine: createEngine({ cacheDir: env.SVC_CACHE_DIR, images }),
  base: images.base,
  makeLayer,
  tools: createToolchains(env.SVC_CACHE_DIR),
  sdkDir: () => sdkFolder(env.SVC_CACHE_DIR),
  egress: {
    controlPlane: env.SVC_CONTROL_PLANE_URL ?? env.SVC_BASE_URL,
    guestDoor: env.SVC_CONTROL_PLANE_ADDRESS ?? guestDoor(env.SVC_STATE_DIR),
    agentsDomain: env.SVC_AGENTS_DOMAIN,
    services: env.SVC_INTERNAL_SERVICES,
  },
  build: {
    ...defaultBuild,
    plans: env.SVC_BUILD_PLANS,
    registry: builds.registry,
    pythonIndex: builds.pythonIndex,
    egressHosts: builds.hosts,
    caFile: env.NODE_EXTRA_CA_CERTS ?? env.SSL_CERT_FILE,
  },
  sleep: {
    ...defaultSleep,
    pauseAfterMs: env.SVC_PAUSE_AFTER_SECONDS,
    pauseWaitingAfterMs: Math.min(env.SVC_PAUSE_WAITING_AFTER_SECONDS, env.SVC_PAUSE_AFTER_SECONDS),
    suspendAfterMs: env.SVC_SUSPEND_AFTER_SECONDS,
  },
  limits: {
    ...limits,
    memoryBudgetMib: env.SVC_MEMORY_BUDGET_MIB ?? limits.memoryBudgetMib,
    memoryFilesMib: env.SVC_MEMORY_FILES_MIB ?? limits.memoryFilesMib,
  },
  prepareBuilds: env.SVC_PREPARE_BUILDS,
  sandboxes: {
    ...defaultSandboxes,
    images: createSandboxImages(localImages(images), pulled),
    spares: env.SVC_SANDBOX_SPARES,
    prepareAfterMs: env.SVC_SANDBOX_PREPARE_SECONDS * 1_000,
  },
  log,
});
keepRunning(lines);
log({ msg: 'listening', socket: host.socketPath, build_egress: builds.hosts });

async function end(signal: string): Promise<void> {
  log({ msg: 'stopping', signal });
  await host.close({ suspend: true }).catch((error: unknown) => log({ msg: 'stopping_failed', err: error }));
  process.exit(0);
}
process.once('SIGTERM', () => void end('SIGTERM'));
process.once('SIGINT', () => void end('SIGINT'));
