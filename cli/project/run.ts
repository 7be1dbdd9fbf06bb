// `svc run`: the agent on this machine until a signal ends it.
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { Entrypoint } from '../../contract/wire/names.ts';
import { UsageError } from '../errors.ts';
import { serveProject } from './load.ts';
import { findEntry } from './read.ts';
import { linkSdk } from './sdk.ts';

export interface RunOptions {
  folder: string;
  entrypoint: string;
  host: string;
  port: number;
  /** Callers need a key. */
  keyed: boolean;
}

/** The exit code of the agent's process. @throws ProjectError, UsageError */
export async function runProject(options: RunOptions, out: Writable): Promise<number> {
  const entrypoint = Entrypoint.safeParse(options.entrypoint);
  if (!entrypoint.success) throw new UsageError(`--entrypoint: ${entrypoint.error.issues[0]?.message}`);
  const folder = resolve(options.folder);
  const entry = findEntry(folder, entrypoint.data);
  await linkSdk(folder);
  const { card, port, child } = await serveProject(folder, entry, options);
  // A terminal sends its signal to both; a supervisor to this process only.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  try {
    const ended = new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)));
    const anywhere = options.host === '0.0.0.0' || options.host === '::';
    const url = `http://${anywhere ? 'localhost' : options.host}:${port}`;
    const [first] = card.skills;
    out.write(`${card.name} ${card.version} serves ${url} (stop with Ctrl-C)\n`);
    if (anywhere && !options.keyed) out.write('  anyone who reaches this machine may call it: set SVC_API_KEY, or use --host 127.0.0.1\n');
    if (first) out.write(`  curl -X POST ${url}/invoke/${first.id} -H 'content-type: application/json' -d '{…}'\n`);
    return await ended;
  } finally {
    process.off('SIGINT', pass).off('SIGTERM', pass);
  }
}
