// One line for each request; nothing in it that could be used to call again.
import type { DestinationStream, Logger } from 'pino';
import { openLogger } from '#drivers/log/logger.ts';

export function createLogger(level: string, destination?: DestinationStream): Logger {
  return openLogger({ part: 'api', level }, destination);
}

const SECRETS = new Set(['integration_token', 'code', 'state', 'token', 'id_token', 'access_token', 'login_hint', 'session_state']);

/**
 * The address without what its query may prove; for routes that carry a token in the path, log the route
 * instead.
 */
export function safeUrl(url: string): string {
  return url.replace(/([?&;])([^=&;#?]*)=[^&;#]*/g, (pair: string, separator: string, name: string) =>
    SECRETS.has(decoded(name).toLowerCase()) ? `${separator}${name}=[redacted]` : pair,
  );
}

/** Servers decode names, so an encoded one is the same. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
