// The agent's process inside its guest: takes its identity, then loads the user's bundle and serves it on the channel's http service.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { watchActivity } from './activity.ts';
import { AgentConfig, type Identity } from './config.ts';
import { listenControl } from './control.ts';
import { listenEgress } from './egress.ts';
import { captureOutput, openEvents } from './events.ts';

/** What the bundle gets. The accessors answer with the newest identity: a clone is given another one before it sees traffic. */
export interface StartOptions {
  readonly apiKey: string;
  readonly secrets: Readonly<Record<string, string>>;
}
/** What `/app/svc-agent.mjs` exports as `start`; made by the build from the user's class and `@svc/sdk/runtime`. */
export type Start = (options: StartOptions) => Promise<{ server: Server; shutdown(): Promise<void> }>;

const config = AgentConfig.parse(JSON.parse(readFileSync(0, 'utf8')));
const secrets: Record<string, string> = {};
const current = { apiKey: '' };
const options: StartOptions = {
  get apiKey() {
    return current.apiKey;
  },
  secrets,
};

function adopt(identity: Identity): void {
  Object.assign(process.env, identity.env, { SVC_API_KEY: identity.api_key });
  current.apiKey = identity.api_key;
  for (const name of Object.keys(secrets)) delete secrets[name];
  Object.assign(secrets, identity.secrets);
}

adopt(config);
process.chdir(config.app);
const events = openEvents(config.events);
captureOutput(process.stdout, 'stdout', events);
captureOutput(process.stderr, 'stderr', events);

async function load(): Promise<void> {
  await listenEgress(config.egress_port, config.egress);
  const module = asBundle(await import(pathToFileURL(config.bundle).href));
  const agent = await module.start(options);
  watchActivity(agent.server, events);
  const shutdown = async (): Promise<void> => {
    await agent.shutdown();
    await events.flushed(500);
    setTimeout(() => process.exit(0), 20);
  };
  await listenControl(config.control, { configure: adopt, shutdown });
  process.once('SIGTERM', () => void shutdown().catch(() => process.exit(1)));
  await rm(config.http, { force: true });
  await new Promise<void>((resolve, reject) => {
    agent.server.once('error', reject);
    agent.server.listen(config.http, resolve);
  });
  events.keep({ t: 'ready' });
}

/** The build makes this module; a bundle that was tampered with fails at the first use, inside its own guest. */
const asBundle = (module: unknown): { start: Start } => module as { start: Start };

load().catch(async (error: unknown) => {
  console.error(error);
  events.send({ t: 'failed', message: error instanceof Error ? error.message : String(error) });
  await events.flushed(2_000);
  process.exit(1);
});
