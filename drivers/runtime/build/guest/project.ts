// What the author's folder says about dependencies and where the entry module is.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lines.ts';
import { AuthorError } from './plan.ts';

const Dependencies = z.record(z.string(), z.string()).optional();
const Manifest = z.looseObject({
  dependencies: Dependencies,
  optionalDependencies: Dependencies,
  trustedDependencies: z.array(z.string()).optional(),
  workspaces: z.unknown().optional(),
  patchedDependencies: z.unknown().optional(),
  scripts: z.record(z.string(), z.string()).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

export const sdkName = '@svc/sdk';
const lockFiles = ['bun.lock', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

export function readManifest(dir: string): Manifest {
  const path = join(dir, 'package.json');
  if (!existsSync(path)) return {};
  const parsed = Manifest.safeParse(parseJson(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new AuthorError(`package.json: ${issue?.path.join('.') || 'the file'} is not as npm wants it (${issue?.message ?? 'no JSON'}); mend it and deploy again.`);
}

export const lockFileOf = (dir: string): string | undefined => lockFiles.find((name) => existsSync(join(dir, name)));

export function runtimeDependencies(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter((name) => name !== sdkName);
}

/** An install depends on nothing but these files, so its result may be shared by all who have the same ones. */
export function cacheKey(dir: string, manifest: Manifest, salt: string): string | null {
  const lock = lockFileOf(dir);
  const specs = Object.values({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const local = specs.some((spec) => /^(?:file|link|workspace|portal):|^[.~/]/.test(spec));
  if (lock === undefined || local || manifest.workspaces !== undefined || manifest.patchedDependencies !== undefined) return null;
  const hash = createHash('sha256');
  const { name: _name, version: _version, description: _description, scripts: _scripts, ...deciding } = manifest;
  hash.update(`${salt}:${JSON.stringify(deciding)}`);
  for (const file of [lock, '.npmrc']) {
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
  if (file === undefined) throw new AuthorError(`entrypoint "${entrypoint}": there is no ${module}.ts in the project; svc.yaml names it as entrypoint: module:Class.`);
  const inside = relative(dir, resolve(dir, file));
  if (inside.startsWith(`..${sep}`)) throw new AuthorError(`entrypoint "${entrypoint}" leads outside of the project.`);
  return { file: inside, className };
}
