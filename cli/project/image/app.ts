// The upper layer of an image: the agent, and the few lines that serve it by the settings of its environment.
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { build, type Message } from 'esbuild';
import { DSL_FILE } from '#contract/wire/dsl.ts';
import { ADAPTERS } from '#sdk/typescript/adapters/names.ts';
import { listSource } from '../../deploy/pack.ts';
import { refuseSecrets } from '../../deploy/secrets.ts';
import { packedOf, type Packed } from '../frontend.ts';
import { ProjectError } from '../problem.ts';
import type { Entry, Project } from '../read.ts';
import { buildIfStale, SDK_FOLDER, sdkFile } from '../sdk.ts';
import { PYTHON_SDK } from '../languages/python-venv.ts';
import type { WorkerProject } from '../languages/worker.ts';
import { libraries, type Python } from './base.ts';
import { writeLayer, type Layer, type Piece } from './layer.ts';

export const SERVE = '/app/.svc/serve.mjs';
const SDK = '/opt/svc/sdk';
const SITE = '/opt/svc/site';

export interface App {
  project: Project;
  entry: Entry;
  /** Of an agent whose handlers run in a worker. */
  worker: WorkerProject | undefined;
  python: Python | undefined;
  secrets: readonly string[];
  /** Pack files that look like keys, too. */
  allowSecrets: boolean;
}

/** @throws ProjectError */
export async function appLayer(image: string, app: App, say: (text: string) => void): Promise<Layer> {
  const { project, entry, worker, python, secrets } = app;
  await mkdir(image, { recursive: true });
  const draft = await mkdtemp(join(image, '.app-'));
  try {
    const folder = join(draft, 'app');
    const { files } = await listSource(project.folder);
    if (!app.allowSecrets) await refuseSecrets(project.folder, files);
    for (const file of files) await cp(join(project.folder, file), join(folder, file));
    await mkdir(join(folder, '.svc'), { recursive: true });
    const packed = await packedOf(project.folder, say);
    if (packed) await cp(packed.dist, join(folder, relative(project.folder, packed.dist)), { recursive: true });
    const frontend = packed && { ...packed, dist: `/app/${relative(project.folder, packed.dist)}` };
    const pieces: Piece[] = [{ from: folder, to: '/app' }];
    if (worker) pieces.push(...(await workerPieces(folder, worker, python, secrets, frontend)));
    else await bundle(project, entry, join(folder, '.svc', 'serve.mjs'), serveSource(entry, secrets, frontend));
    return await writeLayer(join(image, 'blobs', 'sha256'), pieces);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Read at the start: what `docker run -e` gives. */
const settings = (secrets: readonly string[], frontend: Packed | undefined): string => `const { env } = process;
const options = {
  listen: { host: env.HOST ?? '0.0.0.0', port: Number(env.PORT ?? 8000) },
  apiKey: env.SVC_API_KEY || undefined,
  secrets: Object.fromEntries(${JSON.stringify(secrets)}.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
  frontend: ${JSON.stringify(frontend)},
};`;
const untilEnded = `for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void started.shutdown().then(() => process.exit(0)));`;

function serveSource({ file, className }: Entry, secrets: readonly string[], frontend: Packed | undefined): string {
  return `import { startAgent } from '@svc/sdk/runtime';
import { ${className} as AgentClass } from './${basename(file)}';
${settings(secrets, frontend)}
const started = await startAgent(AgentClass, options);
${untilEnded}
`;
}

const SDK_ALIASES = Object.fromEntries([
  ...ADAPTERS.map((name) => [`@svc/sdk/adapters/${name}`, sdkFile(`adapters/${name}`)]),
  ['@svc/sdk/runtime', sdkFile('runtime')],
  ['@svc/sdk', sdkFile('index')],
]);

async function bundle({ folder }: Project, { file }: Entry, outfile: string, contents: string): Promise<void> {
  const failed = await build({
    stdin: { contents, resolveDir: join(file, '..'), sourcefile: 'serve.ts', loader: 'ts' },
    alias: SDK_ALIASES,
    absWorkingDir: folder,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'silent',
    // Packages in CommonJS call require().
    banner: { js: `import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);` },
  }).then(
    () => [],
    (error: { errors?: Message[] }) => error.errors ?? [{ text: String(error), location: null }],
  );
  if (failed.length === 0) return;
  throw new ProjectError(failed.map(({ text, location }) => ({ ...(location && { file: join(folder, location.file), line: location.line }), message: text })));
}

async function workerPieces(
  folder: string,
  worker: WorkerProject,
  python: Python | undefined,
  secrets: readonly string[],
  frontend: Packed | undefined,
): Promise<Piece[]> {
  await buildIfStale();
  const { dsl } = worker;
  const command = python ? python.executable : '/app/.svc/worker';
  const args = python && !dsl.service ? ['-m', 'svc', 'worker', dsl.worker.entrypoint, '--folder', '/app'] : [];
  await writeFile(join(folder, DSL_FILE), JSON.stringify(dsl));
  await writeFile(
    join(folder, '.svc', 'serve.mjs'),
    `import { readFileSync } from 'node:fs';
import { startSidecar } from '${SDK}/dist/sidecar.js';
${settings(secrets, frontend)}
const { SVC_API_KEY, ...rest } = env;
for (const name of Object.keys(options.secrets)) delete rest[name];
const worker = { command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}, cwd: '/app', env: { ...rest, PYTHONPATH: '${SITE}' } };
const started = await startSidecar({ dsl: JSON.parse(readFileSync('/app/${DSL_FILE}', 'utf8')), worker, ...options });
${untilEnded}
`,
  );
  const pieces: Piece[] = [
    { from: join(SDK_FOLDER, 'dist'), to: `${SDK}/dist`, without: (path) => path.endsWith('/types') },
    { from: join(SDK_FOLDER, 'package.json'), to: `${SDK}/package.json` },
  ];
  if (!python) return [...pieces, { from: worker.command, to: command }, ...(await libraries([worker.command])).map((path) => ({ from: path, to: path }))];
  const without = (path: string): boolean => /\/(?:__pycache__|pip(?:-[^/]+)?|setuptools(?:-[^/]+)?|svc-sdk\.pth)$/.test(path);
  pieces.push({ from: python.site, to: SITE, without });
  // Compiled packages are linked to more than Python itself is.
  const compiled = (await readdir(python.site, { recursive: true })).filter((name) => /\.so(?:\.\d+)*$/.test(name) && !without(`/${name}`));
  for (const path of await libraries(compiled.map((name) => join(python.site, name)))) if (!path.startsWith(python.site)) pieces.push({ from: path, to: path });
  const sdk = join(PYTHON_SDK, 'src', 'svc');
  if (existsSync(sdk)) pieces.push({ from: sdk, to: `${SITE}/svc`, without });
  return pieces;
}
