// How every process of the platform logs: JSON lines on stdout, without credentials, from a logger that never
// throws.
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
const MAX_CAUSES = 5;
const MAX_TEXT = 16_384;

export interface LoggerOptions {
  part: 'api' | 'worker' | 'host' | 'imports';
  /** Default 'info'. */
  level?: string | undefined;
}

/** Its methods never throw; for a line that cannot be written the logger writes one with `unwritable`. */
export function openLogger({ part, level = 'info' }: LoggerOptions, destination: DestinationStream = stdout()): Logger {
  const paths = CREDENTIALS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`, `*.*.*["${name}"]`]);
  return pino(
    {
      level,
      base: { part },
      redact: { paths, censor: '[redacted]' },
      serializers: { err: describeError },
      hooks: {
        logMethod(args, method) {
          try {
            method.apply(this, args);
          } catch (error) {
            // Redaction fails on typed arrays, serializers on hostile getters: the line is lost, its caller
            // continues.
            const [fields, message] = args as unknown[];
            const msg = [fields, message].find((one) => typeof one === 'string');
            method.apply(this, [{ unwritable: error instanceof Error ? error.message : 'unknown' }, msg ?? 'a line could not be written']);
          }
        },
      },
    },
    destination,
  );
}

/**
 * Only what every error has and its code: other members hold what callers sent (a parser's packet, a
 * statement's values).
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: cut(typeof error === 'object' ? 'not an error' : String(error)) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {};
  const below = cause === undefined || depth >= MAX_CAUSES ? {} : { cause: describeError(cause, depth + 1) };
  return { type: name, message: cut(message), ...(stack === undefined ? {} : { stack: cut(stack) }), ...code, ...below };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** A full disk or a closed pipe loses lines, not the process. */
function stdout(): DestinationStream {
  return pino.destination({ fd: process.stdout.fd, sync: true }).on('error', () => undefined);
}
