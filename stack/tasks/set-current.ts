// Makes the workflow code of the worker that runs here current, once it polls; then ends. Its last line is
// what `up` shows.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startOfInstallation } from '#core/platform/worker-build/start.ts';
import { createPool } from '#db/pool.ts';
import { answeredJson } from '../health.ts';

/** The server notices a new worker within a second or two. */
const NOTICED_MS = 60_000;
const AGAIN_MS = 250;

const Environment = z.object({
  DATABASE_URL: z.string(),
  TEMPORAL_ADDRESS: z.string(),
  TEMPORAL_NAMESPACE: z.string(),
  TEMPORAL_API_KEY: z.string().optional(),
  SVC_WORKER_SOCKET: z.string(),
});
const Health = z.object({ build_id: z.string().nullable() });

const env = Environment.parse(process.env);
const { build_id: build } = Health.parse(await answeredJson({ socketPath: env.SVC_WORKER_SOCKET, path: '/healthz' }));
console.log(build === null ? 'this Temporal server knows no versions of workflow code' : await makeCurrent(build));

async function makeCurrent(buildId: string): Promise<string> {
  const db = createPool({ connectionString: env.DATABASE_URL, max: 1, applicationName: 'svc-set-current' });
  const installation = startOfInstallation(db, {
    address: env.TEMPORAL_ADDRESS,
    namespace: env.TEMPORAL_NAMESPACE,
    ...(env.TEMPORAL_API_KEY && { apiKey: env.TEMPORAL_API_KEY }),
  });
  try {
    for (const deadline = performance.now() + NOTICED_MS; ;) {
      const made = await installation.makeCurrent(buildId);
      if (made) return sentence(buildId, made.before);
      if (performance.now() > deadline)
        throw new Error(`Temporal has not noticed the worker of build ${buildId} in ${NOTICED_MS / 1000} s: it cannot take work`);
      await sleep(AGAIN_MS);
    }
  } finally {
    await installation.close();
    await db.destroy();
  }
}

/** One who starts an older program after a newer one has to know how to go back. */
function sentence(buildId: string, before: string | undefined): string {
  const now = `workflow code ${buildId.slice(0, 12)} is current`;
  if (before === undefined || before === buildId) return now;
  return `${now}, before it was ${before.slice(0, 12)}. To go back: svc workers set-current ${before}, or start that version again (deploy/runbooks/workers.md)`;
}
