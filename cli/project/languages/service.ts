// An HTTP service as an agent: its program built by its language's tool, its declaration compiled from its
// OpenAPI description.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseDocument } from 'yaml';
import type { ServiceDeclaration } from '#contract/wire/service.ts';
import { compileService, ServiceInvalid } from '#sdk/typescript/sidecar.ts';
import type { Say } from '../../lib/progress.ts';
import { ProjectError } from '../problem.ts';
import { type Project, readProject } from '../read.ts';
import { buildProgram } from './compiled.ts';
import { ensureVenv } from './python-venv.ts';
import type { Built, WorkerEntry } from './worker.ts';

/** Of the project in that folder; undefined where it is none. */
export async function serviceOf(folder: string): Promise<ServiceProject | undefined> {
  const project = await readProject(folder).catch((error: unknown) => {
    // `svc run --entrypoint` serves a folder without svc.yaml too; what is wrong with one that is there,
    // other commands say.
    if (error instanceof ProjectError) return undefined;
    throw error;
  });
  const service = project?.manifest.service;
  return project && service && { project, service };
}

export interface ServiceProject {
  project: Project;
  service: ServiceDeclaration;
}

/** @throws ProjectError */
export async function buildService({ project, service }: ServiceProject, entry: WorkerEntry, say: Say): Promise<Built> {
  const { folder, manifest } = project;
  const { language, entrypoint } = entry;
  const file = join(folder, service.openapi);
  const document = await readDescription(file);
  const { name, version } = manifest;
  // Python starts the file that svc.yaml names, where it names nothing else.
  const args = service.args ?? (language === 'python' ? [entry.file.slice(folder.length + 1)] : undefined);
  try {
    const dsl = compileService({ name, version, entrypoint, language, service: { ...service, ...(args && { args }) }, document });
    const command = language === 'python' ? await ensureVenv(folder, say) : await buildProgram(folder, entry, say);
    return { dsl, command, args: [] };
  } catch (error) {
    if (error instanceof ServiceInvalid) throw new ProjectError(error.message.split('\n').map((message) => ({ file, message })));
    throw error;
  }
}

async function readDescription(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ProjectError([{ file, message: `not found: service.openapi in svc.yaml names the OpenAPI description, in JSON or YAML` }]);
  });
  const document = parseDocument(withoutMark(text));
  const [error] = document.errors;
  if (error) throw new ProjectError([{ file, message: `${basename(file)} cannot be read: ${error.message.split('\n')[0] ?? 'neither JSON nor YAML'}` }]);
  return document.toJS({ maxAliasCount: 100 });
}
