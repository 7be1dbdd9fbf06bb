// Builds of the workflow code that workers run, and which of them is current. A worker never decides it by
// being started.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant } from '../shared.ts';

const BuildId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/, 'a build id, as the list of builds shows it')
  .meta({ description: 'Names the workflow code: equal for equal sources and dependencies.' });
const Count = z.int().min(0);

export const WorkerBuildOut = z
  .strictObject({
    build_id: z.string(),
    current: z.boolean().meta({ description: 'New workflows, and open ones that follow the code, go to this build.' }),
    current_since: Instant.nullable(),
    first_seen: Instant,
    workers: Count.meta({ description: 'Processes that asked for its tasks in the last five minutes. One process also runs earlier builds that are needed.' }),
    pinned_workflows: Count.meta({ description: 'Open workflows that continue with this build only.' }),
  })
  .meta({ id: 'WorkerBuildOut' });

export const WorkerBuildListOut = z
  .strictObject({ items: z.array(WorkerBuildOut).meta({ description: 'The newest first.' }) })
  .meta({ id: 'WorkerBuildListOut' });

const CurrentBuildIn = z.strictObject({ build_id: BuildId }).meta({ id: 'CurrentBuildIn' });

export const workerBuilds = svcGroup({
  list: {
    at: 'GET /v1/operator/worker-builds',
    summary: 'Builds of the workflow code, which is current, and who runs them',
    scope: 'operator',
    out: WorkerBuildListOut,
    errors: [401, 403, 503],
  },
  setCurrent: {
    at: 'PUT /v1/operator/worker-builds/current',
    summary: 'Make a build of the workflow code current',
    description:
      'New workflows, and open ones that follow the code, go to it; pinned ones stay where they began. It needs a worker that runs it. `npm run up` makes the build that it starts current; a worker that is started again changes nothing.',
    scope: 'operator',
    body: CurrentBuildIn,
    out: WorkerBuildOut,
    errors: [401, 403, 404, 409, 503],
  },
});
