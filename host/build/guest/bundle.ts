// Makes the layer: one bundle of the author's class, its packages and the SDK, beside the project's other
// files.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runInstallScripts } from './scripts.ts';
import { copyWithNeeds, installedPackages, unbundled } from './native.ts';
import { AuthorError, cardPath, codeCacheOf, nodePath, sdkBundle, type BuildPlan } from './plan.ts';
import { findEntry, frontendFolder, readManifest, sdkName } from './project.ts';
import { checkSize, copyProject, outputOf } from './tools.ts';

/** Of what the layer starts with. */
const entryName = 'svc-agent';
/** Beside the packages: every file in the project's own folders may be the author's, whatever its name. */
const entryFolder = 'node_modules/.svc-entry';

interface BunPluginBuilder {
  onResolve(match: { filter: RegExp }, answer: () => { path: string; external: boolean }): void;
}
interface BunBuilder {
  build(options: Record<string, unknown>): Promise<{ success: boolean; logs: unknown[] }>;
}
/** This program only ever runs under bun, which defines the global. */
const bun = (): BunBuilder => (globalThis as unknown as { Bun: BunBuilder }).Bun;

interface Message {
  message: string;
  position: { file: string; line: number; column: number; lineText?: string } | null;
}
/** What bun reports: a message with or without a place. */
const isMessage = (log: unknown): log is Message => typeof log === 'object' && log !== null && 'message' in log && typeof log.message === 'string';

