// The declaration by which the sidecar serves a project in Python, Go or Rust.
import type { AgentDsl } from '#contract/wire/dsl.ts';
import type { Say } from '../lib/progress.ts';
import { agree, together } from './check.ts';
import { ProjectError } from './problem.ts';
import { entryOf, readProject, type Project } from './read.ts';
import { buildWorker, isWorker } from './languages/worker.ts';

/** @throws ProjectError */
export async function compileProject(path: string, say: Say): Promise<{ project: Project; dsl: AgentDsl }> {
  const project = await readProject(path);
  const entry = entryOf(project);
  if (!isWorker(entry)) {
    const message =
      'an agent in TypeScript or JavaScript is served by the runtime itself and needs no sidecar; "svc run" serves it, "svc card" prints its card';
    throw new ProjectError([{ file: entry.file, message }]);
  }
  const { dsl } = await together(project, entry, () => buildWorker(project.folder, entry, { say }, project.manifest.frontend), say);
  agree(project, dsl.card);
  return { project, dsl };
}
