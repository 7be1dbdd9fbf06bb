// Which files each page is made of, for the API: it names them in the HTML of an address, so that they arrive
// beside the scripts that all pages share.
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Plugin, runnerImport } from 'vite';
import { ENTRIES } from '../../../docs/contents.ts';
import { textModule } from '../docs.ts';
import { aliases, WEB } from '../options.ts';
import type { DeclaredPage } from './declared.ts';

/** What Vite's manifest says of a file, by the module that it begins with. */
interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  css?: string[];
}
type Manifest = Record<string, Chunk>;

interface Files {
  scripts: string[];
  styles: string[];
}

/** What web/begin.ts, which the HTML names, loads for every page. */
export const MAIN = 'main.tsx';
/** The file that build.ts makes of what many pages need: nearly every page has it. */
const COMMON = /^_common-[\w-]+\.js$/;

/**
 * Writes `pages.json` beside the build in `folder`, from its manifest. @throws when a page's module is not in
 * it
 */
export async function writePageFiles(folder: string): Promise<void> {
  // Safe: Vite's own format.
  const manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')) as Manifest;
  const entries = Object.keys(manifest).filter((name) => manifest[name]?.isEntry && name !== MAIN);
  const named = withImports(manifest, entries);
  const shared = withImports(manifest, [...Object.keys(manifest).filter((name) => COMMON.test(name)), MAIN]);
  const known = new Set([...named, ...shared]);
  const files = (modules: Iterable<string>, without: ReadonlySet<string>): Files => {
    const own = [...modules].filter((name) => !without.has(name)).map((name) => chunkOf(manifest, name));
    return { scripts: own.map(({ file }) => file), styles: own.flatMap(({ css = [] }) => css) };
  };
  const pages = withTexts(await declaredPages()).map(({ path, modules }) => ({ path, ...files(withImports(manifest, modules), known) }));
  await writeFile(join(folder, 'pages.json'), JSON.stringify({ all: files(shared, named), pages }));
}

/** A page of the documentation is its frame and a text. */
function withTexts(pages: readonly DeclaredPage[]): DeclaredPage[] {
  const { modules } = pages.find(({ path }) => path === '/docs/$') ?? { modules: [] };
  return [
    ...pages.filter(({ path }) => !path.startsWith('/docs')),
    ...ENTRIES.map(({ at }) => ({ path: at === '' ? '/docs' : `/docs/${at}`, modules: [...modules, textModule(at)] })),
  ];
}

/** What a file imports stands before it: of two styles of one element the later one counts. */
function withImports(manifest: Manifest, names: readonly string[], all = new Set<string>(), met = new Set<string>()): Set<string> {
  for (const name of names)
    if (!met.has(name)) {
      met.add(name);
      withImports(manifest, chunkOf(manifest, name).imports ?? [], all, met);
      all.add(name);
    }
  return all;
}

function chunkOf(manifest: Manifest, name: string): Chunk {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no file of ${name}`);
  return chunk;
}

const ROUTER = '@tanstack/react-router';
const OTHER = '\0other:';

async function declaredPages(): Promise<DeclaredPage[]> {
  const { module } = await runnerImport<{ declared: DeclaredPage[] }>(join(import.meta.dirname, 'declared.ts'), {
    configFile: false,
    root: WEB,
    logLevel: 'warn',
    plugins: [standIns()],
    resolve: { alias: aliases, noExternal: [ROUTER] },
  });
  return module.declared;
}

/**
 * Routes that keep what they are given, and for each module with something to show one that says where it is.
 */
function standIns(): Plugin {
  return {
    name: 'svc:stand-ins',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (source === ROUTER) return `\0${ROUTER}`;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      return resolved && /\.(tsx|css)$/.test(resolved.id) ? OTHER + resolved.id : resolved;
    },
    load(id) {
      if (id === `\0${ROUTER}`)
        return `export const createRoute = (options) => ({
            options,
            update(more) { Object.assign(options, more); return this; },
            addChildren(children) { return Object.assign(this, { children }); },
          });
          export const createRootRouteWithContext = () => createRoute;
          export const lazyRouteComponent = (load) => load;`;
      if (!id.startsWith(OTHER)) return undefined;
      const module = relative(WEB, id.slice(OTHER.length));
      return `export const module = ${JSON.stringify(module)};`;
    },
  };
}
