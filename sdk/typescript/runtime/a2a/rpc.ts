// POST /a2a: JSON-RPC, 1.0 and 0.3 by the version the request names.
import { JsonRpcTransportHandler, type A2ARequestHandler, type ServerCallContext } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { toJsonRpcError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { sendStream, sendValue, type Answering } from './answer.ts';

export type Rpc = (body: unknown, context: ServerCallContext, answering: Answering) => Promise<void>;

export function createRpc(handler: A2ARequestHandler): Rpc {
  const current = new JsonRpcTransportHandler(handler);
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  return async (body, context, answering) => {
    const id = idOf(body);
    const refuse = (error: unknown): unknown => ({ jsonrpc: '2.0', id, error: toJsonRpcError(error) });
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return sendValue(answering, 200, JSON_TYPE, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'send one JSON-RPC request' } });
    }
    const version = context.requestedVersion;
    if (!isLegacy(version) && !isCurrent(version)) return sendValue(answering, 200, JSON_TYPE, refuse(new VersionNotSupportedError(unsupported(version))));
    const request: Record<string, unknown> = { ...body };
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
