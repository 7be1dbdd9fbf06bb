// What the author's folder says about dependencies and where the entry module is.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import { AuthorError, type BuildPlan } from './plan.ts';

type Dependencies = Record<string, string>;
export interface Manifest {
  [field: string]: unknown;
  dependencies?: Dependencies;
  optionalDependencies?: Dependencies;
  trustedDependencies?: string[];
}

export const sdkName = '@svc/sdk';
const lockFiles = ['bun.lock', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];
/** All that the installer reads, whichever of them it takes. */
const decidingFiles = [...lockFiles, 'bun.lockb', 'npm-shrinkwrap.json', 'pnpm-workspace.yaml', '.yarnrc', '.yarnrc.yml', '.npmrc'];

export function readManifest(dir: string): Manifest {
  const path = join(dir, 'package.json');
  if (!existsSync(path)) return {};
  const manifest = parseJson(withoutMark(readFileSync(path, 'utf8')));
  if (isManifest(manifest)) return manifest;
  throw new AuthorError('package.json is invalid (no JSON object, or dependencies that are not names and versions); correct it and deploy again.');
}

/** By hand: a validator would cost every build half a second under emulation. */
function isManifest(value: unknown): value is Manifest {
  if (!isObject(value)) return false;
  const named = [value['dependencies'], value['optionalDependencies']];
  if (!named.every((group) => group === undefined || (isObject(group) && Object.values(group).every((spec) => typeof spec === 'string')))) return false;
  const trusted = value['trustedDependencies'];
  return trusted === undefined || (Array.isArray(trusted) && trusted.every((name) => typeof name === 'string'));
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export const lockFileOf = (dir: string): string | undefined => lockFiles.find((name) => existsSync(join(dir, name)));

/**
 * Where the frontend's sources are; undefined where they are the project's own folder, or there is none.
 * @throws AuthorError outside of the project
 */
export function frontendFolder({ source, frontend }: Pick<BuildPlan, 'source' | 'frontend'>): string | undefined {
  if (frontend === undefined) return undefined;
  const dir = resolve(source, frontend.path);
  if (dir === resolve(source)) return undefined;
  if (!dir.startsWith(resolve(source) + sep)) throw new AuthorError(`frontend.path: "${frontend.path}" leaves the project.`);
  if (!existsSync(dir)) throw new AuthorError(`frontend.path: there is no folder "${frontend.path}" in the project; svc.yaml names it.`);
  return dir;
}

export function runtimeDependencies(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter((name) => name !== sdkName);
}

/**
 * An install depends on nothing but these files, so its result may be shared by all who have the same ones.
 */
export function cacheKey(dir: string, manifest: Manifest, salt: string): string | null {
  const lock = lockFileOf(dir);
  const specs = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies }).flatMap(([name, spec]) => (name === sdkName ? [] : [spec]));
  const replaced = JSON.stringify([manifest['overrides'], manifest['resolutions']]);
  const local = specs.some((spec) => /^(?:file|link|workspace|portal):|^[.~/]/.test(spec)) || /"(?:file|link|workspace|portal):|"\.{0,2}\//.test(replaced);
  if (lock === undefined || local || manifest['workspaces'] !== undefined || manifest['patchedDependencies'] !== undefined) return null;
  const hash = createHash('sha256');
  const { name: _name, version: _version, description: _description, scripts: _scripts, ...deciding } = manifest;
  hash.update(`${salt}:${JSON.stringify(deciding)}`);
  for (const file of decidingFiles) {
    const bytes = existsSync(join(dir, file)) ? readFileSync(join(dir, file)) : Buffer.alloc(0);
    hash.update(`${file}:${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}

const extensions = ['.ts', '.mts', '.tsx', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'];

/** The file of `module:Class` relative to the project, and the class. */
export function findEntry(dir: string, entrypoint: string): { file: string; className: string } {
  const [module = '', className = ''] = entrypoint.split(':');
  const spellings = [module, module.replaceAll('.', '/')];
  const candidates = spellings.flatMap((name) => [name, ...extensions.map((extension) => name + extension)]).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  const file = candidates.find((name) => existsSync(join(dir, name)));
  if (file === undefined)
    throw new AuthorError(`entrypoint "${entrypoint}": there is no ${module}.ts in the project; svc.yaml names it as entrypoint: module:Class.`);
  const inside = relative(dir, resolve(dir, file));
  if (inside.startsWith(`..${sep}`)) throw new AuthorError(`entrypoint "${entrypoint}" leads outside of the project.`);
  return { file: inside, className };
}
