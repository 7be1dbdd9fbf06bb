// The build program inside the build machine, run by bun: `bun build.mjs '<BuildPlan as JSON>'`. Log lines go to standard error.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { install } from './install.ts';
import { AuthorError, authorExit, type BuildPlan, type Inspection } from './plan.ts';
import { cacheKey, findEntry, readManifest, runtimeDependencies } from './project.ts';

async function begin(plan: BuildPlan): Promise<void> {
  // Local settings are not part of an agent, and bun would read them.
  for (const name of readdirSync(plan.source)) if (name.startsWith('.env')) rmSync(join(plan.source, name), { recursive: true });
  findEntry(plan.source, plan.entrypoint);
  const manifest = readManifest(plan.source);
  const needsInstall = runtimeDependencies(manifest).length > 0;
  const key = needsInstall ? cacheKey(plan.source, manifest, plan.salt) : null;
  const until = key === null ? 'bundled' : plan.known.includes(key) ? 'inspected' : 'installed';
  const found: Inspection = { until, cache_key: key };
  process.stdout.write(`${JSON.stringify(found)}\n`);
  if (needsInstall && until !== 'inspected') await install(plan);
  if (until === 'bundled') await bundle(plan);
}

async function main(): Promise<void> {
  const plan = fromHost(process.argv[2] ?? '{}');
  await (plan.stage === 'begin' ? begin(plan) : bundle(plan));
}

/** The host made it (planOf). */
function fromHost(text: string): BuildPlan {
  return JSON.parse(text) as BuildPlan;
}

main().catch((error: unknown) => {
  console.error(error instanceof AuthorError ? `error: ${error.message}` : error);
  process.exit(error instanceof AuthorError ? authorExit : 70);
});
