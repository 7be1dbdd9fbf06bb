// Sends one operation: with the caller's credentials, again where that is harmless, and page after page where
// it is asked for.
import { type HttpOperation, isReadOnly } from '../../../contract/wire/http-operation.ts';
import type { RunContext } from '../authoring/context.ts';
import { SkillInvocationError } from '../authoring/errors.ts';
import { type Answer, MAX_RESULT_BYTES, readAnswer } from './answer.ts';
import { fetchWithSetup } from './fetch.ts';
import { type Arguments, nextArguments } from './paging.ts';
import { type WrittenRequest, writeRequest } from './request.ts';

export interface ApiServer {
  /** `https://api.example.com/v1`; `{region}` is the caller's value of the setup field `region`. */
  server: string;
  /** Where a variable of the server has only these values. */
  variables?: Readonly<Record<string, readonly string[]>>;
  /** Names of credentials, each with the setup fields that it is made of. */
  credentials?: Readonly<Record<string, readonly string[]>>;
  /** Which of them an operation takes: one of these lists, all in it together. Empty: none. */
  security?: readonly (readonly string[])[];
  /** What errors call it; default: its host. */
  title?: string;
  /** Sent with each request; no argument takes their place. */
  headers?: (ctx: RunContext) => Readonly<Record<string, string>>;
}

export interface CallParts {
  ctx: RunContext;
  api: ApiServer;
  operation: HttpOperation;
}

const TRIES = 3;
const MAX_WAIT_MS = 30_000;
const MAX_PAGES = 50;

/** @throws SkillInputError, SkillInvocationError */
export async function callOperation(parts: CallParts, args: Arguments): Promise<unknown> {
  const { paging } = parts.operation;
  if (!paging) return (await send(parts, args)).value;
  const { max_pages: wanted, ...first } = args;
  const pages: unknown[] = [];
  let next: Arguments | null = first;
  let bytes = 0;
  const limit = Math.min(typeof wanted === 'number' ? wanted : 1, MAX_PAGES);
  while (next !== null && pages.length < limit && bytes < MAX_RESULT_BYTES) {
    const answer: Answer = await send(parts, next);
    pages.push(answer.value);
    bytes += JSON.stringify(answer.value).length;
    next = nextArguments(parts.operation, paging, next, answer);
  }
  return { pages, next };
}

async function send(parts: CallParts, args: Arguments): Promise<Answer> {
  const { ctx, api, operation } = parts;
  const written = writeRequest(operation, serverOf(api, operation, ctx.setup), args);
  const request = api.headers ? { ...written, headers: { ...written.headers, ...api.headers(ctx) } } : written;
  const fields = fieldsFor(parts);
  const harmless = isReadOnly(request.method) || /^(?:PUT|DELETE)$/.test(request.method);
  for (let attempt = 1; ; attempt += 1) {
    ctx.checkCancelled();
    const response = await fetched(parts, request, fields, harmless && attempt < TRIES);
    if (response === undefined) await pause(ctx, backoff(attempt));
    else if (attempt < TRIES && mayRepeat(response.status, harmless)) {
      await response.body?.cancel();
      await pause(ctx, waitOf(response) ?? backoff(attempt));
    } else return await readAnswer(ctx, response);
  }
}

/** Undefined: it did not get there, and is sent again. */
async function fetched({ ctx, api }: CallParts, request: WrittenRequest, fields: readonly string[], again: boolean): Promise<Response | undefined> {
  try {
    return await fetchWithSetup(ctx, request.url, fields, request);
  } catch (error) {
    if (error instanceof SkillInvocationError || ctx.signal.aborted) throw error;
    if (again) return undefined;
    throw new SkillInvocationError(`${api.title ?? new URL(request.url).host} was not reached`, { status: 502, cause: error });
  }
}

/** 429 says that nothing was done; the others say so only of what is harmless. */
function mayRepeat(status: number, harmless: boolean): boolean {
  return status === 429 || (harmless && [502, 503, 504].includes(status));
}

function waitOf(response: Response): number | undefined {
  const after = response.headers.get('retry-after');
  if (after === null) return undefined;
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : undefined;
}

const backoff = (attempt: number): number => 250 * 4 ** (attempt - 1);

async function pause(ctx: RunContext, ms: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(ctx.signal.reason);
  const timer = setTimeout(resolve, ms);
  ctx.signal.addEventListener('abort', stop, { once: true });
  await promise.finally(() => {
    clearTimeout(timer);
    ctx.signal.removeEventListener('abort', stop);
  });
}

/**
 * The first list of credentials that the caller has set; of several, none is better than one that is
 * incomplete. @throws SkillInvocationError
 */
function fieldsFor({ ctx, api, operation }: CallParts): readonly string[] {
  const lists = operation.security ?? api.security ?? [];
  if (lists.length === 0) return [];
  const fields = lists.map((names) => names.flatMap((name) => api.credentials?.[name] ?? []));
  const usableFields =
    fields.find((names) => names.length > 0 && names.every((name) => ctx.setup[name] !== undefined)) ?? fields.find((names) => names.length === 0);
  if (usableFields) return usableFields;
  const ways = fields.map((names) => names.join(' and ')).join(', or ');
  throw new SkillInvocationError(`${operation.at} needs credentials: set ${ways} with "svc setup"`, { status: 409 });
}

/** @throws SkillInvocationError for a variable whose value is missing, or not one of those there are */
function serverOf(api: ApiServer, { server }: HttpOperation, setup: RunContext['setup']): string {
  return (server ?? api.server).replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const value = String(setup[name] ?? '');
    const allowed = api.variables?.[name];
    const fits = allowed ? allowed.includes(value) : /^[A-Za-z0-9](?:[A-Za-z0-9._~-]{0,200})$/.test(value);
    if (!fits) throw new SkillInvocationError(`Set ${name} with "svc setup"${allowed ? `: one of ${allowed.join(', ')}` : ''}`, { status: 409 });
    return value;
  });
}
