// Lets a project run before anything is installed: `@svc/sdk` is this package, and imports may leave out what
// bundlers let them leave out.
import { existsSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ADAPTERS } from '../adapters/names.ts';

/** Marks the address of a module that was loaded again. */
const LOAD = 'svc-load';
const MARK = new RegExp(`\\?${LOAD}=\\d+$`);
const OWN = fileURLToPath(new URL('..', import.meta.url));
// By its sources in a clone, built in the package.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const SDK = new Map([
  ['@svc/sdk', new URL(`../index.${extension}`, import.meta.url).href],
  ['@svc/sdk/runtime', new URL(`../runtime.${extension}`, import.meta.url).href],
  ['@svc/sdk/testing', new URL(`../testing.${extension}`, import.meta.url).href],
  ...ADAPTERS.map((name) => [`@svc/sdk/adapters/${name}`, new URL(`../adapters/${name}.${extension}`, import.meta.url).href] as const),
]);

/** How often the project's modules were loaded before. */
let loads = 0;

export function registerProjectHooks(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const own = SDK.get(specifier);
      if (own) return { url: own, shortCircuit: true };
      const sourceUrl = specifier.startsWith('.') && context.parentURL?.startsWith('file:') ? fileFor(new URL(specifier, context.parentURL)) : undefined;
      if (sourceUrl) return { url: fresh(sourceUrl), shortCircuit: true };
      const resolved = next(specifier, context);
      return { ...resolved, url: fresh(resolved.url) };
    },
  });
}

/** From now on the project's modules are loaded as they are on the disk then; packages stay as they were. */
export function loadAnew(): void {
  loads += 1;
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) if (isProjects(path)) delete cache[path];
}

/** To node another address is another module. */
function fresh(url: string): string {
  if (loads === 0 || !url.startsWith('file:') || !isProjects(fileURLToPath(url))) return url;
  const address = new URL(url);
  address.searchParams.set(LOAD, String(loads));
  return address.href;
}

/** Without the mark. */
export const pathOf = (path: string): string => path.replace(MARK, '');

function isProjects(path: string): boolean {
  return path.startsWith(process.cwd() + sep) && !path.includes(`${sep}node_modules${sep}`) && !path.startsWith(OWN);
}

/** `./x` → x.ts, x/index.ts …; `./x.js` → x.ts where there is no x.js. */
function fileFor(url: URL): string | undefined {
  const path = fileURLToPath(url);
  if (isFile(path)) return undefined;
  const candidates = [...(/\.m?js$/.test(path) ? [path.replace(/js$/, 'ts')] : []), `${path}.ts`, `${path}.js`, `${path}/index.ts`, `${path}/index.js`];
  const file = candidates.find(isFile);
  return file && pathToFileURL(file).href;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
