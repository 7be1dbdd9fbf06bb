// One line for each request; nothing in it that could be used to call again.
import type { DestinationStream, Logger } from 'pino';
import { openLogger } from '#drivers/log/logger.ts';

export function createLogger(level: string, destination?: DestinationStream): Logger {
  return openLogger({ part: 'api', level }, destination);
}

const SECRET_QUERY = /([?&](?:integration_token|code|state|token|id_token|access_token|login_hint|session_state)=)[^&#]*/gi;

/** The address without what its query may prove; for routes that carry a token in the path, log the route instead. */
export function safeUrl(url: string): string {
  return url.replace(SECRET_QUERY, '$1[redacted]');
}
