import type { z } from 'zod';
import type { WorkerBuildListOut } from '#contract/platform/worker-builds.ts';
import type { WorkflowBuild } from '#drivers/workflows/versions.ts';
import { WorkflowsUnavailable } from '#drivers/workflows/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';

type Listed = z.infer<typeof WorkerBuildListOut>;

/** @throws Unavailable unavailable */
export async function listWorkerBuilds(ctx: Ctx): Promise<Listed> {
  requireOperator(ctx, 'worker_build.list');
  const builds = await askVersions(async () => (await ctx.drivers.workflowVersions?.builds()) ?? []);
  return { items: builds.map(presentBuild) };
}

/** @throws Unavailable unavailable */
export async function askVersions<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkflowsUnavailable)) throw error;
    throw new Unavailable('unavailable', 'Temporal does not answer: look at its log, then try again');
  }
}

export function presentBuild({ current_since: since, first_seen, pinned, ...build }: WorkflowBuild): Listed['items'][number] {
  const at = (ms: number): string => new Date(ms).toISOString();
  return { ...build, current_since: since === null ? null : at(since), first_seen: at(first_seen), pinned_workflows: pinned };
}
