// POST /a2a: JSON-RPC, 1.0 and 0.3 by the version the request names.
import { JsonRpcTransportHandler, type A2ARequestHandler, type ServerCallContext } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ContentTypeNotSupportedError, toJsonRpcError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { HttpError } from '../http.ts';
import { sendStream, sendValue, type Answering } from './answer.ts';

export type Rpc = (body: unknown, context: ServerCallContext, answering: Answering) => Promise<void>;

export function createRpc(handler: A2ARequestHandler): Rpc {
  const current = new JsonRpcTransportHandler(handler);
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  return async (body, context, answering) => {
    const id = idOf(body);
    const refuse = (error: unknown): unknown => ({ jsonrpc: '2.0', id, error: toJsonRpcError(error) });
    const wrong = faultIn(body);
    if (wrong !== undefined || !isRecord(body))
      return sendValue(answering, 200, JSON_TYPE, { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: wrong ?? ONE_REQUEST } });
    const version = context.requestedVersion;
    if (!isLegacy(version) && !isCurrent(version)) return sendValue(answering, 200, JSON_TYPE, refuse(new VersionNotSupportedError(unsupported(version))));
    const request = { ...body };
    try {
      const answer = await (isLegacy(version) ? legacy.handle(request, context) : current.handle(request, context));
      if (!(Symbol.asyncIterator in answer)) return sendValue(answering, 200, JSON_TYPE, answer);
      await sendStream<unknown>(answering, answer, (value) => value, refuse);
    } catch (error) {
      sendValue(answering, 200, JSON_TYPE, refuse(error));
    }
  };
}

const JSON_TYPE = 'application/json';
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const ONE_REQUEST = 'send one JSON-RPC request, as an object';

/** A body that is no JSON, or not sent as such. */
export function refuseBody(error: unknown, answering: Answering): void {
  if (!(error instanceof HttpError) || (error.status !== 400 && error.status !== 415)) throw error;
  const { code, data } = { code: PARSE_ERROR, data: undefined, ...(error.status === 415 && toJsonRpcError(new ContentTypeNotSupportedError(error.message))) };
  const refusal = { code, message: error.message, ...(data !== undefined && { data }) };
  sendValue(answering, error.status === 415 ? 415 : 200, JSON_TYPE, { jsonrpc: '2.0', id: null, error: refusal });
}

/** What is wrong with it as JSON-RPC 2.0. */
function faultIn(body: unknown): string | undefined {
  if (!isRecord(body)) return ONE_REQUEST;
  if (body['jsonrpc'] !== '2.0') return 'jsonrpc must be "2.0"';
  if (typeof body['method'] !== 'string' || body['method'] === '') return 'method must be a string';
  const { id } = body;
  if (id !== undefined && id !== null && typeof id !== 'string' && !Number.isInteger(id)) return 'id must be a string or a whole number';
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isLegacy(version: string): boolean {
  return /^0\.3(?:\.\d+)?$/.test(version);
}

export function isCurrent(version: string): boolean {
  return /^1\.0(?:\.\d+)?$/.test(version);
}

export function unsupported(version: string): string {
  return `A2A-Version ${version.slice(0, 32)} is not served here; use 1.0 or 0.3`;
}

function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
