// The API process: control plane, API reference, identity provider and agents' addresses on one port.
import { flushCompileCache } from 'node:module';
import { keepRunning } from '#drivers/log/uncaught.ts';
import { createLogger } from './http/log.ts';
import { giveUpRequest } from './http/request-scope.ts';
import { readEnvironment } from './environment.ts';
import { startApi } from './start.ts';

const env = readEnvironment(process.env);
const log = createLogger(env.SVC_LOG_LEVEL);
const api = await startApi(env, log);
keepRunning(log, giveUpRequest);
log.info({ url: api.url }, 'ready');
flushCompileCache();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'stopping');
    api.stop().then(
      () => log.info('stopped'),
      (error: unknown) => log.error({ err: error }, 'stopping failed'),
    );
  });
}
