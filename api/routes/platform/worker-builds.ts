import type { workerBuilds } from '#contract/platform/worker-builds.ts';
import { listWorkerBuilds } from '#core/platform/worker-build/list.ts';
import { setCurrentBuild } from '#core/platform/worker-build/set-current.ts';
import type { Handlers } from '../../http/handlers.ts';

export const workerBuildRoutes: Handlers<typeof workerBuilds> = {
  list: (ctx) => listWorkerBuilds(ctx),
  setCurrent: (ctx, { body }) => setCurrentBuild(ctx, body),
};
