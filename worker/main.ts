// The worker process: workflows, their activities on this host, and the housekeeping loops.
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { readEnvironment } from './environment.ts';
import { startWorker } from './start.ts';

const env = readEnvironment(process.env);
const log = pino({ name: 'worker', level: env.SVC_LOG_LEVEL });
const worker = await startWorker(env, log);
if (env.SVC_READY_FILE !== undefined) writeFileSync(env.SVC_READY_FILE, '');

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping');
    worker.stop();
  });
}
await worker.done;
log.info('stopped');
