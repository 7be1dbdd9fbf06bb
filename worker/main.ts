// The worker process: workflows, their activities on this host, and the housekeeping loops.
import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { openLogger } from '#drivers/log/logger.ts';
import { keepRunning } from '#drivers/log/uncaught.ts';
import { readEnvironment } from './environment.ts';
import { startWorker } from './start.ts';

const env = readEnvironment(process.env);
const log = openLogger({ part: 'worker', level: env.SVC_LOG_LEVEL });
const worker = await startWorker(env, log);
keepRunning(log);
flushCompileCache();
const { SVC_READY_FILE: sign } = env;
if (sign !== undefined) {
  writeFileSync(sign, '');
  // A heartbeat: the supervisor sees by its age when this process hangs.
  setInterval(() => {
    try {
      writeFileSync(sign, '');
    } catch (error) {
      log.warn({ err: error }, 'the sign of life could not be written');
    }
  }, 5_000).unref();
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping');
    worker.stop();
  });
}
try {
  await worker.done;
  log.info('stopped');
} catch (error) {
  // A worker that no longer polls is of no use: its supervisor starts another.
  log.fatal({ err: error }, 'ended');
  process.exit(1);
}
