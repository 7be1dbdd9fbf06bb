// Every failure ends as one or two sentences: what is wrong, and what to do next.
import { ApiError } from '../contract/client.ts';
import { ManifestError } from '../contract/wire/manifest.ts';
import { EXIT } from './exit-codes.ts';

export class CliError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.failure, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** The command line is wrong. */
export class UsageError extends CliError {
  constructor(message: string) {
    super(message, EXIT.usage);
    this.name = 'UsageError';
  }
}

export class NotSignedIn extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT.notSignedIn, options);
    this.name = 'NotSignedIn';
  }
}

export interface Explanation {
  message: string;
  exitCode: number;
}

export function explain(error: unknown): Explanation {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ApiError) return explainRefusal(error);
  if (error instanceof ManifestError) return { message: error.message, exitCode: EXIT.failure };
  if (isConnectionFailure(error)) {
    return { message: 'The control plane does not answer. Is it up (npm run status)? Is --api or SVC_API_URL right?', exitCode: EXIT.unreachable };
  }
  return { message: error instanceof Error ? error.message : String(error), exitCode: EXIT.failure };
}

function explainRefusal(error: ApiError): Explanation {
  const issues = (error.detail.issues ?? []).map(({ path, message }) => issueLine(path, message));
  const reference = error.status >= 500 && error.detail.request_id ? ` (request ${error.detail.request_id})` : '';
  // Of plain invalid input the message is but the issues again.
  const head = error.code === 'invalid_input' && issues.length > 0 ? 'That is not what the control plane takes:' : `${capital(error.message)}${reference}`;
  const message = [head, ...issues].join('\n');
  if (error.status === 401) return { message: `${message}\nSign in with: svc login`, exitCode: EXIT.notSignedIn };
  return { message, exitCode: error.status === 503 && error.code === 'identity_provider_unreachable' ? EXIT.unreachable : EXIT.failure };
}

/** The path's first member is where in the request it stands (params, query, body), which nobody typed. */
function issueLine(path: readonly (string | number)[], message: string): string {
  const where = ['params', 'query', 'body'].includes(String(path[0])) ? path.slice(1) : path;
  return where.length === 0 ? `  ${message}` : `  ${where.join('.')}: ${message}`;
}

/** fetch hides why it failed in `cause`. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const causes = [error, error.cause, ...(error.cause instanceof AggregateError ? error.cause.errors : [])];
  return causes.some(
    (one) =>
      one instanceof Error &&
      'code' in one &&
      /^(ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|EHOST|ENET|ETIMEDOUT|UND_ERR_(CONNECT|SOCKET|HEADERS))/.test(String(one.code)),
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
