// The build program inside the build machine, run by bun: `bun build.mjs '<BuildPlan as JSON>'`. Log lines go
// to standard error.
import { readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { check } from './check.ts';
import { bundleGo, bundleRust } from './compiled.ts';
import { inspectFrontend, installFrontend, packFrontend } from './frontend.ts';
import { install } from './install.ts';
import { AuthorError, authorExit, type BuildPlan, type Inspection } from './plan.ts';
import { cacheKey, findEntry, frontendFolder, readManifest, runtimeDependencies } from './project.ts';
import { bundlePython, inspectPython, installPython } from './python.ts';

interface Language {
  /** `key` is null when the result of an install cannot be known beforehand. @throws AuthorError */
  inspect(plan: BuildPlan): { needsInstall: boolean; key: string | null };
  install(plan: BuildPlan): Promise<void>;
  bundle(plan: BuildPlan): Promise<void>;
}

const nothingToInstall = { inspect: () => ({ needsInstall: false, key: null }), install: async () => undefined };
const languages: Record<BuildPlan['language'], Language> = {
  node: { inspect: inspectNode, install, bundle },
  python: { inspect: inspectPython, install: installPython, bundle: bundlePython },
  go: { ...nothingToInstall, bundle: bundleGo },
  rust: { ...nothingToInstall, bundle: bundleRust },
};

function inspectNode(plan: BuildPlan): { needsInstall: boolean; key: string | null } {
  findEntry(plan.source, plan.entrypoint);
  const manifest = readManifest(plan.source);
  const needsInstall = runtimeDependencies(manifest).length > 0;
  return { needsInstall, key: needsInstall ? cacheKey(plan.source, manifest, plan.salt) : null };
}

/**
 * Those that a project brings along: an installer leaves what it takes for installed, and what is kept is a
 * registry's, for every project with that key.
 */
function dropPackages(folder: string): void {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
}

async function beginFrontend(plan: BuildPlan): Promise<void> {
  const { needsInstall, key } = inspectFrontend(plan);
  if (key !== null) dropPackages(frontendFolder(plan) ?? plan.source);
  const cached = key !== null && plan.known.includes(key);
  const inspection: Inspection = { until: cached ? 'inspected' : 'installed', cache_key: key };
  process.stdout.write(`${JSON.stringify(inspection)}\n`);
  if (needsInstall && !cached) await installFrontend(plan);
}

async function begin(plan: BuildPlan): Promise<void> {
  // Local settings are not part of an agent, and bun would read them.
  for (const name of readdirSync(plan.source)) if (name.startsWith('.env')) rmSync(join(plan.source, name), { recursive: true });
  const language = languages[plan.language];
  const { needsInstall, key } = language.inspect(plan);
  if (key !== null) dropPackages(plan.source);
  const until = key === null ? 'bundled' : plan.known.includes(key) ? 'inspected' : 'installed';
  const inspection: Inspection = { until, cache_key: key };
  process.stdout.write(`${JSON.stringify(inspection)}\n`);
  if (needsInstall && until !== 'inspected') await language.install(plan);
  if (until === 'bundled') await language.bundle(plan);
}

async function main(): Promise<void> {
  const plan = fromHost(process.argv[2] ?? '{}');
  endWhenFull(plan);
  switch (plan.stage) {
    case 'frontend_begin':
      return beginFrontend(plan);
    case 'begin':
      return begin(plan);
    case 'bundle':
      return languages[plan.language].bundle(plan);
    case 'check':
      return check(plan);
    case 'frontend':
      return plan.frontend && packFrontend(plan, plan.frontend);
  }
}

/**
 * Before the disk is full, when programs fail in words of their own. The machine is ended with this program.
 */
function endWhenFull({ max_disk_bytes, remedy }: BuildPlan): void {
  const look = (): void => {
    const { bsize, blocks, bfree } = statfsSync('/');
    if ((blocks - bfree) * bsize < max_disk_bytes * 0.98) return;
    console.error(`error: The build wrote more than the ${Math.round(max_disk_bytes / 1_048_576)} MiB that are allowed. ${remedy}`);
    process.exit(authorExit);
  };
  setInterval(look, 500).unref();
}

/** The host made it (planOf). */
function fromHost(text: string): BuildPlan {
  return JSON.parse(text) as BuildPlan;
}

main().catch((error: unknown) => {
  console.error(error instanceof AuthorError ? `error: ${error.message}` : error);
  process.exit(error instanceof AuthorError ? authorExit : 70);
});