/** `file:line:column: what` and, where we know it, the remedy. */
export function explain(log: unknown, root: string): string {
  if (!isMessage(log)) return String(log);
  const { position } = log;
  const message = log.message.replace(' Maybe you need to "bun install"?', '');
  const absent = /No matching export in "([^"]+)" for import "([^"]+)"/.exec(message);
  const file = position?.file === undefined ? '' : relative(root, position.file);
  const where = position === null || position === undefined || file.startsWith(`${entryFolder}/`) ? '' : `${file}:${position.line}:${position.column}: `;
  if (absent !== null && where === '')
    return `${absent[1]}: error: there is no exported class ${absent[2]}; write \`export class ${absent[2]}\` or correct entrypoint in svc.yaml.`;
  const missing = /Could not resolve: "([^".][^"]*)"/.exec(message)?.[1];
  const package_ = missing
    ?.split('/')
    .slice(0, missing.startsWith('@') ? 2 : 1)
    .join('/');
  const remedy = package_ === undefined ? '' : ` Add it to dependencies: npm install ${package_}`;
  const line = position?.lineText === undefined || where === '' ? '' : `\n    ${position.lineText.trim().slice(0, 200)}`;
  return `${where}error: ${message}${remedy}${line}`;
}

export async function bundle(plan: BuildPlan): Promise<void> {
  const dir = plan.source;
  const manifest = readManifest(dir);
  const entry = findEntry(dir, plan.entrypoint);
  const modules = join(dir, 'node_modules');
  await runInstallScripts(modules, manifest.trustedDependencies ?? []);
  rmSync(join(modules, sdkName), { recursive: true, force: true });
  mkdirSync(join(modules, '@svc'), { recursive: true });
  cpSync(plan.sdk, join(modules, sdkName), { recursive: true });
  const packages = installedPackages(modules).filter((one) => one.name !== sdkName);
  const external = unbundled(packages);
  mkdirSync(join(dir, entryFolder), { recursive: true });
  const generated = join(dir, entryFolder, `${entryName}.ts`);
  writeFileSync(generated, entrySource(entry));
  const app = join(plan.out, 'app');
  // What the bundle is called there, in either form: one of the author's would be started in its place.
  copyProject(dir, app, [`${entryName}.cjs`, `${entryName}.mjs`], frontendFolder(plan));
  await compile(plan, generated, app, external);
  // Not the author's: checks that follow would take it for that.
  rmSync(join(dir, entryFolder), { recursive: true });
  if (external.length > 0) {
    console.error(`Kept outside of the bundle: ${external.join(', ')}`);
    copyWithNeeds(packages, external, join(app, 'node_modules'));
  }
  checkSize(plan);
  await tellCard(plan);
}

const entrySource = ({ file, className }: { file: string; className: string }): string => `import * as runtime from '${sdkName}/runtime';
import { ${className} as AgentClass } from '../../${file}';
export const start = ({ platform, ...options }) =>
  runtime.startAgent(AgentClass, { ...options, ...(platform && runtime.controlPlane ? { platform: runtime.controlPlane(platform) } : {}) });
`;

/** Common options of both forms. Names stay: errors and classes are known by them. */
const options = (generated: string, app: string, external: string[]): Record<string, unknown> => ({
  entrypoints: [generated],
  outdir: app,
  target: 'node',
  sourcemap: 'linked',
  minify: { whitespace: true, syntax: true, identifiers: false },
  external: external.flatMap((name) => [name, `${name}/*`]),
  throw: false,
});
/**
 * Node loads CommonJS a second faster under emulation: an ES import of node:http loads all that hangs on it.
 * Top-level await needs the module form.
 */
const commonjs = {
  format: 'cjs',
  naming: `${entryName}.cjs`,
  banner: "const __svc_url=require('node:url').pathToFileURL(__filename).href,__svc_dir=__dirname,__svc_file=__filename;",
  define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': '__svc_url', 'import.meta.dirname': '__svc_dir', 'import.meta.filename': '__svc_file' },
};
/**
 * The SDK is in the layer as one file that was made once; only the author's code and packages are bundled
 * here.
 */
const readySdk = {
  name: 'ready-sdk',
  setup: (build: BunPluginBuilder) => build.onResolve({ filter: /^@svc\/sdk(?:\/runtime)?$/ }, () => ({ path: `/app/${sdkBundle}`, external: true })),
};
const module = { format: 'esm', naming: `${entryName}.mjs`, define: { 'process.env.NODE_ENV': '"production"' } };

async function compile(plan: BuildPlan, generated: string, app: string, external: string[]): Promise<void> {
  const dir = plan.source;
  const attempt = (form: Record<string, unknown>) =>
    bun()
      .build({ ...options(generated, app, external), ...form })
      .catch((error: unknown) => ({ success: false, logs: error instanceof AggregateError ? error.errors : [error] }));
  let result = await attempt({ ...commonjs, plugins: [readySdk] });
  for (const name of [sdkBundle, codeCacheOf(sdkBundle)]) cpSync(join(plan.sdk, name), join(app, name));
  if (!result.success && result.logs.some((log) => /await/.test(explain(log, dir)))) result = await attempt(module);
  for (const log of result.logs) console.error(explain(log, dir));
  if (!result.success) throw new AuthorError('The code could not be bundled; see the errors above.');
}

/** Loads the bundle as its guest will, where /app is elsewhere, and prints the card. */
const printCard = (app: string): string => `const M = require('node:module'), resolve = M._resolveFilename;
M._resolveFilename = function (name, ...rest) { return resolve.call(this, name.startsWith('/app/') ? ${JSON.stringify(app)} + name.slice(4) : name, ...rest); };
const { existsSync } = require('node:fs');
const bundle = ${JSON.stringify(join(app, entryName))};
const loaded = existsSync(bundle + '.cjs') ? Promise.resolve(require(bundle + '.cjs')) : import(bundle + '.mjs');
loaded.then((module) => module.start({})).then((agent) => { require('node:fs').writeSync(3, JSON.stringify(agent.card)); process.exit(0); });`;

/**
 * An agent with resources or ways out of its own starts with them at once when its card is known; loading it
 * costs seconds, so only where the code has the words. What goes wrong here shows again when the agent
 * starts.
 */
export async function tellCard(plan: BuildPlan, { always = false, withinMs = 20_000 } = {}): Promise<void> {
  const app = join(plan.out, 'app');
  const code = ['.cjs', '.mjs'].map((ending) => join(app, entryName + ending)).find((path) => existsSync(path));
  if (code === undefined || !(always || /\b(?:resources|egress)\b/.test(readFileSync(code, 'utf8')))) return;
  const card = await outputOf([nodePath, '-e', printCard(app)], plan.out, withinMs);
  if (card !== undefined) writeFileSync(cardPath, card);
}
