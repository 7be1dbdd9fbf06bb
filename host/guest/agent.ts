// The agent's process inside its guest: takes its identity, then loads the user's bundle and serves it on the
// channel's http service. With --preload it loads the SDK first and waits: a snapshot of that is what agents
// are started from, each clone gets its identity.
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { followClones } from '../microvm/guest/reseed.ts';
import { sdkBundle, sidecarBundle } from '../build/guest/plan.ts';
import { watchActivity, type Activity } from './activity.ts';
import { loadByCache } from './code-cache.ts';
import { guestPaths, type AgentConfig, type Identity } from './config.ts';
import { listenControl } from './control.ts';
import { listenDatabases } from './database.ts';
import { listenEgress } from './egress.ts';
import { shareCode } from './emulated.ts';
import { captureOutput, type Events, openEvents } from './events.ts';
import { packedFrontend, type Frontend } from './frontend.ts';
import { useProxy } from './proxy.ts';
import { mapStacks } from './stacks.ts';

interface Credentials {
  apiKey: string;
  secrets: Record<string, string>;
}
/** The control plane, for the run context of every call. */
interface Platform {
  url: string;
  grantKey: string;
  agentsDomain?: string;
  /** The name under which the platform knows it, where that is not the one of its card. */
  agentName?: string;
}
/**
 * What the bundle exports as `start`; made by the build from the user's class and `startAgent` of
 * `@svc/sdk/runtime`.
 */
type Start = (options: Credentials & { platform?: Platform; frontend?: Frontend }) => Promise<{
  server: Server;
  update(credentials: Credentials): void;
  shutdown(): Promise<void>;
  /** Absent in bundles of older SDKs, which do it with the first call. */
  startup?(): Promise<void>;
  /** Absent in bundles of older SDKs. */
  onHealth?(hear: (health: { ok: boolean; reason?: string }) => void): void;
  /** Absent in bundles of older SDKs. */
  activity?(): Activity;
}>;

interface Preloaded {
  events: Events;
  /** Called in every clone of a snapshot. */
  onClone(renew: () => void): void;
}

let databases: Promise<unknown> | undefined;

/** A clone may have what its snapshot had not. */
async function openDatabases({ database_port: port }: Identity): Promise<void> {
  if (port !== undefined) await (databases ??= listenDatabases(port, guestPaths.egress));
}

/**
 * Secrets go only to the agent, never into the environment, which libraries print and child programs inherit.
 */
function adopt(identity: Identity): Credentials {
  Object.assign(process.env, identity.env);
  return { apiKey: identity.api_key, secrets: identity.secrets };
}

async function preload(): Promise<Preloaded> {
  loadByCache(guestPaths.sdk);
  shareCode();
  const events = openEvents(guestPaths.events);
  let renew = (): void => undefined;
  await followClones(() => renew());
  events.send({ t: 'preloaded' });
  return { events, onClone: (then) => void (renew = then) };
}

async function bundle(app: string, { commonjs, module }: { commonjs: string; module: string }): Promise<unknown> {
  // Preloaded, the first is a link to what this process has loaded already.
  for (const name of [sdkBundle, sidecarBundle]) if (!isLink(`${app}/${name}`)) loadByCache(`${app}/${name}`);
  shareCode();
  if (existsSync(commonjs)) return createRequire(commonjs)(commonjs);
  return import(pathToFileURL(module).href);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/**
 * At the first way out instead of at start-up: loading TLS and a hundred certificates takes a second under
 * emulation.
 */
function trustMore({ ca }: AgentConfig): void {
  if (ca === undefined) return;
  const tls = process.getBuiltinModule('node:tls');
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ca]);
}

/** Programs of other languages trust by a file; Node by trustMore. */
function tellWorkers(config: AgentConfig): void {
  if (config.ca === undefined || !existsSync(`${config.app}/.svc/agent.dsl.json`)) return;
  writeFileSync(guestPaths.workersCa, `${readFileSync(guestPaths.systemCa, 'utf8')}\n${config.ca}`);
  Object.assign(process.env, { SSL_CERT_FILE: guestPaths.workersCa, REQUESTS_CA_BUNDLE: guestPaths.workersCa });
}

async function load(config: AgentConfig, preloaded: Preloaded | undefined): Promise<void> {
  useProxy(config.proxy_env);
  let credentials = adopt(config);
  process.chdir(config.app);
  const files = { commonjs: `${config.bundle}.cjs`, module: `${config.bundle}.mjs` };
  mapStacks(existsSync(files.commonjs) ? files.commonjs : files.module);
  const events = (opened = preloaded?.events ?? openEvents(config.events));
  captureOutput(process.stdout, 'stdout', events);
  captureOutput(process.stderr, 'stderr', events);
  tellWorkers(config);
  await listenEgress(config.egress_port, config.egress, () => trustMore(config));
  await openDatabases(config);
  const url = config.env['SVC_CP_URL'];
  const agentsDomain = config.env['SVC_AGENTS_DOMAIN'];
  const agentName = config.env['SVC_AGENT_NAME'];
  const platform =
    url === undefined ? {} : { platform: { url, grantKey: config.grant_key, ...(agentsDomain && { agentsDomain }), ...(agentName && { agentName }) } };
  const frontend = packedFrontend(config.app, url);
  const agent = await asBundle(await bundle(config.app, files)).start({ ...credentials, ...platform, ...(frontend && { frontend }) });
  agent.onHealth?.(({ ok, reason = '' }) => events.keep({ t: 'health', ok, reason }));
  const activity = watchActivity(agent.server, events, agent.activity);
  const configure = async (identity: Identity): Promise<void> => {
    await openDatabases(identity);
    credentials = adopt(identity);
    agent.update(credentials);
  };
  // From here on a snapshot may be taken: every clone of it forgets the random numbers it would share with
  // the others.
  const renew = (): void => agent.update(credentials);
  if (preloaded) preloaded.onClone(renew);
  else if (existsSync(guestPaths.cloneGuard)) await followClones(renew);
  const startup = async (): Promise<void> => {
    try {
      await agent.startup?.();
    } catch (error) {
      // What it logged is heard before it is said to have failed.
      await events.flushed(500);
      throw error;
    }
  };
  const shutdown = async (): Promise<void> => {
    await agent.shutdown();
    await events.flushed(500);
    setTimeout(() => process.exit(0), 20);
  };
  await listenControl(config.control, { configure, startup, shutdown, working: () => activity().working });
  process.once('SIGTERM', () => void shutdown().catch(() => process.exit(1)));
  await rm(config.http, { force: true });
  await new Promise<void>((resolve, reject) => {
    agent.server.once('error', reject);
    agent.server.listen(config.http, resolve);
  });
  events.keep({ t: 'ready' });
}

/** The host wrote it (LinkOptions → AgentConfig), over a private pipe. */
function fromHost(text: string): AgentConfig {
  return JSON.parse(text) as AgentConfig;
}

/**
 * The build makes this module; a bundle that was tampered with fails at the first use, inside its own guest.
 */
const asBundle = (module: unknown): { start: Start } => module as { start: Start };

let opened: Events | undefined;

async function main(): Promise<void> {
  const preloaded = process.argv.includes('--preload') ? await preload() : undefined;
  await load(fromHost(preloaded ? await text(process.stdin) : readFileSync(0, 'utf8')), preloaded);
}

main().catch(async (error: unknown) => {
  console.error(error);
  opened?.send({ t: 'failed', message: error instanceof Error ? error.message : String(error) });
  await opened?.flushed(2_000);
  process.exit(1);
});
