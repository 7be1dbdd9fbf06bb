// Small parts of the HTTP face: answers, refusals, bodies.
import { NumberOutOfRange, parseExact } from '../../../contract/wire/exact-json.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentErrorCode, AgentErrorDetail } from '../../../contract/wire/errors.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { AgentBusy, AgentNotReady, issuesIn, MissingScopes, SvcError } from '../authoring/errors.ts';
import type { IdSource } from './ids.ts';

/** A refusal that concerns the request as HTTP, not a skill. */
export class HttpError extends SvcError {
  readonly headers: Readonly<Record<string, string>>;
  constructor(code: AgentErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(code, message);
    this.headers = headers;
  }
}

/** The platform's id of the request, or one of our own. */
export function requestIdOf(req: IncomingMessage, ids: IdSource): string {
  const given = req.headers[HEADER.requestId];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : `req_${ids.uuid()}`;
}

export function sendJson(res: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string> = {}): void {
  if (res.destroyed || res.headersSent) return;
  const bytes = Buffer.byteLength(body);
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes, ...headers });
  // A text of only ASCII has a byte for each character, and a shorter way out; of a buffer Node ignores the
  // encoding.
  res.end(body, bytes === body.length ? 'latin1' : 'utf8');
}

export function sendError(res: ServerResponse, error: SvcError, requestId: string): void {
  const headers: Record<string, string> = { [HEADER.requestId]: requestId };
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (error instanceof HttpError) Object.assign(headers, error.headers);
  sendJson(res, error.status, JSON.stringify({ detail: detailOf(error, requestId) }), headers);
}

function retryAfterOf(error: SvcError): number | undefined {
  return error instanceof AgentBusy || error instanceof AgentNotReady ? error.retryAfterSeconds : undefined;
}

export function detailOf(error: SvcError, requestId: string): AgentErrorDetail {
  const issues = issuesIn(error);
  return {
    code: error.code,
    message: error.message,
    request_id: requestId,
    ...(issues && { issues: [...issues] }),
    ...(error instanceof MissingScopes && { missing_scopes: [...error.missing] }),
    ...(retryAfterOf(error) !== undefined && { retry_after_seconds: retryAfterOf(error) }),
  };
}

/** The body as a JSON value; an empty body is `{}`. @throws HttpError 400, 413, 415 */
export async function readJson(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const packing = req.headers['content-encoding'];
  if (packing !== undefined && packing !== 'identity')
    throw new HttpError('unsupported_media_type', 'send the body as it is: only the platform unpacks a content-encoding', { 'accept-encoding': 'identity' });
  const bytes = await readBody(req, maxBytes);
  if (bytes.length === 0) return {};
  // A page of another origin may post forms and text without asking; it may not post this type.
  const type = req.headers['content-type'] ?? '';
  if (type !== 'application/json' && !/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    throw new HttpError('unsupported_media_type', 'send the arguments as JSON, with "content-type: application/json"');
  }
  try {
    // A byte order mark is not part of the JSON (RFC 8259, 8.1); some clients send one.
    return parseExact(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new HttpError('bad_request', error instanceof NumberOutOfRange ? error.message : 'the body is not JSON');
  }
}

function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return void chunks.push(chunk);
      req.removeAllListeners('data');
      req.pause();
      reject(tooLarge(maxBytes));
    });
    let whole = false;
    req.on('end', () => {
      whole = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    req.on('error', reject);
    req.on('close', () => whole || reject(new HttpError('bad_request', 'the body ended early')));
  });
}

function tooLarge(maxBytes: number): HttpError {
  // The rest of the body is not read, so the connection cannot serve another request.
  return new HttpError('body_too_large', `the body may have ${maxBytes} bytes at most`, { connection: 'close' });
}
