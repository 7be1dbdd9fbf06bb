// An agent in Python: its dependencies by uv, its declaration by its own code. Compiled is what it imports:
// all of a large package would take minutes.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { listenEgress, proxyEnv } from '../../guest/egress.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { progress } from '../progress.ts';
import { keepImported } from './bytecode.ts';
import { AuthorError, buildPaths, interpreterOf, pythonPaths, siteInApp, type BuildPlan } from './plan.ts';
import { frontendFolder, isObject } from './project.ts';
import { serviceDeclaration } from './service.ts';
import { checkSize, copyProject, listen, remove, writeWorkerEntry, type ProgramResult } from './tools.ts';

const sdkName = 'svc-sdk';
const normal = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');
const nameOf = (requirement: string): string => normal(/^[A-Za-z0-9][A-Za-z0-9._-]*/.exec(requirement.trim())?.[0] ?? '');

export interface PythonProject {
  /** Requirements other than the SDK, which the platform gives. */
  needs: string[];
  /** Files that say what is to be installed, in the project. */
  files: string[];
  /** Every version is written down. */
  pinned: boolean;
}

const read = (dir: string, name: string): string | undefined => (existsSync(join(dir, name)) ? withoutMark(readFileSync(join(dir, name), 'utf8')) : undefined);

/** `pyproject` is what pyproject.toml says, parsed. */
export function readPythonProject(dir: string, pyproject: unknown): PythonProject {
  const listed = requirementLines(read(dir, 'requirements.txt') ?? '');
  const project = isObject(pyproject) && isObject(pyproject['project']) ? pyproject['project'] : {};
  const declared = Array.isArray(project['dependencies']) ? project['dependencies'].filter((one) => typeof one === 'string') : [];
  const locked = read(dir, 'uv.lock') !== undefined && declared.length > 0;
  const needs = [...listed, ...declared].filter((one) => nameOf(one) !== sdkName);
  const files = ['requirements.txt', 'pyproject.toml', 'uv.lock'].filter((name) => read(dir, name) !== undefined);
  const exact = (lines: string[]): boolean => lines.every((line) => nameOf(line) === sdkName || /^[^@;]+==\s*[^\s,*;]+\s*(?:;.*|\s--hash=.*)?$/.test(line));
  return { needs, files, pinned: exact(listed) && (locked || exact(declared)) };
}

