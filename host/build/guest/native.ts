// Packages a bundler cannot swallow (compiled add-ons, per-platform binaries) stay as node_modules beside the
// bundle, with all they need.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import { isObject } from './project.ts';

export interface Installed {
  name: string;
  dir: string;
  needs: string[];
  native: boolean;
}

/** Every package at the top of node_modules; nested ones count as part of their parent. */
export function installedPackages(modules: string): Installed[] {
  if (!existsSync(modules)) return [];
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
  const all = names.flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name]));
  return all.flatMap((name) => {
    const dir = join(modules, name);
    const file = join(dir, 'package.json');
    if (!existsSync(file)) return [];
    const read = parseJson(readFileSync(file, 'utf8'));
    const about = isObject(read) ? read : {};
    const native =
      about['os'] !== undefined || about['cpu'] !== undefined || about['gypfile'] === true || existsSync(join(dir, 'binding.gyp')) || hasAddon(dir);
    return [
      { name, dir, needs: [about['dependencies'], about['optionalDependencies']].flatMap((group) => (isObject(group) ? Object.keys(group) : [])), native },
    ];
  });
}

function hasAddon(dir: string): boolean {
  return readdirSync(dir, { withFileTypes: true }).some((entry) => (entry.isDirectory() ? hasAddon(join(dir, entry.name)) : entry.name.endsWith('.node')));
}

/** Native packages and those that load them: both must find their files where they were installed. */
export function unbundled(packages: Installed[]): string[] {
  const native = new Set(packages.filter((one) => one.native).map((one) => one.name));
  return packages.filter((one) => one.native || one.needs.some((name) => native.has(name))).map((one) => one.name);
}

/** Copies the named packages and everything they need. */
export function copyWithNeeds(packages: Installed[], names: string[], target: string): void {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const done = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const installedPackage = byName.get(name);
    if (installedPackage === undefined || done.has(name)) continue;
    done.add(name);
    queue.push(...installedPackage.needs);
    cpSync(installedPackage.dir, join(target, name), {
      recursive: true,
      dereference: false,
      filter: (path) => (dirname(path) === installedPackage.dir ? !path.endsWith('/.bin') : true),
    });
  }
}
