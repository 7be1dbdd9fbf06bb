import type { z } from 'zod';
import type { WorkerBuildOut } from '#contract/platform/worker-builds.ts';
import type { WorkflowBuild, WorkflowVersions } from '#drivers/workflows/versions.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound, Unavailable } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { makeBuildCurrent } from './current.ts';
import { askVersions, presentBuild } from './list.ts';

/** @throws NotFound worker_build_not_found, Conflict worker_build_not_running, Unavailable unavailable */
export async function setCurrentBuild(ctx: Ctx, { build_id }: { build_id: string }): Promise<z.infer<typeof WorkerBuildOut>> {
  requireOperator(ctx, 'worker_build.set_current');
  const versions = ctx.drivers.workflowVersions;
  if (!versions) throw notFound(build_id);
  const wanted = await buildById(versions, build_id);
  if (wanted.workers === 0) {
    throw new Conflict('worker_build_not_running', `No worker runs build ${build_id}: start the platform with that code on one machine, then set it here`);
  }
  if ((await askVersions(() => makeBuildCurrent(ctx, versions, build_id))) === false) throw notReady(build_id);
  return presentBuild(await buildById(versions, build_id));
}

async function buildById(versions: WorkflowVersions, buildId: string): Promise<WorkflowBuild> {
  const build = await askVersions(() => versions.build(buildId));
  if (!build) throw notFound(buildId);
  return build;
}

/**
 * Temporal lists it, and has not written down all of it yet: for a moment after its first worker has come.
 */
function notReady(buildId: string): Unavailable {
  return new Unavailable('unavailable', `Temporal is still registering build ${buildId}: try again in a moment`, { retry_after_seconds: 2 });
}

function notFound(buildId: string): NotFound {
  return new NotFound('worker_build_not_found', `No worker has run build ${buildId}: list the builds with svc workers list`);
}
