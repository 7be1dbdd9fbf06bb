// One request to a model's endpoint as it is, and its answer as it comes: for the model gateway, whose
// callers speak the endpoint's own wire.
import type { Readable } from 'node:stream';
import { errors, request as send, type Dispatcher } from 'undici';
import { modelError } from './errors.ts';
import type { ModelError, ModelTarget } from './port.ts';

interface ExchangeRequest {
  method: 'GET' | 'POST';
  /** Behind the base URL, with the query: `/chat/completions`. */
  path: string;
  /** Without credentials. */
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  signal: AbortSignal;
}

export interface ExchangeAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Ends with an error when the endpoint breaks off. */
  body: Readable;
}

export type Exchange = (target: Omit<ModelTarget, 'model'>, request: ExchangeRequest) => Promise<ExchangeAnswer>;

/** Follows nothing. @throws ModelError unreachable, timeout, cancelled */
export function exchangeOver(dispatcher: Dispatcher): Exchange {
  return async (target, { method, path, headers, body, signal }) => {
    try {
      const url = `${target.baseUrl.replace(/\/+$/, '')}${path}`;
      const answer = await send(url, { dispatcher, method, headers: { ...headers, ...credentials(target) }, body: body ?? null, signal });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      throw exchangeError(error, { apiKey: target.apiKey, cancelled: signal.aborted });
    }
  };
}

function credentials({ protocol, apiKey }: Omit<ModelTarget, 'model'>): Record<string, string> {
  if (apiKey === null) return {};
  return protocol === 'anthropic' ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

/** Also of an answer that broke off in the middle. */
export function exchangeError(error: unknown, about: { apiKey: string | null; cancelled: boolean }): ModelError {
  const silent = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError || error instanceof errors.ConnectTimeoutError;
  return modelError(error, { ...about, timedOut: silent, usage: undefined });
}
