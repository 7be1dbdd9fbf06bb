// The packed frontend a project declares: where it is, how it is built, and whether what was built can be
// served.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Writable } from 'node:stream';
import { entryOfFrontend } from '#contract/wire/frontend-entry.ts';
import type { Frontend } from '#contract/wire/manifest.ts';
import { ProjectError } from './problem.ts';
import { readProject, type Project } from './read.ts';

export interface ResolvedFrontend extends Omit<Frontend, 'path' | 'dist'> {
  /** Absolute folder of its sources. */
  path: string;
  /** Absolute folder that holds index.html, or server.cjs, once it is built. */
  dist: string;
}

/** @throws ProjectError where none is declared, its folder does not exist, or it is outside the project */
export function frontendOf({ folder, manifest, manifestFile, placeOf }: Project): ResolvedFrontend {
  const fault = (key: string, message: string): ProjectError =>
    new ProjectError([{ file: manifestFile, ...placeOf(['frontend', key]), message: `frontend.${key}: ${message}` }]);
  const { frontend } = manifest;
  if (!frontend) throw new ProjectError([{ file: manifestFile, message: 'declares no frontend: add "frontend:" with path, build and dist' }]);
  const path = resolve(folder, frontend.path);
  if (!within(folder, path)) throw fault('path', `"${frontend.path}" leaves the project`);
  const dist = resolve(path, frontend.dist);
  if (!within(folder, dist)) throw fault('dist', `"${frontend.dist}" leaves the project`);
  if (!existsSync(path)) throw fault('path', `there is no folder "${frontend.path}"`);
  return { ...frontend, path, dist };
}

function within(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** @throws ProjectError when there is no page to serve, or no program that writes pages */
export async function checkBuilt(frontend: ResolvedFrontend): Promise<void> {
  const index = join(frontend.dist, entryOfFrontend(frontend));
  const indexStat = await stat(index).catch(() => undefined);
  if (indexStat?.isFile()) return;
  throw new ProjectError([{ file: index, message: 'does not exist after the build: let "build" write it, or correct "dist" in svc.yaml' }]);
}

/** What is served of a frontend. */
export type Packed = Pick<ResolvedFrontend, 'dist' | 'mount' | 'auth' | 'mode'>;

/**
 * Of a project that declares one and has built it; else `say` gets what to do. Without svc.yaml there is
 * none.
 */
export async function packedOf(folder: string, say: (text: string) => void): Promise<Packed | undefined> {
  if (!existsSync(join(folder, 'svc.yaml'))) return undefined;
  const project = await readProject(folder);
  if (!project.manifest.frontend) return undefined;
  const frontend = frontendOf(project);
  const { dist, mount, auth, mode } = frontend;
  try {
    await checkBuilt(frontend);
    return { dist, mount, auth, ...(mode && { mode }) };
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    say(`${mount} is not served: the frontend is not built (svc frontend build)\n`);
    return undefined;
  }
}

/**
 * Installs what the frontend needs where it has a package.json, runs its build, and checks what came out.
 * @throws ProjectError
 */
export async function buildFrontend(project: Project, out: Writable): Promise<ResolvedFrontend> {
  const frontend = frontendOf(project);
  if (!existsSync(join(frontend.path, 'package.json'))) {
    // Plain files: nothing to build.
    await checkBuilt(frontend);
    return frontend;
  }
  if (!existsSync(join(frontend.path, 'node_modules'))) await run('npm install --no-audit --no-fund', frontend.path, out);
  await run(frontend.build, frontend.path, out);
  await checkBuilt(frontend);
  return frontend;
}

function run(command: string, cwd: string, out: Writable): Promise<void> {
  out.write(`$ ${command}\n`);
  return new Promise((done, fail) => {
    // The author's own command line from the author's own manifest: a shell is what it is written for.
    const child = spawn(command, { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => out.write(chunk));
    child.once('error', fail);
    child.once('close', (code) => {
      if (code === 0) return done();
      fail(new ProjectError([{ file: cwd, message: `"${command}" failed with exit code ${code ?? 'none'}: its output is above` }]));
    });
  });
}
