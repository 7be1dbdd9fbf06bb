// Installs the dependencies with bun through the in-guest egress listener; no install script of any package
// runs here.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import { listenEgress, proxyEnv } from '../../guest/egress.ts';
import { AuthorError, type BuildPlan } from './plan.ts';
import { isObject, lockFileOf, readManifest, sdkName } from './project.ts';

/**
 * The platform gives the SDK, so it is taken out of what the registry is asked for, and of npm's lock;
 * another lock cannot be frozen then.
 */
export function withoutSdk(dir: string): boolean {
  const manifest = readManifest(dir);
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  let hasSdk = false;
  for (const field of fields) {
    const group = manifest[field];
    if (typeof group !== 'object' || group === null || !(sdkName in group)) continue;
    manifest[field] = Object.fromEntries(Object.entries(group).filter(([name]) => name !== sdkName));
    hasSdk = true;
  }
  if (hasSdk) writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest, null, 2));
  return hasSdk && !withoutSdkInLock(join(dir, 'package-lock.json'));
}

/** Of package-lock.json, which is JSON; false: there is none, or it is not as npm writes it. */
function withoutSdkInLock(path: string): boolean {
  if (!existsSync(path)) return false;
  const lock = parseJson(readFileSync(path, 'utf8'));
  const packages = isObject(lock) ? lock['packages'] : undefined;
  const root = isObject(packages) ? packages[''] : undefined;
  if (!isObject(packages) || !isObject(root)) return false;
  for (const group of Object.values(root)) if (isObject(group)) delete group[sdkName];
  delete packages[`node_modules/${sdkName}`];
  writeFileSync(path, JSON.stringify(lock, null, 2));
  return true;
}

export function run(command: string[], cwd: string, env: Record<string, string>): Promise<number> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** The way to the package registries, for who listens to the egress port meanwhile. */
export function registryEnv(plan: BuildPlan): Record<string, string> {
  return {
    ...proxyEnv(plan.egress_port, undefined),
    NO_PROXY: '',
    no_proxy: '',
    ...(plan.registry === undefined ? {} : { BUN_CONFIG_REGISTRY: plan.registry, npm_config_registry: plan.registry }),
  };
}

/** @param production without what only development needs */
export async function install(plan: BuildPlan, dir = plan.source, { production = true } = {}): Promise<void> {
  if (existsSync(join(dir, 'bunfig.toml'))) {
    console.error('bunfig.toml is not used in builds.');
    rmSync(join(dir, 'bunfig.toml'));
  }
  const edited = withoutSdk(dir);
  const lock = lockFileOf(dir);
  if (lock === undefined) console.error('No lock file: every build chooses the versions again. Commit bun.lock or package-lock.json to keep them.');
  const listener = await listenEgress(plan.egress_port, plan.egress);
  // --production insists on the lock as it is.
  const scope = production ? [edited ? '--omit=dev' : '--production'] : [];
  const base = [process.execPath, 'install', ...scope, '--ignore-scripts', '--no-progress', '--no-summary'];
  try {
    const frozen = lock !== undefined && !edited;
    const code = await run(frozen ? [...base, '--frozen-lockfile'] : base, dir, registryEnv(plan));
    if (code !== 0) throw new AuthorError(failure(dir, lock));
  } finally {
    listener.close();
  }
}

function failure(dir: string, lock: string | undefined): string {
  const scoped = existsSync(join(dir, '.npmrc')) && /registry\s*=/.test(readFileSync(join(dir, '.npmrc'), 'utf8'));
  if (scoped) return 'Installing the dependencies failed. .npmrc names a registry; builds reach only the registries the operator allows (SVC_BUILD_EGRESS).';
  if (lock === undefined) return 'Installing the dependencies failed; see the lines above for the package.';
  return `Installing the dependencies failed; see the lines above. If ${lock} does not match package.json, run your installer again and commit the lock file.`;
}
