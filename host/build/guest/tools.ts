// What the languages' builds share: programs with their output kept, the project's own files, the entry of an
// agent that runs in a worker.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import { AuthorError, cardPath, codeCacheOf, dslFile, sidecarBundle, type BuildPlan } from './plan.ts';
import { isObject } from './project.ts';

export interface ProgramResult {
  code: number;
  stdout: string;
  stderr: string;
}

const maxOutput = 4 * 1_048_576;

/** Runs a program and keeps what it says; its standard error also becomes log lines as it comes. */
export function listen(command: readonly string[], cwd: string, env: Record<string, string>, { quiet = false } = {}): Promise<ProgramResult> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout = (output.stdout + chunk.toString()).slice(0, maxOutput)));
    child.stderr.on('data', (chunk: Buffer) => {
      output.stderr = (output.stderr + chunk.toString()).slice(-maxOutput);
      if (!quiet) process.stderr.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, ...output }));
  });
}

/** What a program writes to its third descriptor; undefined when it fails or takes too long. */
export function outputOf(command: readonly string[], cwd: string, withinMs: number): Promise<string | undefined> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], timeout: withinMs, killSignal: 'SIGKILL' });
    let text = '';
    child.stdio[3]?.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(0, maxOutput)));
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? text : undefined));
  });
}

const never = ['node_modules', '.git', '.svc', '.npmrc', '.venv', '__pycache__'];

/**
 * Prompts, data and pages an agent reads at run time; not its dependencies, its history, its local settings
 * or the folder `without`, its frontend's.
 */
export function copyProject(dir: string, app: string, left: readonly string[] = [], without?: string): void {
  mkdirSync(app, { recursive: true });
  for (const name of readdirSync(dir)) {
    if (never.includes(name) || left.includes(name)) continue;
    cpSync(join(dir, name), join(app, name), { recursive: true, filter: (path) => path !== without && !path.endsWith('__pycache__') });
  }
}

/** `beside`: what the host adds to it. */
export function checkSize(plan: BuildPlan, beside?: string): void {
  const bytes = sizeOf(plan.out) + (beside === undefined ? 0 : sizeOf(beside));
  if (bytes <= plan.max_output_bytes) return;
  throw new AuthorError(`The build is ${mib(bytes)} MiB large; ${mib(plan.max_output_bytes)} MiB are allowed. ${plan.remedy}`);
}

function sizeOf(path: string): number {
  const about = statSync(path);
  if (!about.isDirectory()) return about.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

const mib = (bytes: number): number => Math.ceil(bytes / 1_048_576);

export interface WorkerProgram {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
}

/**
 * Makes the layer's entry: the sidecar, which starts this worker. The declaration lies beside it; the host
 * gets its card.
 */
export function writeWorkerEntry(plan: BuildPlan, dsl: string, { command, args, env = {} }: WorkerProgram): void {
  const declaration = parseJson(dsl);
  if (!isObject(declaration) || !isObject(declaration['card']))
    throw new AuthorError(`${dslFile} is no compiled declaration; run \`svc compile\` and deploy again.`);
  const app = join(plan.out, 'app');
  mkdirSync(join(app, '.svc'), { recursive: true });
  writeFileSync(join(app, dslFile), dsl);
  for (const name of [sidecarBundle, codeCacheOf(sidecarBundle)]) cpSync(join(plan.sdk, name), join(app, name));
  writeFileSync(join(app, 'svc-agent.cjs'), entrySource(JSON.stringify({ command, args, cwd: '/app', socket: '/run/svc/worker.sock' }), JSON.stringify(env)));
  writeFileSync(cardPath, JSON.stringify(declaration['card']));
}

/** The worker gets the agent's plain environment and the way out; secrets go over the protocol. */
const entrySource = (worker: string, env: string): string => `const { startSidecar, controlPlane } = require('./${sidecarBundle}');
const dsl = JSON.parse(require('node:fs').readFileSync(__dirname + '/${dslFile}', 'utf8'));
exports.start = ({ platform, ...options }) => {
  const { NODE_ENV, NODE_USE_ENV_PROXY, ...inherited } = process.env;
  const worker = { ...${worker}, env: { ...inherited, ...${env} } };
  return startSidecar({ dsl, worker, ...options, ...(platform && controlPlane ? { platform: controlPlane(platform) } : {}) });
};
`;

/** The declaration that a project in a language without a compiler of ours brings along. */
export function projectDeclaration(dir: string): string {
  const declarationPath = ['agent.dsl.json', dslFile].map((name) => join(dir, name)).find((path) => existsSync(path));
  if (declarationPath === undefined) throw new AuthorError('agent.dsl.json is missing: the declaration of an agent in this language lies beside svc.yaml.');
  return readFileSync(declarationPath, 'utf8');
}

export const remove = (path: string): void => rmSync(path, { recursive: true, force: true });