function requirementLines(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

function pyprojectOf(dir: string): unknown {
  const text = read(dir, 'pyproject.toml');
  if (text === undefined) return undefined;
  try {
    return bunToml().parse(text);
  } catch (error) {
    throw new AuthorError(`pyproject.toml cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
/** This program only ever runs under bun, which defines the global. */
const bunToml = (): { parse(text: string): unknown } => (globalThis as unknown as { Bun: { TOML: { parse(text: string): unknown } } }).Bun.TOML;

export function findPythonEntry(dir: string, entrypoint: string): { module: string; file: string } {
  const [given = '', className = ''] = entrypoint.split(':');
  const path = given.replace(/\.py$/, '').replaceAll('.', '/');
  const file = [`${path}.py`, `${path}/__init__.py`].find((name) => existsSync(join(dir, name)));
  if (file === undefined || relative(dir, resolve(dir, file)).startsWith('..'))
    throw new AuthorError(`entrypoint "${entrypoint}": there is no ${path}.py in the project; svc.yaml names it as entrypoint: module:Class.`);
  return { module: `${path.replaceAll('/', '.')}:${className}`, file };
}

/** Null when the result depends on more than these files, or on the day. */
export function pythonCacheKey(dir: string, project: PythonProject, salt: string): string | null {
  if (project.needs.length === 0 || !project.pinned) return null;
  const hash = createHash('sha256').update(`python:${salt}`);
  for (const name of project.files) {
    const text = read(dir, name) ?? '';
    hash.update(`${name}:${text.length}:`).update(text);
  }
  return hash.digest('hex');
}

export function inspectPython(plan: BuildPlan): { needsInstall: boolean; key: string | null } {
  findPythonEntry(plan.source, plan.entrypoint);
  const project = readPythonProject(plan.source, pyprojectOf(plan.source));
  return { needsInstall: project.needs.length > 0, key: pythonCacheKey(plan.source, project, plan.salt) };
}

export async function installPython(plan: BuildPlan): Promise<void> {
  const project = readPythonProject(plan.source, pyprojectOf(plan.source));
  if (!project.pinned) console.error('No lock file: every build chooses the versions again. Commit uv.lock, or pin every line of requirements.txt with ==.');
  const never = join(buildPaths.root, 'overrides.txt');
  // The platform brings the SDK. An index is never asked for it: there, anyone may have taken its name.
  writeFileSync(never, `${sdkName} ; python_version < "3"\n`);
  const sources: string[] = [];
  if (project.files.includes('requirements.txt')) sources.push('-r', join(plan.source, 'requirements.txt'));
  if (project.files.includes('uv.lock')) sources.push('-r', await exported(plan));
  else if (project.files.includes('pyproject.toml')) sources.push('-r', join(plan.source, 'pyproject.toml'));
  const { uv, wheels, site, pinned, loose } = pythonPaths;
  const interpreter = interpreterOf(plan.version);
  const options = ['--no-config', '--no-build', '--no-compile-bytecode', '--find-links', wheels, '--override', never];
  const attempt = (given: string): Promise<ProgramResult> =>
    listen([uv, 'pip', 'install', ...options, '--python', interpreter, '--target', site, '-r', given, ...sources], buildPaths.root, uvEnv(plan));
  const { onBytes, done } = downloadProgress();
  const listener = await listenEgress(plan.egress_port, plan.egress, undefined, onBytes);
  try {
    let result = await attempt(pinned);
    // The project wants another pydantic than ours: the SDK takes what suits both.
    if (result.code !== 0 && /pydantic|typing-/.test(result.stderr)) result = await attempt(loose);
    if (result.code !== 0) throw new AuthorError(installFailure(result.stderr, plan.version));
  } finally {
    done();
    listener.close();
  }
  // What it unpacked lies in the site by hard links.
  rmSync(uvCache, { recursive: true, force: true });
  remove(join(site, 'bin'));
  await keepImported(plan, site);
}

/** Bytes while they come; then that packages are being unpacked, which takes as long again. */
function downloadProgress(): { onBytes: (bytes: number) => void; done: () => void } {
  let total = 0;
  const say = progress((text) => console.error(text), 'Downloading and unpacking packages');
  const ticking = setInterval(() => say(total), 1_000);
  return { onBytes: (bytes) => void (total += bytes), done: () => clearInterval(ticking) };
}

const uvCache = join(buildPaths.root, 'uv-cache');

function uvEnv(plan: BuildPlan): Record<string, string> {
  return {
    ...proxyEnv(plan.egress_port, undefined),
    NO_PROXY: '',
    no_proxy: '',
    UV_CACHE_DIR: uvCache,
    UV_LINK_MODE: 'hardlink',
    UV_NO_PYTHON_DOWNLOADS: '1',
    UV_CONCURRENT_INSTALLS: '2',
    ...(plan.python_index === undefined ? {} : { UV_DEFAULT_INDEX: plan.python_index }),
  };
}

async function exported(plan: BuildPlan): Promise<string> {
  const out = join(buildPaths.root, 'locked.txt');
  const command = [
    pythonPaths.uv,
    'export',
    '--frozen',
    '--no-dev',
    '--no-emit-project',
    '--no-emit-package',
    sdkName,
    '--quiet',
    '--python',
    interpreterOf(plan.version),
    '-o',
    out,
  ];
  const result = await listen(command, plan.source, uvEnv(plan));
  if (result.code !== 0) throw new AuthorError(`uv.lock cannot be used: run \`uv lock\` and commit it. ${lastLine(result.stderr)}`);
  return out;
}

export function installFailure(stderr: string, version = '3.11'): string {
  const reasons = stderr
    .split('\n')
    .map((line) => line.replace(/^[\s│╰─▶×]+/, '').trim())
    .filter((line) => line !== '' && !/^(?:Resolved|Using|Prepared|warning:)/.test(line));
  const reason = reasons.slice(-6).join(' ').slice(0, 900);
  const builds = /building (?:source distributions|from source) is disabled|no usable wheels/i.test(reason);
  const remedy = builds
    ? `Builds install wheels only: choose a version that has one for Python ${version} on Linux x86-64.`
    : 'Correct requirements.txt or pyproject.toml and deploy again.';
  return `Installing the dependencies failed: ${reason} ${remedy}`;
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';

export async function bundlePython(plan: BuildPlan): Promise<void> {
  const { module, file } = findPythonEntry(plan.source, plan.entrypoint);
  const app = join(plan.out, 'app');
  copyProject(plan.source, app, ['venv'], frontendFolder(plan));
  const site = join(app, siteInApp);
  mkdirSync(join(app, '.svc'), { recursive: true });
  const installed = existsSync(pythonPaths.site);
  // Moved: a copy of large packages takes as long as their download.
  if (plan.kept) mkdirSync(site, { recursive: true });
  else if (installed) renameSync(pythonPaths.site, site);
  else await copy(pythonPaths.platform, site);
  if (installed) await copy(join(pythonPaths.platform, 'svc'), join(site, 'svc'));
  const dsl = plan.service
    ? await serviceDeclaration(plan, plan.service, [file])
    : await declarationOf(plan, app, plan.kept ? `${site}:${pythonPaths.site}` : site, module);
  await compileAll(plan, app, ['-x', String.raw`/\.svc/`]);
  writeWorkerEntry(plan, dsl, {
    command: interpreterOf(plan.version),
    args: plan.service ? [] : ['-m', 'svc', 'worker', module],
    env: { PYTHONPATH: `/app:/app/${siteInApp}`, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
  checkSize(plan, plan.kept ? pythonPaths.site : undefined);
}

/** By the system's program: hundreds of small files take this one seconds under emulation. */
async function copy(from: string, to: string): Promise<void> {
  const result = await listen(['cp', '-r', '--no-preserve=ownership', from, to], buildPaths.root, {});
  if (result.code !== 0) throw new Error(`copying ${from} failed with code ${result.code}`);
}

/**
 * The paths in it are those of the running agent. Invalid Python files are ignored: they do no harm unless
 * they are imported.
 */
async function compileAll(plan: BuildPlan, dir: string, more: string[]): Promise<void> {
  const command = [interpreterOf(plan.version), '-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', dir, '-p', '/app', ...more, dir];
  await listen(command, buildPaths.root, {}, { quiet: true });
}

async function declarationOf(plan: BuildPlan, app: string, site: string, module: string): Promise<string> {
  const env = { PYTHONPATH: `${app}:${site}`, PYTHONDONTWRITEBYTECODE: '1' };
  const { code, stdout, stderr } = await listen([interpreterOf(plan.version), '-m', 'svc', 'compile', module], app, env, { quiet: true });
  if (code === 0) return stdout.trim();
  const problems = problemsIn(stdout, app) ?? problemsIn(stderr, app);
  if (problems === undefined) process.stderr.write(stderr);
  throw new AuthorError((problems ?? [`${lastLine(stderr)} (${module} could not be loaded; its output is above)`]).join('\n'));
}

/** `file:line: error: what`, from the list that the SDK prints. */
export function problemsIn(text: string, app: string): string[] | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.filter(isObject).map(({ file, line, message }) => {
    const place = typeof file === 'string' ? `${file.startsWith(app) ? relative(app, file) : file}:${typeof line === 'number' ? `${line}:` : ''} ` : '';
    return `${place}error: ${String(message)}`;
  });
}
