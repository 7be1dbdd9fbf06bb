// `svc run`: the agent on this machine until a signal ends it; a changed file brings up the new code beside the old, which goes when the new is well.
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { Entrypoint } from '../../contract/wire/names.ts';
import { UsageError } from '../errors.ts';
import { openFront } from './front.ts';
import { packedOf } from './frontend.ts';
import { retire, serveProject, type Serving } from './load.ts';
import { ProjectError } from './problem.ts';
import { answerQuestions, type Terminal } from './questions.ts';
import { findEntry } from './read.ts';
import { watchProject } from './watch.ts';

export interface RunOptions {
  folder: string;
  entrypoint: string;
  host: string;
  port: number;
  /** Callers need a key. */
  keyed: boolean;
  /** Take changed files up. */
  reload: boolean;
}

export interface RunStreams {
  out: Writable;
  err: Writable;
  /** Where questions of skills are put. */
  terminal: Terminal;
}

/** The exit code: of a signal's orderly end 0, else the agent's. @throws ProjectError, UsageError */
export async function runProject(options: RunOptions, { out, err, terminal }: RunStreams): Promise<number> {
  const entrypoint = Entrypoint.safeParse(options.entrypoint);
  if (!entrypoint.success) throw new UsageError(`--entrypoint: ${entrypoint.error.issues[0]?.message}`);
  const folder = resolve(options.folder);
  findEntry(folder, entrypoint.data);
  const front = await openFront(options);
  const anywhere = options.host === '0.0.0.0' || options.host === '::';
  const url = `http://${anywhere ? 'localhost' : options.host}:${front.port}`;
  const say = (text: string): void => void err.write(text);
  const bringUp = async (): Promise<Serving> =>
    await serveProject(folder, findEntry(folder, entrypoint.data), { url, frontend: await packedOf(folder, say), say });

  const { promise: over, resolve: end } = Promise.withResolvers<number>();
  const signal = (): void => end(0);
  process.on('SIGINT', signal).on('SIGTERM', signal);
  const hearQuestions = answerQuestions(terminal, url);
  let serving: Serving | undefined;
  const use = (next: Serving): void => {
    const before = serving;
    serving = next;
    hearQuestions(next.child);
    front.leadTo(next.child);
    if (before) void retire(before);
    next.child.once('exit', (code) => {
      if (serving !== next) return;
      if (options.reload) err.write(`The agent's process ended (${code ?? 'by a signal'}); it starts again with the next change\n`);
      else end(code ?? 1);
    });
  };
  const watcher = options.reload ? watchProject(folder, oneAtATime(take)) : undefined;

  async function take(paths: readonly string[]): Promise<void> {
    const files = `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ' …' : ''}`;
    try {
      use(await bringUp());
      out.write(`reloaded (${files})\n`);
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      err.write(`${error.message}\nnot reloaded (${files}); the code before goes on serving\n`);
    }
  }

  try {
    use(await bringUp());
    greet(out, serving, url, anywhere && !options.keyed);
    return await over;
  } finally {
    watcher?.close();
    process.off('SIGINT', signal).off('SIGTERM', signal);
    front.close();
    if (serving) await retire(serving);
  }
}

function greet(out: Writable, serving: Serving | undefined, url: string, open: boolean): void {
  if (!serving) return;
  const { card } = serving;
  const [first] = card.skills;
  out.write(`${card.name} ${card.version} serves ${url} (stop with Ctrl-C)\n`);
  if (open) out.write('  anyone who reaches this machine may call it: set SVC_API_KEY, or use --host 127.0.0.1\n');
  if (first) out.write(`  curl -X POST ${url}/invoke/${first.id} -H 'content-type: application/json' -d '{…}'\n`);
}

/** Changes during a change are taken up after it, together. */
function oneAtATime(work: (paths: readonly string[]) => Promise<void>): (paths: readonly string[]) => void {
  let busy = false;
  const next = new Set<string>();
  const run = async (): Promise<void> => {
    busy = true;
    while (next.size > 0) {
      const paths = [...next];
      next.clear();
      await work(paths);
    }
    busy = false;
  };
  return (paths) => {
    for (const path of paths) next.add(path);
    if (!busy) void run();
  };
}
