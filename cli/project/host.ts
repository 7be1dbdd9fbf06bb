// A project served on this machine: a changed file brings up the new code beside the old, which goes when the
// new is well.
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { AgentCard } from '#contract/wire/card.ts';
import { Entrypoint } from '#contract/wire/names.ts';
import { UsageError } from '../lib/errors.ts';
import { openFront } from './front.ts';
import { packedOf } from './frontend.ts';
import { retire, serveProject, type Serving } from './load.ts';
import { ProjectError } from './problem.ts';
import { findEntry } from './read.ts';
import { oneAtATime, watchProject } from './watch.ts';

export interface HostOptions {
  folder: string;
  entrypoint: string;
  host: string;
  port: number;
  /** Take changed files up. */
  reload: boolean;
  /** False: the caller says what has changed, by `take`. Default: as `reload`. */
  watch?: boolean;
  /** Folder that stands for the caller's workspace. */
  workspace?: string | undefined;
  /** Of the agent's process; default: this one's. */
  env?: NodeJS.ProcessEnv;
  /**
   * Changed code is loaded into the process that serves, without what it was: at once, where a process takes
   * long to start. Its timers continue. Default: where the agent's handlers run in a worker that can.
   */
  inPlace?: boolean;
  /** Traces whole. */
  verbose?: boolean | undefined;
  /** How long the agent's module may take to load; default 30 s. */
  loadMs?: number;
  /** Gets events: reloaded code, and the output of the agent's module. */
  note: (text: string) => void;
  complain: (text: string) => void;
  /** Called for each process that starts to serve. */
  onProcess?: (child: ChildProcess, url: string) => void;
}

export interface Hosted {
  url: string;
  /** Of what serves now. */
  card: () => AgentCard;
  /** The exit code of an agent that ended itself; never during a reload. */
  over: Promise<number>;
  /**
   * Loads the current code. False: it does not start, and the previous code keeps serving. `anew`: always in
   * another process.
   */
  take: (paths: readonly string[], options?: { anew: boolean }) => Promise<boolean>;
  close: () => Promise<void>;
}

/** @throws ProjectError, UsageError */
export async function hostProject(options: HostOptions): Promise<Hosted> {
  const { note, complain } = options;
  const entrypoint = Entrypoint.safeParse(options.entrypoint);
  if (!entrypoint.success) throw new UsageError(`--entrypoint: ${entrypoint.error.issues[0]?.message}`);
  const folder = resolve(options.folder);
  const { language } = findEntry(folder, entrypoint.data);
  // A worker that loads changed code is in a process of its own in any case.
  const inPlace = options.inPlace ?? (options.reload && language === 'python');
  const front = await openFront(options);
  const url = `http://${isAnywhere(options.host) ? 'localhost' : options.host}:${front.port}`;
  const bringUp = async (into?: ChildProcess): Promise<Serving> => {
    const { workspace, env = process.env, loadMs, verbose } = options;
    return await serveProject(folder, findEntry(folder, entrypoint.data), {
      url,
      workspace,
      env,
      frontend: await packedOf(folder, complain),
      say: (text, kind) => void (kind === undefined && complain(text)),
      loadMs,
      into,
      ahead: options.inPlace === true,
      reloads: options.reload,
      verbose,
    });
  };
  const { promise: over, resolve: end } = Promise.withResolvers<number>();
  let serving: Serving | undefined;
  let closed = false;
  const use = (next: Serving): Serving => {
    const before = serving;
    serving = next;
    if (before?.child === next.child) return next;
    options.onProcess?.(next.child, url);
    front.leadTo(next.child);
    if (before) void retire(before);
    next.child.once('exit', (code) => {
      if (serving?.child !== next.child || closed) return;
      if (options.reload) complain(`The agent's process ended (${code ?? 'by a signal'}); it starts again with the next change\n`);
      else end(code ?? 1);
    });
    return next;
  };
  const take = async (paths: readonly string[], { anew } = { anew: !inPlace }): Promise<boolean> => {
    const files = `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ' …' : ''}`;
    try {
      use(await bringUp(!anew && serving?.child.connected === true ? serving.child : undefined));
      note(`reloaded (${files})\n`);
      return true;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      complain(`${error.message}\nnot reloaded (${files}); the previous code keeps serving\n`);
      return false;
    }
  };
  const watcher =
    (options.watch ?? options.reload)
      ? watchProject(
          folder,
          oneAtATime((paths) => take(paths)),
        )
      : undefined;
  const close = async (): Promise<void> => {
    closed = true;
    watcher?.close();
    front.close();
    if (serving) await retire(serving);
  };
  try {
    const first = use(await bringUp());
    return { url, card: () => (serving ?? first).card, over, take, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export function isAnywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
