// The small HTTP client a run speaks to the control plane with: its credential as bearer, refusals as the
// SDK's errors, and patience with a platform that starts again, where sending twice does no harm.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  FileNotFound,
  GrantInvalid,
  NobodyToAsk,
  NotAvailable,
  SandboxUnavailable,
  ScopeDenied,
  SkillInvocationError,
  SvcError,
  WorkspaceDenied,
  WriteNeedsApproval,
} from '../authoring/errors.ts';
import { HEADER } from '../../../contract/wire/headers.ts';

/** The platform refused, or could not be reached. `platformCode` is its own code. */
export class PlatformError extends SkillInvocationError {
  readonly platformCode: string;
  readonly platformStatus: number;
  constructor(message: string, { code, status }: { code: string; status: number }, options?: ErrorOptions) {
    super(message, { ...options, code: 'not_available', status: 502 });
    this.platformCode = code;
    this.platformStatus = status;
  }
}

export interface PlatformRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | undefined>;
  json?: unknown;
  bytes?: Uint8Array;
  grant?: string | undefined;
  /** default 30 */
  timeoutSeconds?: number;
  /** May be sent again after a lost connection, or when the platform was away; default: all but POST. */
  repeatable?: boolean;
  /** For messages: `workspace.read()`. */
  what: string;
}

export interface RunCredential {
  token: string | undefined;
  requestId: string;
  signal: AbortSignal;
}

const MAX_ANSWER_BYTES = 96 * 1024 * 1024;
/** A platform that starts again is back in seconds; the skill's own time ends the waiting earlier. */
const PATIENCE_MS = 120_000;
const LONGEST_PAUSE_MS = 3_000;
const Refusal = z.object({ detail: z.object({ code: z.string(), message: z.string(), wait_id: z.string().max(64).optional() }) });

/** @throws SvcError */
export async function platformJson<T>(base: string, run: RunCredential, request: PlatformRequest, model: z.ZodType<T>): Promise<T> {
  const bytes = await platformBytes(base, run, request);
  const parsed = model.safeParse(tryParse(new TextDecoder().decode(bytes)));
  if (parsed.success) return parsed.data;
  throw new PlatformError(`${request.what}: the platform's answer is not what this SDK knows; update the SDK`, { code: 'bad_answer', status: 200 });
}

/** @throws SvcError */
export async function platformBytes(base: string, run: RunCredential, request: PlatformRequest): Promise<Uint8Array> {
  const repeatable = request.repeatable ?? request.method !== 'POST';
  const patient = Date.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await send(base, run, request);
    if (outcome instanceof Uint8Array) return outcome;
    const { laterMs } = outcome;
    if (!(repeatable || laterMs !== undefined) || !outcome.transient || Date.now() > patient) throw outcome.error;
    // Not all at the same moment: many of one run may have been sent away together.
    const least = (laterMs ?? 0) * (0.5 + Math.random());
    await sleep(Math.max(least, Math.min(LONGEST_PAUSE_MS, 100 * 2 ** (attempt - 1))), undefined, { signal: run.signal }).catch(() => {
      throw run.signal.reason;
    });
  }
}

interface Refused {
  error: SvcError;
  transient: boolean;
  /**
   * There: nothing was done, whatever it was, for too much of this run is under way. To be sent again after
   * so long.
   */
  laterMs?: number | undefined;
}

async function send(base: string, run: RunCredential, request: PlatformRequest): Promise<Uint8Array | Refused> {
  const { method, path, json, bytes, grant, timeoutSeconds = 30, what } = request;
  if (run.token === undefined) throw new NotAvailable(`${what} (this call came without a run credential: call the agent through the platform)`);
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(request.query ?? {})) if (value !== undefined) url.searchParams.set(name, value);
  const body = bytes ?? (json === undefined ? undefined : JSON.stringify(json));
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const response = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.any([run.signal, timeout]),
      headers: {
        authorization: `Bearer ${run.token}`,
        [HEADER.requestId]: run.requestId,
        ...(body !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
        ...(grant !== undefined && { [HEADER.grant]: grant }),
      },
      ...(body !== undefined && { body: toBody(body) }),
    });
    const answer = await bounded(response, what);
    if (response.ok) return answer;
    const laterMs = response.status === 429 ? Math.min(LONGEST_PAUSE_MS, 1000 * (Number(response.headers.get('retry-after')) || 0)) : undefined;
    const refusal = errorOf(response.status, tryParse(new TextDecoder().decode(answer)), request);
    // That there is no sandbox to be had is an answer.
    return { error: refusal, laterMs, transient: [429, 502, 503, 504].includes(response.status) && !(refusal instanceof SandboxUnavailable) };
  } catch (error) {
    if (run.signal.aborted) throw run.signal.reason;
    if (error instanceof SvcError) throw error;
    const reason = timeout.aborted ? `did not answer within ${timeoutSeconds} s` : 'cannot be reached';
    return { error: new PlatformError(`${what}: the platform ${reason}`, { code: 'unreachable', status: 0 }, { cause: error }), transient: true };
  }
}

function errorOf(status: number, body: unknown, { what, path }: PlatformRequest): SvcError {
  const parsed = Refusal.safeParse(body);
  const { code, message, wait_id }: { code: string; message: string; wait_id?: string | undefined } = parsed.success
    ? parsed.data.detail
    : { code: 'bad_answer', message: `the platform answered ${status}` };
  switch (code) {
    case 'grant_invalid':
      return new GrantInvalid();
    case 'nobody_to_ask':
      return new NobodyToAsk(message);
    case 'scope_denied':
      return new ScopeDenied(message);
    case 'sandbox_unavailable':
      return new SandboxUnavailable(message);
    case 'write_pending':
      return wait_id === undefined ? new WorkspaceDenied(message) : new WriteNeedsApproval(message, wait_id);
    case 'grant_required':
      return new WorkspaceDenied(message);
    case 'file_not_found':
      return new FileNotFound(decodeURIComponent(path.split('/files/')[1] ?? ''));
    default:
      if (path.includes('/workspace-grants/')) {
        if (status === 404 && path.includes('/files/')) return new FileNotFound(decodeURIComponent(path.split('/files/')[1] ?? ''));
        if (status === 403) return new WorkspaceDenied(message);
      }
      return new PlatformError(`${what}: ${message}`, { code, status });
  }
}

async function bounded(response: Response, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES)
      throw new PlatformError(`${what}: the answer is larger than ${MAX_ANSWER_BYTES} bytes`, { code: 'answer_too_large', status: 200 });
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** fetch takes only views of ordinary memory; node's buffers are, shared memory is copied. */
function toBody(body: string | Uint8Array): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body.buffer instanceof ArrayBuffer ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength) : Uint8Array.from(body);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
