// One line for each request; nothing in it that could be used to call again.
import { pino, type DestinationStream, type Logger } from 'pino';

const CREDENTIALS = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-svc-api-key',
  'svc-grant',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'integration_token',
  'password',
  'api_key',
  'client_secret',
];

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const paths = CREDENTIALS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`, `*.*.*["${name}"]`]);
  const options = { level, base: { part: 'api' }, redact: { paths, censor: '[redacted]' } };
  return destination ? pino(options, destination) : pino(options);
}

const SECRET_QUERY = /([?&](?:integration_token|code|state|token|id_token|access_token|login_hint|session_state)=)[^&#]*/gi;

/** The address without what its query may prove; for routes that carry a token in the path, log the route instead. */
export function safeUrl(url: string): string {
  return url.replace(SECRET_QUERY, '$1[redacted]');
}
