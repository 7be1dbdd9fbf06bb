// The Temporal runtime's log lines in our format.
import { DefaultLogger, type Logger as TemporalLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

export function temporalLogger(log: Logger): TemporalLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    const fields = { ...meta, component: 'temporal' };
    if (level === 'ERROR') log.error(fields, message);
    else if (level === 'WARN') log.warn(fields, message);
    else log.debug(fields, message);
  });
}
