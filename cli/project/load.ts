// Runs an author's code in a process of its own and hears from it: the card, a running server, or what is wrong.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Report, type Job } from '../../contract/wire/author-process.ts';
import type { AgentCard } from '../../contract/wire/card.ts';
import { ProjectError } from './problem.ts';
import type { Entry } from './read.ts';
import { SDK_FOLDER } from './sdk.ts';

const LOAD_TIMEOUT_MS = 30_000;

/** The card of the class; its process has ended. @throws ProjectError */
export async function loadCard(folder: string, entry: Entry): Promise<AgentCard> {
  const child = start(folder, entry);
  try {
    const report = await hear(child, entry, { do: 'card', file: entry.file, className: entry.className });
    return report.card;
  } finally {
    child.kill('SIGKILL');
  }
}

export interface Serving {
  card: AgentCard;
  child: ChildProcess;
}

export interface Serve {
  /** As callers reach it. */
  url: string;
  /** Folder that stands for the caller's workspace. */
  workspace?: string | undefined;
  /** default: this process's */
  env?: NodeJS.ProcessEnv;
}

/** A process that serves the connections it is handed, until it is retired. @throws ProjectError */
export async function serveProject(folder: string, entry: Entry, { url, workspace, env }: Serve): Promise<Serving> {
  const child = start(folder, entry, env);
  try {
    const report = await hear(child, entry, { do: 'serve', file: entry.file, className: entry.className, url, ...(workspace !== undefined && { workspace }) });
    return { card: report.card, child };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function start(folder: string, entry: Entry, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  if (entry.language === 'python') {
    throw new ProjectError([
      {
        file: entry.file,
        message: 'agents in Python come with the next release; for now write the agent in TypeScript ("svc init NAME --language typescript")',
      },
    ]);
  }
  return fork(join(SDK_FOLDER, 'dev', 'main.ts'), [], {
    cwd: folder,
    env,
    // Enumerations and the like are not erasable, but the bundler of a deploy takes them, so this must.
    execArgv: ['--experimental-transform-types', '--enable-source-maps', '--disable-warning=ExperimentalWarning'],
    // What the author's module prints must not end up in a card on stdout.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
}

async function hear(child: ChildProcess, entry: Entry, job: Job): Promise<Exclude<Report, { is: 'failed' }>> {
  const timer = setTimeout(() => child.kill('SIGKILL'), LOAD_TIMEOUT_MS);
  try {
    const report = await new Promise<Report>((resolve, reject) => {
      child.once('message', (message) => resolve(Report.parse(message)));
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        const why =
          signal === 'SIGKILL'
            ? `did not load within ${LOAD_TIMEOUT_MS / 1000} s: nothing at its top level may wait for long`
            : `ended while loading (${signal ?? `exit code ${code}`})`;
        reject(new ProjectError([{ file: entry.file, message: `the module ${why}` }]));
      });
      child.send(job);
    });
    if (report.is === 'failed') throw new ProjectError(report.problems);
    return report;
  } finally {
    clearTimeout(timer);
  }
}
