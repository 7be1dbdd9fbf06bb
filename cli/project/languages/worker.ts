// An agent whose handlers run in a worker: its compiled declaration, and the command that starts it.
import { AgentDsl } from '#contract/wire/dsl.ts';
import { ANSWER_TOOL, ANSWER_TOOL_TAKEN } from '#contract/wire/names.ts';
import type { Frontend } from '#contract/wire/manifest.ts';
import type { Say } from '../../lib/progress.ts';
import { ProjectError } from '../problem.ts';
import type { Entry } from '../read.ts';
import { buildCompiled } from './compiled.ts';
import { buildPython, pythonWorker } from './python.ts';
import { buildService, serviceOf } from './service.ts';

/** As the language's tool made it. */
export interface Built {
  dsl: unknown;
  command: string;
  args: string[];
  /** As of a worker's process (sidecar/process.ts). */
  spare?: string;
  /** It loads changed code itself while these packages are installed (contract/wire/author-process.ts). */
  packages?: string;
}

export interface Building {
  say: Say;
  /** The next build comes soon. */
  ahead?: boolean;
  /** Its worker is to load changed code itself, where it can. */
  reloads?: boolean;
  /** Traces whole. */
  verbose?: boolean;
}

export interface WorkerProject extends Built {
  dsl: AgentDsl;
}

export type WorkerEntry = Entry & { language: 'python' | 'go' | 'rust' };

export function isWorker(entry: Entry): entry is WorkerEntry {
  return entry.language !== 'typescript' && entry.language !== 'javascript';
}

/**
 * How the worker is started that may have loaded the project before, and loads what changed. Undefined: only
 * another one can. @throws ProjectError
 */
export async function reloadableWorker(folder: string, entry: WorkerEntry, building: Building): Promise<Omit<Built, 'dsl'> | undefined> {
  if (entry.language !== 'python' || !building.reloads || (await serviceOf(folder))) return undefined;
  const worker = await pythonWorker(folder, entry, building);
  return worker.packages === undefined ? undefined : worker;
}

/** Builds what is to be built. @throws ProjectError */
export async function buildWorker(folder: string, entry: WorkerEntry, building: Building, frontend?: Frontend): Promise<WorkerProject> {
  const service = await serviceOf(folder);
  const built = await (service
    ? buildService(service, entry, building.say)
    : entry.language === 'python'
      ? buildPython(folder, entry, building)
      : buildCompiled(folder, entry, building.say));
  const dsl = AgentDsl.safeParse(built.dsl);
  if (!dsl.success) {
    throw new ProjectError(
      dsl.error.issues.map(({ path, message }) => ({ file: entry.declaration, message: `${path.map(String).join('.') || '(top)'}: ${message}` })),
    );
  }
  const { worker, card } = dsl.data;
  if (card.skills.some(({ id }) => id === ANSWER_TOOL)) throw new ProjectError([{ file: entry.declaration, message: ANSWER_TOOL_TAKEN }]);
  if (worker.language !== entry.language) {
    throw new ProjectError([{ file: entry.declaration, message: `worker.language is "${worker.language}", but the project is in ${entry.language}` }]);
  }
  return { ...built, dsl: { ...dsl.data, frontend: frontend ?? dsl.data.frontend } };
}
