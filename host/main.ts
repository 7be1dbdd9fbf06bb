// The host as a program of the stack. SIGTERM puts every agent to sleep on disk; kill -9 leaves them running
// for the next host.
import { flushCompileCache } from 'node:module';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { currentImages } from './images/current.ts';
import { sdkFolder } from './images/images.ts';
import { checkTools } from './images/check-tools.ts';
import { ensureBoxDisk } from './box/image.ts';
import { defaultBoxes } from './box/options.ts';
import { buildEgress } from './build/registry.ts';
import { guestSocket } from '#drivers/runtime/sockets.ts';
import { createToolchains } from './build/toolchains.ts';
import { openLogger } from '#drivers/log/logger.ts';
import { keepRunning } from '#drivers/log/uncaught.ts';
import { createEngine } from './microvm/engine.ts';
import { localImages } from './microvm/images/aliases.ts';
import { makeLayer } from './microvm/images/layer.ts';
import { readEnvironment } from './environment.ts';
import { createHost } from './host.ts';
import { defaultBuild, defaultLimits, defaultSleep } from './options.ts';
import { createSandboxImages } from './sandbox/images.ts';
import { createImageStore, defaultStore } from './sandbox/oci.ts';
import { defaultSandboxes } from './sandbox/options.ts';

/** For what `npm run refresh` brought. */
const lookEveryMs = 60_000;
const env = readEnvironment(process.env);
const lines = openLogger({ part: 'host', level: env.SVC_LOG_LEVEL });
const log = (fields: Record<string, unknown>): void => lines.info(fields);
const images = await currentImages({ cacheDir: env.SVC_CACHE_DIR, stateDir: env.SVC_STATE_DIR, onProgress: (text) => log({ msg: 'images', text }) });
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
  secretsDir: env.SVC_SECRETS_DIR,
  engine: createEngine({ cacheDir: env.SVC_CACHE_DIR, images: images.now, ready: env.SVC_READY_PROCESSES }),
  base: () => images.now().base,
  makeLayer,
  tools: createToolchains(env.SVC_CACHE_DIR, env.UV_PYTHON_DOWNLOADS_JSON_URL),
  sdkDir: () => sdkFolder(env.SVC_CACHE_DIR),
  checkTools: () => checkTools(env.SVC_CACHE_DIR),
  egress: {
    controlPlane: env.SVC_CONTROL_PLANE_URL ?? env.SVC_BASE_URL,
    guestSocket: env.SVC_CONTROL_PLANE_ADDRESS ?? guestSocket(env.SVC_STATE_DIR),
    agentsDomain: env.SVC_AGENTS_DOMAIN,
    services: env.SVC_INTERNAL_SERVICES,
  },
  askNetwork: true,
  build: {
    ...defaultBuild,
    plans: env.SVC_BUILD_PLANS,
    memoryMib: env.SVC_BUILD_MEMORY_MIB,
    checkMs: env.SVC_BUILD_CHECK_SECONDS,
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
    startTimeoutMs: env.SVC_START_SECONDS ?? limits.startTimeoutMs,
    memoryBudgetMib: env.SVC_MEMORY_BUDGET_MIB ?? limits.memoryBudgetMib,
    memoryFilesMib: env.SVC_MEMORY_FILES_MIB ?? limits.memoryFilesMib,
  },
  templatesDir: env.SVC_TEMPLATES_DIR,
  prepareBuilds: env.SVC_PREPARE_BUILDS,
  sandboxes: {
    ...defaultSandboxes,
    images: createSandboxImages(() => localImages(images.now()), pulled),
    spares: env.SVC_SANDBOX_SPARES,
    prepareAfterMs: env.SVC_SANDBOX_PREPARE_SECONDS * 1_000,
  },
  boxes: {
    ...defaultBoxes,
    disk: async (say) => ensureBoxDisk(env.SVC_CACHE_DIR, await sdkFolder(env.SVC_CACHE_DIR), say),
    memoryMib: env.SVC_BOX_MEMORY_MIB,
    diskMib: env.SVC_BOX_DISK_MIB,
    suspendAfterMs: env.SVC_BOX_SUSPEND_SECONDS,
    goneAfterMs: env.SVC_BOX_GONE_SECONDS,
    egressHosts: builds.hosts,
    registry: builds.registry,
    pythonIndex: builds.pythonIndex,
    caFile: env.NODE_EXTRA_CA_CERTS ?? env.SSL_CERT_FILE,
  },
  log,
});
const looking = setInterval(() => {
  images.look().then(
    (changed) => {
      if (changed === undefined) return;
      log({ msg: 'newer_images', ...changed });
      host.prepare();
    },
    (error: unknown) => log({ msg: 'newer_images_failed', error: String(error) }),
  );
}, lookEveryMs);
keepRunning(lines);
flushCompileCache();
log({ msg: 'listening', socket: host.socketPath, build_egress: builds.hosts });

async function end(signal: string): Promise<void> {
  clearInterval(looking);
  log({ msg: 'stopping', signal });
  await host.close({ suspend: true }).catch((error: unknown) => log({ msg: 'stopping_failed', err: error }));
  process.exit(0);
}
process.once('SIGTERM', () => void end('SIGTERM'));
process.once('SIGINT', () => void end('SIGINT'));
