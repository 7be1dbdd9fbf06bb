// Every failure ends as one or two sentences: what is wrong, and what to do next.
import { ApiError } from '#contract/client.ts';
import { ManifestError } from '#contract/wire/manifest.ts';
import { EXIT } from './exit-codes.ts';
import { plain } from './output.ts';

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
  const missing =
    error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' ? /Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined;
  if (missing !== undefined)
    return { message: `This command needs the package ${missing}. Install it beside svc: npm install ${missing}`, exitCode: EXIT.failure };
  if (isConnectionFailure(error)) {
    return { message: 'The control plane does not answer. Is it up (npm run status)? Is --api or SVC_API_URL right?', exitCode: EXIT.unreachable };
  }
  return { message: error instanceof Error ? error.message : String(error), exitCode: EXIT.failure };
}

function explainRefusal(error: ApiError): Explanation {
  // Of plain invalid input the message is but the issues again.
  const invalid = error.code === 'invalid_input';
  const issues = (error.detail.issues ?? []).filter(({ message }) => invalid || !error.message.includes(message)).map(issueLine);
  const reference = error.status >= 500 && error.detail.request_id ? ` (request ${error.detail.request_id})` : '';
  const head = invalid && issues.length > 0 ? 'That is not what the control plane takes:' : `${capital(error.message)}${reference}`;
  const message = [head, ...issues].join('\n');
  if (error.status === 401) return { message: `${message}\nSign in with: svc login`, exitCode: EXIT.notSignedIn };
  return { message, exitCode: error.status === 503 && error.code === 'identity_provider_unreachable' ? EXIT.unreachable : EXIT.failure };
}

interface Issue {
  path: readonly (string | number)[];
  message: string;
}

/** Why a run ended badly: `(code): what happened`, and each place that its message does not name. */
export function faultText({ code, message, issues = [] }: { code: string; message: string; issues?: readonly Issue[] | undefined }): string {
  const more = issues.filter((issue) => !message.includes(issue.message)).map(issueLine);
  return [`(${code}): ${message}`, ...more].map(plain).join('\n');
}

/** Leaves out the first member of the path (params, query, body): it is not part of what the user typed. */
function issueLine({ path, message }: Issue): string {
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

/** A sentence starts with a capital; what starts with code, such as `view()`, keeps it as it is written. */
function capital(text: string): string {
  if (!/^[a-z]+[ ,:;']/.test(text)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
