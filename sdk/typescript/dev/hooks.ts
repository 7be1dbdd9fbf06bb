// Lets a project run before anything is installed: `@svc/sdk` is this package, and imports may leave out what bundlers let them leave out.
import { existsSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

// By its sources in a clone, built in the package.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const SDK = new Map([
  ['@svc/sdk', new URL(`../index.${extension}`, import.meta.url).href],
  ['@svc/sdk/runtime', new URL(`../runtime.${extension}`, import.meta.url).href],
  ['@svc/sdk/testing', new URL(`../testing.${extension}`, import.meta.url).href],
]);

export function registerProjectHooks(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const own = SDK.get(specifier);
      if (own) return { url: own, shortCircuit: true };
      const found = specifier.startsWith('.') && context.parentURL?.startsWith('file:') ? fileFor(new URL(specifier, context.parentURL)) : undefined;
      return found ? { url: found, shortCircuit: true } : next(specifier, context);
    },
  });
}

/** `./x` → x.ts, x/index.ts …; `./x.js` → x.ts where there is no x.js. */
function fileFor(url: URL): string | undefined {
  const path = fileURLToPath(url);
  if (isFile(path)) return undefined;
  const candidates = [...(/\.m?js$/.test(path) ? [path.replace(/js$/, 'ts')] : []), `${path}.ts`, `${path}.js`, `${path}/index.ts`, `${path}/index.js`];
  const found = candidates.find(isFile);
  return found && pathToFileURL(found).href;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
