// Runs an author's code in a process of its own and hears from it: the card, a running server, or what is
// wrong.
import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { Report, type Job } from '#contract/wire/author-process.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { Packed } from './frontend.ts';
import { ProjectError } from './problem.ts';
import { type Entry, namedModelsOf } from './read.ts';
import type { Say } from '../lib/progress.ts';
import { linkSdk, sdkFile } from './sdk.ts';
import { Spare } from '#sdk/typescript/sidecar/spare.ts';
import { dropSpareCompiler } from './languages/python.ts';
import { buildWorker, isWorker, reloadableWorker } from './languages/worker.ts';

const LOAD_TIMEOUT_MS = 30_000;
/** Longer than the sidecar itself tries, so that it is the one to give up, and ends its worker. */
const WORKER_TIMEOUT_MS = 90_000;
/**
 * How long runs may continue when their process is to end: as long as the runtime lets them, and a worker its
 * own end.
 */
const RETIRE_MS = 16_000;

const toStderr: Say = (text, kind) => void (kind === undefined && process.stderr.write(text));

/** The card; no process is left. Its SDK is linked already. @throws ProjectError */
export async function loadCard(folder: string, entry: Entry, say: Say = toStderr): Promise<AgentCard> {
  if (isWorker(entry)) return (await buildWorker(folder, entry, { say })).dsl.card;
  const child = start(folder);
  try {
    const report = served(await hear(child, entry, { do: 'card', file: entry.file, className: entry.className }));
    return report.card;
  } finally {
    child.kill('SIGKILL');
  }
}

type Heard = Exclude<Report, { is: 'failed' }>;

export interface Serving {
  card: AgentCard;
  child: ChildProcess;
}

export interface Serve {
  /** As callers reach it. */
  url: string;
  /** Folder that stands for the caller's workspace. */
  workspace?: string | undefined;
  /** Its packed frontend, where there is one and it is built. */
  frontend?: Packed | undefined;
  /** default: this process's */
  env?: NodeJS.ProcessEnv;
  say?: Say;
  /** How long its module may take to load; default 30 s. */
  loadMs?: number | undefined;
  /** A process that serves: it takes the project up as it is now. Default: another one. */
  into?: ChildProcess | undefined;
  /** Changes come soon: what takes long to start is started ahead of them. */
  ahead?: boolean | undefined;
  /** Its worker is to load changed code itself, where its language can. */
  reloads?: boolean | undefined;
  /** Traces whole, with the frames of the SDK. */
  verbose?: boolean | undefined;
}

/** A process that serves the connections it is handed, until it is retired. @throws ProjectError */
export async function serveProject(
  folder: string,
  entry: Entry,
  { url, workspace, frontend, env, say = toStderr, loadMs, into, ahead, reloads, verbose }: Serve,
): Promise<Serving> {
  const models = await namedModelsOf(folder);
  const common = {
    url,
    ...(workspace !== undefined && { workspace: resolve(workspace) }),
    ...(frontend && { frontend }),
    models,
    ...(verbose === true && { verbose }),
  };
  let job: Job;
  if (isWorker(entry)) {
    const building = { say, ahead: ahead === true, reloads: reloads === true, verbose: verbose === true };
    const worker = into && (await reloadableWorker(folder, entry, building));
    if (into && worker) {
      const report = await hear(into, entry, { do: 'reload_worker', ...worker, ...common }, loadMs);
      if (report.is !== 'not_reloadable') return { card: report.card, child: into };
    }
    const built = await buildWorker(folder, entry, building);
    job = { do: 'serve_worker', ...built, ...common };
  } else {
    await linkSdk(folder);
    job = { do: 'serve', file: entry.file, className: entry.className, ...common };
  }
  const child = into ?? start(folder, env);
  try {
    const report = served(await hear(child, entry, job, loadMs));
    return { card: report.card, child };
  } catch (error) {
    // The previous code keeps serving.
    if (child !== into) child.kill('SIGKILL');
    throw error;
  }
}

/** Finishes its runs, then ends; made to end when it does not. Resolves when it is gone. */
export function retire({ child }: Serving): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const { promise: gone, resolve: done } = Promise.withResolvers<void>();
  const timer = setTimeout(() => child.kill('SIGKILL'), RETIRE_MS);
  child.once('exit', () => {
    clearTimeout(timer);
    done();
  });
  if (child.connected) child.send({ do: 'retire' });
  else child.kill('SIGTERM');
  return gone;
}

/** Processes that have the SDK loaded and wait for their work. */
const spares = new Spare<{ folder: string; env: NodeJS.ProcessEnv }>(
  ({ folder, env }) => begin(folder, env),
  ({ folder, env }) => JSON.stringify([folder, env]),
);

/** For the next start of that folder with that very environment; ended by `dropSpares`. */
export function keepSpare(folder: string, env: NodeJS.ProcessEnv): void {
  spares.keep({ folder, env });
}

export function dropSpares(): void {
  spares.drop();
  dropSpareCompiler();
}

function start(folder: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  return spares.take({ folder, env }) ?? begin(folder, env);
}

function begin(folder: string, env: NodeJS.ProcessEnv): ChildProcess {
  return fork(sdkFile('dev/main'), [], {
    cwd: folder,
    env,
    // Enumerations and the like are not erasable, but the bundler of a deploy takes them, so this must.
    execArgv: ['--experimental-transform-types', '--enable-source-maps', '--disable-warning=ExperimentalWarning', '--no-force-async-hooks-checks'],
    // What the author's module prints must not end up in a card on stdout.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
}

function served(report: Heard): Exclude<Heard, { is: 'not_reloadable' }> {
  if (report.is === 'not_reloadable') throw new Error('only a job that asks for it is answered so');
  return report;
}

async function hear(child: ChildProcess, entry: Entry, job: Job, loadMs = LOAD_TIMEOUT_MS): Promise<Heard> {
  const withinMs = job.do === 'serve_worker' || job.do === 'reload_worker' ? Math.max(WORKER_TIMEOUT_MS, loadMs) : loadMs;
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  const { promise, resolve: done, reject } = Promise.withResolvers<Report>();
  // Questions of skills that run come the same way.
  const onMessage = (message: unknown): void => {
    const report = Report.safeParse(message);
    if (report.success) done(report.data);
  };
  const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
    const why =
      signal === 'SIGKILL'
        ? `did not load within ${withinMs / 1000} s: nothing at its top level may wait for long`
        : `ended while loading (${signal ?? `exit code ${code}`})`;
    reject(new ProjectError([{ file: entry.file, message: `the module ${why}` }]));
  };
  child.on('message', onMessage).once('error', reject).once('exit', ended);
  try {
    child.send(job);
    const report = await promise;
    if (report.is === 'failed') throw new ProjectError(report.problems);
    return report;
  } finally {
    clearTimeout(timer);
    child.off('message', onMessage).off('error', reject).off('exit', ended);
  }
}
