// The model gateway: `/llm/openai/v1/…` and `/llm/anthropic/v1/…`, for the clients of those providers,
// unmodified. Who asks is a run; what it may, and who pays, core/money/gateway decides. Errors of ours have
// the form that the client of the wire reads.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { HEADER } from '#contract/wire/headers.ts';
import { MODEL_GATEWAY_PATH } from '#contract/wire/model-use.ts';
import { readTraceparent, TRACEPARENT } from '#contract/wire/trace-context.ts';
import { askModel } from '#core/money/gateway/ask.ts';
import { methodsAt, modelAt, operationAt } from '#core/money/gateway/operations.ts';
import type { Operation } from '#core/money/gateway/wire.ts';
import { modelCaller } from '#core/runs/model-grant/open.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { BadRequest, DomainError, MethodNotAllowed, NotFound, PayloadTooLarge, TooManyRequests } from '#core/kernel/errors.ts';
import { drain } from './http/drain.ts';
import { readBody } from './http/packed-body.ts';
import { refusalOf, unexpected } from './http/errors.ts';
import { requestId } from './http/request-id.ts';
import { rechecksOf } from './http/recheck.ts';
import { createPlaces } from './places.ts';
import type { Front } from './server.ts';

export interface ModelGatewayOptions {
  log: Logger;
  stopping: AbortSignal;
}

/** Pictures and documents travel in the request. */
const MOST_BODY_BYTES = 32 * 1024 * 1024;
const AT_ONCE = { each: 64, all: 1_024 };
/** What of a request the endpoint is to see. */
const PASSED = ['accept', 'anthropic-version', 'anthropic-beta', 'openai-beta', 'user-agent'];
/** The same of its query: no model, no key. */
const PASSED_QUERY = ['beta', 'limit', 'after', 'after_id', 'before_id', 'order', 'api-version'];

export function modelGateway(ctx: Ctx, { log, stopping }: ModelGatewayOptions): Front {
  const places = createPlaces(AT_ONCE);
  return (request, response) => {
    const url = request.url ?? '';
    if (!url.startsWith(MODEL_GATEWAY_PATH)) return false;
    const id = requestId(request.headers['x-request-id']);
    response.setHeader(HEADER.requestId, id);
    serve(request, response, id).catch(async (error: unknown) => refuse(request, response, error, id));
    return true;
  };

  async function serve(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const [path = '', query] = (request.url ?? '').split('?', 2);
    const key = keyOf(request);
    const { run, grant, claim } = await modelCaller(ctx, key);
    const one = modelAt(path);
    const operation = operationOf(request.method, one?.list ?? path);
    const leave = places.enter(run.agent_id);
    if (!leave)
      throw new TooManyRequests(
        'model_gateway_busy',
        `At most ${AT_ONCE.each} model requests of an agent are under way at a time: wait until some have ended`,
        {
          retry_after_seconds: 1,
        },
      );
    const ended = new AbortController();
    // What costs money does not outlive its run.
    const leaveRechecks = rechecksOf(ctx.db).enter(claim, (why) => ended.abort(why));
    try {
      const body = operation.method === 'POST' ? await bodyOf(request) : undefined;
      const gone = new AbortController();
      if (response.closed) return;
      response.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, stopping, ended.signal]);
      const mine: Ctx = { ...ctx, actor: run, requestId: id, trace: readTraceparent(request.headers[TRACEPARENT]) };
      const answer = await askModel(mine, { run, grant, operation, query: passedQuery(query), only: one?.id, body, headers: passedOn(request), signal });
      response.writeHead(answer.status, { 'cache-control': 'no-store', ...answer.headers, 'x-content-type-options': 'nosniff' });
      response.flushHeaders();
      await pipeline(answer.body, response);
      log.info({ request_id: id, agent: run.agent_name, run_id: run.run_id, operation: operation.name, model: answer.model, status: answer.status }, 'model');
    } catch (error) {
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      leaveRechecks();
      leave();
    }
  }

  async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, id: string): Promise<void> {
    if (response.headersSent || response.closed) {
      log.info({ request_id: id, ...(error instanceof DomainError ? { code: error.code } : { err: error }) }, 'an answer of a model broke off');
      return void response.destroy();
    }
    // Who still sends would not read the answer.
    if (!request.complete) await drain(request);
    const { status, body, headers } = refusalOf(error, id) ?? unexpected(error, id);
    if (status >= 500 && !(error instanceof DomainError)) log.error({ err: error, request_id: id }, 'a request to the model gateway failed');
    else log.info({ request_id: id, status, code: body.detail.code }, 'the model gateway refused');
    const { code, message } = body.detail;
    const errorBody = request.url?.startsWith(`${MODEL_GATEWAY_PATH}anthropic/`)
      ? anthropicError(status, code, message, id)
      : openaiError(status, code, message);
    const bytes = Buffer.from(JSON.stringify(errorBody));
    response.writeHead(status, {
      ...headers,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Both providers' clients go by it; they would try a 409 again.
      'x-should-retry': String(status === 429 || status >= 500),
      'content-length': bytes.length,
      ...(request.complete ? {} : { connection: 'close' }),
    });
    response.end(bytes);
  }
}

/** HEAD is answered as GET is. @throws NotFound, MethodNotAllowed */
function operationOf(method: string | undefined, path: string): Operation {
  const operation = operationAt(method === 'HEAD' ? 'GET' : method, path);
  if (operation) return operation;
  const allow = methodsAt(path);
  if (allow.length > 0) throw new MethodNotAllowed('method_not_allowed', `${path} takes ${allow.join(', ')}`, { allow });
  throw new NotFound('model_gateway_unknown_path', `The model gateway does not answer ${method ?? ''} ${path}: docs/authoring/models.md lists what it answers`);
}

/** The run's credential before the client's own key, which in a guest says nothing. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const run = headers[HEADER.runToken];
  if (typeof run === 'string') return run;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const own = headers['x-api-key'];
  return bearer ?? (typeof own === 'string' ? own : undefined);
}

function passedOn({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));
}

function passedQuery(query: string | undefined): string {
  const passed = [...new URLSearchParams(query)].filter(([name]) => PASSED_QUERY.includes(name));
  return passed.length === 0 ? '' : `?${new URLSearchParams(passed)}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  try {
    const bytes = await readBody(request, MOST_BODY_BYTES, () => new PayloadTooLarge('body_too_large', `A request has at most ${MOST_BODY_BYTES} bytes`));
    return bytes.toString();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new BadRequest('model_request_invalid', 'The request could not be read to its end');
  }
}

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

function typeOf(status: number): string {
  return TYPES[status] ?? 'api_error';
}

function openaiError(status: number, code: string, message: string): object {
  return { error: { message, type: typeOf(status), param: null, code } };
}

function anthropicError(status: number, code: string, message: string, id: string): object {
  return { type: 'error', error: { type: typeOf(status), message: `${message} (${code})` }, request_id: id };
}
