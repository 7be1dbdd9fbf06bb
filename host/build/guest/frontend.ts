// The packed frontend: its packages by bun, its own build command, and of what that wrote the folder with
// index.html.
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { entryOfFrontend } from '#contract/wire/frontend-entry.ts';
import { listenEgress } from '../../guest/egress.ts';
import { install, registryEnv, run } from './install.ts';
import { AuthorError, buildPaths, type BuildPlan } from './plan.ts';
import { cacheKey, frontendFolder, isObject, readManifest, sdkName, type Manifest } from './project.ts';
import { checkSize } from './tools.ts';

type Packed = NonNullable<BuildPlan['frontend']>;

/** What the guest's agent reads at its start. */
const settingsFile = join('.svc', 'frontend.json');
const bundleFolder = join('.svc', 'frontend');

const dirOf = (plan: BuildPlan): string => frontendFolder(plan) ?? plan.source;

/** A page's packages are all for its build, whatever list they stand in. */
function packagesOf(dir: string): Manifest {
  const manifest = readManifest(dir);
  const dev = isObject(manifest['devDependencies']) ? manifest['devDependencies'] : {};
  const more = Object.entries(dev).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { ...manifest, dependencies: { ...manifest.dependencies, ...Object.fromEntries(more) } };
}

export function inspectFrontend(plan: BuildPlan): { needsInstall: boolean; key: string | null } {
  const dir = dirOf(plan);
  const manifest = packagesOf(dir);
  const needsInstall = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).some((name) => name !== sdkName);
  if (!needsInstall) return { needsInstall, key: null };
  if (dir === plan.source) throw new AuthorError('frontend.path: a frontend with packages needs a folder and a package.json of its own, e.g. "frontend".');
  return { needsInstall, key: cacheKey(dir, manifest, `${plan.salt}:frontend`) };
}

export async function installFrontend(plan: BuildPlan): Promise<void> {
  await install(plan, dirOf(plan), { production: false });
}

/** Builds where there is a package.json; a folder of plain files is taken as it is. @throws AuthorError */
export async function packFrontend(plan: BuildPlan, frontend: Packed): Promise<void> {
  const dir = dirOf(plan);
  if (dir !== plan.source && existsSync(join(dir, 'package.json'))) await build(plan, dir, frontend.build);
  const dist = resolve(dir, frontend.dist);
  if (dist !== dir && !dist.startsWith(dir + sep)) throw new AuthorError(`frontend.dist: "${frontend.dist}" leaves ${frontend.path}.`);
  const rendered = frontend.mode === 'server-rendered';
  const entry = entryOfFrontend(frontend);
  const index = join(dist, entry);
  if (!existsSync(index) || !statSync(index).isFile()) {
    const shown = join(frontend.path, frontend.dist, entry);
    throw new AuthorError(
      `${shown} does not exist after the build: let the build command ("${frontend.build}") write it, or correct frontend.dist in svc.yaml.`,
    );
  }
  const app = join(plan.out, 'app');
  const target = join(app, bundleFolder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(app, '.svc'), { recursive: true });
  // A program brings what it needs, packages too; of it only client/ is ever served.
  cpSync(dist, target, { recursive: true, verbatimSymlinks: true, filter: (path) => rendered || !isPrivate(basename(path)) || path === dist });
  writeFileSync(join(app, settingsFile), JSON.stringify({ mount: frontend.mount, auth: frontend.auth, ...(rendered && { mode: frontend.mode }) }));
  checkSize(plan);
}

/** Local settings, history and packages are not served; `.well-known` is. */
const isPrivate = (name: string): boolean => name === 'node_modules' || (name.startsWith('.') && name !== '.well-known');

async function build(plan: BuildPlan, dir: string, command: string): Promise<void> {
  const path = `${join(dir, 'node_modules', '.bin')}:${installers()}:${process.env['PATH'] ?? ''}`;
  const listener = await listenEgress(plan.egress_port, plan.egress);
  try {
    console.error(`Building the frontend: ${command}`);
    const code = await run(['/bin/sh', '-c', command], dir, { ...registryEnv(plan), PATH: path, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' });
    if (code === 137) throw new AuthorError(`The frontend's build command ("${command}") ran out of memory.`);
    if (code !== 0) throw new AuthorError(`The frontend's build command ("${command}") failed with code ${code}; its output is above.`);
  } finally {
    listener.close();
  }
}

/**
 * The build machine has only bun: under the names that build commands are written with, it runs their scripts
 * and packages.
 */
function installers(): string {
  const folder = join(buildPaths.root, 'installers');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, body: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const bun = process.execPath;
  write('bun', `exec ${bun} "$@"`);
  for (const name of ['npx', 'bunx', 'pnpx']) write(name, `exec ${bun} x "$@"`);
  for (const name of ['npm', 'pnpm', 'yarn']) {
    write(
      name,
      `case "$1" in\n  '' | ci | i | install | add) exec ${bun} install ;;\n  exec | x | dlx) shift; exec ${bun} x "$@" ;;\n  run) exec ${bun} "$@" ;;\n  *) exec ${bun} run "$@" ;;\nesac`,
    );
  }
  return folder;
}
