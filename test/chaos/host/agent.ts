// An agent as a plain process, for trials that end it hundreds of times: the same runtime that runs in a
// machine, without the machine.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { registerProjectHooks } from '#sdk/typescript/dev/hooks.ts';
import { controlPlane, startAgent } from '#sdk/typescript/runtime.ts';
import type { AgentSource } from '#sdk/typescript/runtime.ts';
import { StartBody } from '#drivers/runtime/wire.ts';

const Config = z.object({ app: z.string(), socket: z.string(), entrypoint: z.string(), start: StartBody });
const { app, socket, entrypoint, start } = Config.parse(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));

/** Agents call one another at `<name>.localhost`, which the C library does not know. */
function knowLocalNames(): void {
  const dns: { lookup: (...args: unknown[]) => unknown } = createRequire(import.meta.url)('node:dns');
  const { lookup } = dns;
  dns.lookup = (name, ...rest) => lookup(typeof name === 'string' && name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest);
}

// Safe: the author's class; anything else fails at its first use, in this process alone.
function asSource(module: unknown, name: string): AgentSource {
  return (module as Record<string, unknown>)[name] as AgentSource;
}

knowLocalNames();
registerProjectHooks();
Object.assign(process.env, start.env);
const [file = '', className = ''] = entrypoint.split(':');
const module: unknown = await import(pathToFileURL(join(app, `${file}.ts`)).href);
const { SVC_CP_URL: url = '', SVC_AGENTS_DOMAIN: agentsDomain } = start.env;
const agent = await startAgent(asSource(module, className), {
  apiKey: start.api_key,
  secrets: start.secrets,
  platform: controlPlane({ url, grantKey: start.grant_key, agentsDomain }),
  listen: { path: socket },
});
process.once('SIGTERM', () => void agent.shutdown().finally(() => process.exit(0)));
